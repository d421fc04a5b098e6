//! Spans of time: when decisions let each task execute, and when the kernel ran its thread.

use crate::trace::real_run::RealRun;
use schedlab_model::{ClusterId, CpuId, Instant, JobId, TaskId};
use schedlab_trace::{about, Record, Thread};
use std::collections::BTreeMap;

/// An interval in which a task's thread ran somewhere, or was to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub task: TaskId,
    pub cpu: CpuId,
    pub from: Instant,
    pub to: Instant,
}

/// Returns the place of the first of `spans` that goes on after `at`.
pub(crate) fn after(spans: &[Span], at: Instant) -> usize {
    spans.partition_point(|span| span.to <= at)
}

/// Returns the task's `spans`.
pub(crate) fn of_task(spans: &[Span], task: TaskId) -> Vec<Span> {
    spans.iter().filter(|span| span.task == task).copied().collect()
}

/// A stretch of time of a job, and the record that began it.
pub(crate) type Stretch<'r> = (JobId, &'r Record, (Instant, Instant));

/// Returns the stretches between a job's records that begin something and the next ones that end it, by their ends. The
/// run's end ends every stretch.
pub(crate) fn stretches(
    run: &RealRun,
    begins: impl Fn(&Record) -> bool,
    ends: impl Fn(&Record) -> bool,
) -> Vec<Stretch<'_>> {
    let mut open: BTreeMap<JobId, (&Record, Instant)> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, record) in &run.decisions {
        let Some(job) = record.job() else { continue };
        if begins(record) {
            open.entry(job).or_insert((record, *at));
        } else if ends(record) {
            found.extend(open.remove(&job).map(|(begin, from)| (job, begin, (from, *at))));
        }
    }
    found.extend(open.into_iter().map(|(job, (begin, from))| (job, begin, (from, run.end()))));
    found
}

/// Returns the stretches in which decisions let each job execute.
pub(crate) fn dispatched(run: &RealRun) -> Vec<Stretch<'_>> {
    stretches(run, is_dispatch, |record| matches!(record, about![Preempt, Complete, Suspend, Abort]))
}

pub(crate) fn is_dispatch(record: &Record) -> bool {
    matches!(record, Record::Dispatch { .. })
}

/// Returns the spans in which decisions let each task execute; those of each task by time. Where the kernel itself
/// chooses a processor of the cluster, they are on the one that it chose.
pub(crate) fn decided(run: &RealRun) -> Vec<Span> {
    let span = |(_, begin, (from, to)): Stretch<'_>| {
        let Record::Dispatch { cpu, job } = *begin else { return None };
        (from < to).then_some(Span { task: job.task, cpu, from, to })
    };
    let spans = dispatched(run).into_iter().filter_map(span);
    let Some(cluster_of) = &run.cluster_of else { return spans.collect() };
    let ran = ran(run);
    spans.flat_map(|span| where_executed(span, &ran, cluster_of)).collect()
}

/// Returns the parts of a decided span, each on the processor of its cluster on which the kernel ran the thread next,
/// or else last; without any, the span as decided. `ran` is what the kernel ran.
fn where_executed(decided: Span, ran: &[Span], cluster_of: &[ClusterId]) -> Vec<Span> {
    let first = ran.partition_point(|ran| (ran.task, ran.to) <= (decided.task, decided.from));
    let there = ran[first..].iter().take_while(|ran| ran.task == decided.task && ran.from < decided.to);
    let cluster = cluster_of[decided.cpu.index()];
    let mut parts: Vec<Span> = Vec::new();
    let mut left = decided.from;
    for ran in there.filter(|ran| cluster_of[ran.cpu.index()] == cluster) {
        match parts.last_mut() {
            Some(part) if part.cpu == ran.cpu => {}
            Some(part) => {
                part.to = left;
                parts.push(Span { cpu: ran.cpu, from: left, ..decided });
            }
            None => parts.push(Span { cpu: ran.cpu, ..decided }),
        }
        left = ran.to;
    }
    parts.retain(|part| part.from < part.to);
    if parts.is_empty() {
        parts.push(decided);
    }
    parts
}

/// Returns the spans in which the kernel ran each task's thread. A thread that the kernel has not taken off its
/// processor runs on, unless switches are missing. Those of each task are by time.
pub(crate) fn ran(run: &RealRun) -> Vec<Span> {
    // A thread is on one processor, if the kernel is right: what it says of each is kept apart, so that it can be seen
    // to be wrong.
    let mut open: BTreeMap<(TaskId, CpuId), Instant> = BTreeMap::new();
    let mut spans = Vec::new();
    let end = run.end();
    let mut close = |(task, cpu): (TaskId, CpuId), from: Instant, to: Instant| {
        let to = to.min(end);
        if from < to {
            spans.push(Span { task, cpu, from, to });
        }
    };
    for switch in run.known_switches() {
        let Thread::Task(task) = switch.thread else { continue };
        let there = (task, switch.cpu);
        if switch.to {
            open.insert(there, switch.at);
        } else if let Some(since) = open.remove(&there) {
            close(there, since, switch.at);
        }
    }
    if run.knows_all_switches() {
        open.into_iter().for_each(|(there, since)| close(there, since, end));
    }
    spans.sort_by_key(|span| (span.task, span.from));
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(cpu: u16, from: u64, to: u64) -> Span {
        let ns = Instant::from_ns;
        Span { task: TaskId(1), cpu: CpuId(cpu), from: ns(from), to: ns(to) }
    }

    /// Processors 0 to 2 are a cluster, and processor 3 is another one. A thread that the kernel runs within the
    /// cluster is where it was decided to be; one that executes in the other cluster is not.
    #[test]
    fn a_decided_span_is_where_the_kernel_ran_the_thread() {
        let clusters = [0, 0, 0, 1].map(ClusterId);
        let of_other = Span { task: TaskId(0), ..span(2, 0, 500) };
        let place = |ran: &[Span]| {
            let ran = [&[of_other], ran, &[Span { task: TaskId(2), ..of_other }]].concat();
            let parts = where_executed(span(0, 100, 200), &ran, &clusters);
            parts.iter().map(|it| (it.cpu.0, it.from.as_ns(), it.to.as_ns())).collect::<Vec<_>>()
        };
        assert_eq!(place(&[]), [(0, 100, 200)]);
        assert_eq!(place(&[span(0, 110, 150), span(0, 160, 220)]), [(0, 100, 200)]);
        assert_eq!(place(&[span(0, 50, 100), span(1, 110, 190), span(0, 200, 210)]), [(1, 100, 200)]);
        let moved = [span(1, 110, 120), span(2, 130, 150), span(2, 151, 160), span(0, 170, 180)];
        assert_eq!(place(&moved), [(1, 100, 120), (2, 120, 160), (0, 160, 200)]);
        assert_eq!(place(&[span(3, 110, 190)]), [(0, 100, 200)]);
        assert_eq!(place(&[span(1, 90, 110), span(3, 120, 190)]), [(1, 100, 200)]);
    }
}
