//! Jobs that were released later than the scenario says, because their threads woke up late.
//!
//! Where a scheduler in the kernel decides by itself, a task's thread sleeps until its next release and says itself
//! that it is ready: while its process is stopped, or its wake-up is on its way, nothing decides for the job.

use crate::jobs::{Jobs, Ran};
use crate::trace::real_run::{RealRun, Switch};
use schedlab_model::{Duration, Instant, JobId, TaskId};
use schedlab_trace::{Backend, Thread};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A job that was released late.
pub(crate) struct LateRelease {
    /// Id of the job.
    pub job: JobId,
    /// Time at which the job could have been ready: released, with its task's job before it gone.
    pub due: Instant,
    /// Time at which the job was ready.
    pub ready: Instant,
}

impl Jobs {
    /// Jobs that were released late, by task and number.
    pub(crate) fn late_releases(&self, run: &RealRun) -> Vec<LateRelease> {
        match run.backend {
            Backend::ScxNative => {}
            Backend::Simulation | Backend::Threads | Backend::Scx | Backend::Class => return Vec::new(),
        }
        let mut gone: BTreeMap<TaskId, Instant> = BTreeMap::new();
        let late = |(id, ran): (&JobId, &Ran)| {
            let before = gone.insert(id.task, ran.gone).unwrap_or(Instant::ZERO);
            let (due, ready) = (ran.release.max(before), ran.ready.unwrap_or(run.end()));
            (due < ready).then_some(LateRelease { job: *id, due, ready })
        };
        self.iter().filter_map(late).collect()
    }

    /// The task of the job that was released latest while its thread slept and the run did not stand still, and by how
    /// much. A thread that executes, or waits for a processor on its way to sleep, says later that it is ready.
    pub(crate) fn latest_release(&self, run: &RealRun) -> Option<(TaskId, Duration)> {
        let stood_still = |late: &LateRelease| {
            run.standstills.iter().any(|(from, to)| late.due < *to && *from < late.ready)
        };
        let slept = |late: &LateRelease| {
            let is_its =
                |switch: &&Switch| switch.at <= late.due && switch.thread == Thread::Task(late.job.task);
            run.known_switches().iter().rev().find(is_its).is_none_or(|last| !last.to && !last.ready)
        };
        let mut late = self.late_releases(run);
        late.sort_by_key(|late| Reverse(late.ready - late.due));
        let latest = late.iter().find(|late| !stood_still(late) && slept(late));
        latest.map(|late| (late.job.task, late.ready - late.due))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::one_task;
    use crate::jobs::simulated::{Cause, Simulated};
    use crate::jobs::taken::{Taken, TakenTime, Taker};
    use schedlab_lab::Prepared;
    use schedlab_model::{ClusterId, CpuId, Priority, Work};
    use schedlab_scenario::Scenario;
    use schedlab_trace::Record;

    /// A task of 2 ms each 10 ms. Its second job is ready at 19 ms only, and so it is late by a millisecond; its third
    /// is ready as the second is gone.
    #[test]
    fn a_late_release_explains_a_miss() {
        let text = "schedlab = 1\nscheduler = \"P-EDF\"\n[platform]\nprocessors = 1\n\
                    [[task]]\nname = \"a\"\nwcet = \"2 ms\"\nperiod = \"10 ms\"\n";
        let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
        let at = |ms: u64| Instant::from_ns(ms * 1_000_000);
        let (job, cpu) = (|number| JobId::new(TaskId(0), number), CpuId(0));
        let mut decisions = Vec::new();
        for (number, ready) in [(0, 0), (1, 19), (2, 21)] {
            let (job, due) = (job(number), 10 * u64::from(number) + 10);
            let arrival = Record::Arrival { job, absolute_deadline: at(due), cost: Work::ZERO };
            let priority = Priority::new(due, job);
            decisions.push((at(due - 10), arrival));
            decisions.push((at(ready), Record::Ready { job, priority, cluster: ClusterId(0) }));
            decisions.push((at(ready), Record::Dispatch { cpu, job }));
            decisions.push((at(ready + 2), Record::Complete { job }));
        }
        decisions.push((at(20), Record::Miss { job: job(1) }));
        decisions.push((at(30), Record::End));
        decisions.sort_by_key(|(at, _)| *at);
        let of_thread = |(from, to)| crate::by_hand::ran(crate::by_hand::OWN, from, to);
        let switches = [(0, 2_000), (19_000, 21_000), (21_000, 23_000)].map(of_thread).concat();
        let mut run = one_task(decisions, switches, 0);
        let cause = |run: &RealRun| {
            let jobs = Jobs::of(&prepared, run).unwrap();
            let taken = TakenTime::of(&prepared, run, &jobs).within(ClusterId(0), at(10), at(21));
            (Simulated::of(&prepared, run, &jobs).unwrap().cause(job(1), 1_000_000, &taken), taken)
        };
        assert_eq!(cause(&run).0, Cause::Unexplained, "a run in which the engine releases jobs");
        run.backend = Backend::ScxNative;
        let late = Jobs::of(&prepared, &run).unwrap().late_releases(&run);
        let late: Vec<_> = late.iter().map(|late| (late.job, late.due, late.ready)).collect();
        assert_eq!(late, [(job(1), at(10), at(19))]);
        let latest = |run: &RealRun| Jobs::of(&prepared, run).unwrap().latest_release(run);
        // The thread lost its processor at 2 ms while it was ready: it waits for one at its release.
        assert_eq!(latest(&run), None, "its thread did not sleep");
        run.switches.as_mut().unwrap().all[1].ready = false;
        assert_eq!(latest(&run), Some((TaskId(0), Duration::from_ms(9))));
        assert_eq!(cause(&run), (Cause::LostTime(Taker::Way), Taken::from([(Taker::Way, 9_000_000)])));
        run.standstills = vec![(at(12), at(18))];
        assert_eq!(cause(&run).0, Cause::LostTime(Taker::Standstill), "no thread of the run executed");
        assert_eq!(latest(&run), None, "the run stood still");
    }
}
