//! The records of a run under a class of Linux, assembled from those of its threads and from the jobs that never began.

use crate::backend::kernel_class::priority_of;
use crate::record::keeper::Records;
use schedlab_lab::KernelParameters;
use schedlab_model::{Instant, JobId, JobSource, Task, TaskId, Work};
use schedlab_sim::Summary;
use schedlab_trace::Record;

/// Assembles all records before `end`, by time, and counts them.
pub(crate) fn assemble(
    tasks: &[Task],
    parameters: &[KernelParameters],
    records: &[Records],
    unbegun: &mut dyn JobSource,
    end: Instant,
) -> (Vec<(Instant, Record)>, Summary) {
    let mut all = Vec::new();
    for (number, ((task, parameters), records)) in tasks.iter().zip(parameters).zip(records).enumerate() {
        let (written, lost) = records.items();
        // A thread may go on for a moment after the end.
        let in_time = written.iter().position(|(at, _)| *at >= end).unwrap_or(written.len());
        let written = &written[..in_time];
        all.extend(written);
        if lost > 0 {
            all.push((end, Record::Lost { count: lost }));
        }
        let id = TaskId(number as u32);
        add_unbegun(&mut all, written, (id, task, *parameters), unbegun, end);
    }
    all.sort_by_key(|(at, _)| *at);
    all.push((end, Record::End));
    let count = |wanted: fn(&Record) -> bool| all.iter().filter(|(_, one)| wanted(one)).count() as u64;
    let summary = Summary {
        jobs_arrived: count(|one| matches!(one, Record::Arrival { .. })),
        jobs_completed: count(|one| matches!(one, Record::Complete { .. })),
        jobs_missed: count(|one| matches!(one, Record::Miss { .. })),
        ..Summary::default()
    };
    (all, summary)
}

/// Adds the jobs of a task that arrived before `end` and never began, and those missed deadlines that were not written
/// down.
fn add_unbegun(
    all: &mut Vec<(Instant, Record)>,
    written: &[(Instant, Record)],
    (id, task, parameters): (TaskId, &Task, KernelParameters),
    source: &mut dyn JobSource,
    end: Instant,
) {
    let begun = written.iter().filter(|(_, one)| matches!(one, Record::Arrival { .. })).count();
    // Jobs are complete in their order.
    let completions: Vec<Instant> =
        written.iter().filter(|(_, one)| matches!(one, Record::Complete { .. })).map(|(at, _)| *at).collect();
    let left = written.iter().find(|(_, one)| matches!(one, Record::Leave { .. })).map(|(at, _)| *at);
    let arrives = |at: Instant| at < end && left.is_none_or(|left| at <= left);
    let mut steps = Vec::new();
    let mut before = Some(Instant::ZERO);
    for number in 0.. {
        steps.clear();
        let Some(next) = source.next_job(id, &mut steps).filter(|next| arrives(next.arrival)) else { break };
        let job = JobId::new(id, number);
        let absolute_deadline = next.arrival.checked_add(task.relative_deadline).unwrap_or(Instant::NEVER);
        if number as usize >= begun {
            all.push((next.arrival, Record::Arrival { job, absolute_deadline, cost: Work::ZERO }));
            if let Some(ready) = before.map(|before| before.max(next.release)).filter(|ready| *ready < end) {
                let priority = priority_of(parameters, job, absolute_deadline);
                all.push((ready, Record::Ready { job, priority, cluster: task.cluster }));
            }
        }
        before = completions.get(number as usize).copied();
        if before.is_none() && absolute_deadline < end {
            all.push((end, Record::Miss { job }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::log::log;
    use schedlab_model::{ClusterId, Duration, Priority};
    use schedlab_workload::arrivals::PeriodicSource;

    /// A task of period 10: its first job is complete at 12, its second begins at 12 and never ends, its third arrives
    /// at 20; the run ends at 25.
    #[test]
    fn jobs_that_never_began_are_there_and_late_ones_missed() {
        let task = Task::constrained(Work::from_ns(5), Duration::from_ns(10), Duration::from_ns(10));
        let (mut writer, reader) = log(16).unwrap();
        let job = |number| JobId::new(TaskId(0), number);
        let at = Instant::from_ns;
        let arrival =
            |number, by| Record::Arrival { job: job(number), absolute_deadline: at(by), cost: Work::ZERO };
        let ready = |number| Record::Ready {
            job: job(number),
            priority: Priority::new(175, job(number)),
            cluster: ClusterId(0),
        };
        for record in [
            (at(0), arrival(0, 10)),
            (at(0), ready(0)),
            (at(12), Record::Complete { job: job(0) }),
            (at(12), Record::Miss { job: job(0) }),
            (at(10), arrival(1, 20)),
            (at(12), ready(1)),
            (at(30), Record::Complete { job: job(1) }),
        ] {
            writer.push(record);
        }
        let mut source = PeriodicSource::new(std::slice::from_ref(&task)).unwrap();
        let parameters = [KernelParameters::Fifo(80)];
        let (all, summary) = assemble(&[task], &parameters, &[reader], &mut source, at(25));
        let expected = [
            (at(0), arrival(0, 10)),
            (at(0), ready(0)),
            (at(10), arrival(1, 20)),
            (at(12), Record::Complete { job: job(0) }),
            (at(12), Record::Miss { job: job(0) }),
            (at(12), ready(1)),
            (at(20), arrival(2, 30)),
            (at(25), Record::Miss { job: job(1) }),
            (at(25), Record::End),
        ];
        assert_eq!(all, expected);
        assert_eq!((summary.jobs_arrived, summary.jobs_completed, summary.jobs_missed), (3, 1, 2));
    }
}
