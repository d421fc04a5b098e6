//! The trace of a run by the kernel's word: the decisions, and its own context switches as dispatches and preemptions.
//!
//! A job executes from when its decision lets it and the kernel runs its thread there, until the kernel takes the thread away or the job
//! gives its processor up. A thread that goes on after a decision to stop it goes on executing its job, however long. What the
//! kernel runs of a thread before and after is the runtime's own code, on its way to its gate: it is clipped, and the longest such
//! stretch is the measuring error. One that is too long to be that counts in [`Agreement`](crate::Agreement), which judges all that
//! a thread ran without a decision.

use crate::agreement::{after, decided, of_task, ran, run_itself, Span};
use crate::Outcome;
use schedlab_model::{CpuId, Duration, Instant, JobId, TaskId};
use schedlab_trace::Record;

/// A run by the kernel's word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByKernel {
    /// The decisions, with dispatches and preemptions where the kernel switched to and from the jobs' threads, by time. A thread that
    /// somebody interrupts is preempted, too, although no decision says so.
    pub records: Vec<(Instant, Record)>,
    /// The longest time for which a thread of a task ran that is no job's.
    pub clipped: Option<(TaskId, Instant, Duration)>,
}

/// The time from a job's first dispatch, or its first after it was suspended, until it gives its processor up.
#[derive(Clone, Copy)]
struct Tenure {
    job: JobId,
    from: u64,
    to: u64,
}

impl Outcome {
    /// What happened, by the kernel's word; nothing if it was not asked, or if switches are missing.
    pub fn trace_by_kernel(&self) -> Option<ByKernel> {
        let (switches, _) = self.witness.as_ref().filter(|_| self.witness_is_whole())?;
        let is_said = |(_, record): &&(Instant, Record)| {
            !matches!(record, Record::Dispatch { .. } | Record::Preempt { .. })
        };
        let mut found =
            ByKernel { records: self.decisions.iter().filter(is_said).copied().collect(), clipped: None };
        let (decided, ran, tenures) = (decided(self), ran(self, switches, run_itself(self)), self.tenures());
        for task in (0..self.threads.len() as u32).map(TaskId) {
            let decided = of_task(&decided, task);
            let tenures: Vec<Tenure> =
                tenures.iter().filter(|tenure| tenure.job.task == task).copied().collect();
            for run in of_task(&ran, task) {
                self.add(&mut found, &run, &decided, &tenures);
            }
        }
        // What is decided at an instant is before what it makes true; a processor is left before somebody comes.
        found.records.sort_by_key(|(at, record)| match record {
            Record::Preempt { .. } => (*at, 1),
            Record::Dispatch { .. } => (*at, 2),
            Record::End => (*at, 3),
            _ => (*at, 0),
        });
        Some(found)
    }

    /// When jobs may have executed their own code, by time for each task.
    fn tenures(&self) -> Vec<Tenure> {
        let mut open: Vec<(JobId, Instant)> = Vec::new();
        let mut found = Vec::new();
        let tenure = |(job, since): (JobId, Instant), to: Instant| Tenure {
            job,
            from: self.zero + since.as_ns(),
            to: self.zero + to.as_ns(),
        };
        for (at, record) in &self.decisions {
            match *record {
                Record::Dispatch { job, .. } if open.iter().all(|(other, _)| *other != job) => {
                    open.push((job, *at));
                }
                Record::Complete { job } | Record::Suspend { job, .. } | Record::Abort { job } => {
                    let place = open.iter().position(|(other, _)| *other == job);
                    found.extend(place.map(|place| tenure(open.swap_remove(place), *at)));
                }
                _ => {}
            }
        }
        found.extend(open.into_iter().map(|begun| tenure(begun, self.end())));
        found
    }

    /// Adds what the kernel says in `run` of a task's thread. `decided` and `tenures` are the task's.
    fn add(&self, found: &mut ByKernel, run: &Span, decided: &[Span], tenures: &[Tenure]) {
        let Some(cpu) = self.processors.iter().position(|processor| *processor == run.cpu) else { return };
        let cpu = CpuId(cpu as u16);
        let at = |ns: u64| Instant::from_ns(ns - self.zero);
        let mut clipped_from = run.from;
        let mut clip = |from: u64, to: u64| {
            let length = Duration::from_ns(to - from);
            let longest = found.clipped.map_or(Duration::ZERO, |(_, _, longest)| longest);
            if length > longest {
                found.clipped = Some((run.task, at(from), length));
            }
        };
        let first = tenures.partition_point(|tenure| tenure.to <= run.from);
        for tenure in tenures[first..].iter().take_while(|tenure| tenure.from < run.to) {
            let (from, to) = (run.from.max(tenure.from), run.to.min(tenure.to));
            let mut let_it = decided[after(decided, from)..].iter().take_while(|span| span.from < to);
            let Some(span) = let_it.find(|span| span.cpu == run.cpu) else { continue };
            let from = from.max(span.from);
            clip(clipped_from, from);
            found.records.push((at(from), Record::Dispatch { cpu, job: tenure.job }));
            if to < tenure.to {
                found.records.push((at(to), Record::Preempt { cpu, job: tenure.job }));
            }
            clipped_from = to;
        }
        clip(clipped_from, run.to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::outcome;
    use crate::Agreement;

    const ONE: JobId = JobId { task: TaskId(0), number: 0 };
    const NEXT: JobId = JobId { task: TaskId(0), number: 1 };
    const TWO: JobId = JobId { task: TaskId(1), number: 0 };

    fn dispatch(cpu: u16, job: JobId) -> Record {
        Record::Dispatch { cpu: CpuId(cpu), job }
    }

    fn preempt(cpu: u16, job: JobId) -> Record {
        Record::Preempt { cpu: CpuId(cpu), job }
    }

    fn records(outcome: &Outcome) -> Vec<(u64, Record)> {
        let found = outcome.trace_by_kernel().unwrap();
        found.records.iter().map(|(at, record)| (at.as_ns(), *record)).collect()
    }

    /// The thread waits at its gate from 90 on, is interrupted from 130 to 140, goes on until 208 although it is to stop at 200, is moved, and
    /// goes on to its gate for 12 after its job is complete: there it is let through at 330 with its next job.
    #[test]
    fn what_the_kernel_runs_between_gate_and_end_is_the_jobs() {
        let complete = Record::Complete { job: ONE };
        let decisions = [
            (100, dispatch(0, ONE)),
            (200, preempt(0, ONE)),
            (210, dispatch(1, ONE)),
            (318, complete),
            (330, dispatch(1, NEXT)),
            (400, Record::End),
        ];
        let switches = [
            (90, 10, 3, true),
            (130, 10, 3, false),
            (140, 10, 3, true),
            (208, 10, 3, false),
            (215, 10, 5, true),
            (400, 10, 5, false),
        ];
        let outcome = outcome(&decisions, &switches);
        let expected = [
            (100, dispatch(0, ONE)),
            (130, preempt(0, ONE)),
            (140, dispatch(0, ONE)),
            (208, preempt(0, ONE)),
            (215, dispatch(1, ONE)),
            (318, complete),
            (330, dispatch(1, NEXT)),
            (400, Record::End),
        ];
        assert_eq!(records(&outcome), expected);
        let clipped = outcome.trace_by_kernel().unwrap().clipped;
        assert_eq!(clipped, Some((TaskId(0), Instant::from_ns(318), Duration::from_ns(12))));
    }

    /// One gives up its processor at the instant at which the other is let there, who has been waiting since 150; it comes back where
    /// nobody let it, and that is not its job's until it is let there again.
    #[test]
    fn who_gives_up_has_left_and_who_is_elsewhere_is_on_its_way() {
        let suspend = Record::Suspend { job: ONE, reason: schedlab_trace::SuspendReason::Itself };
        let decisions = [
            (100, dispatch(0, ONE)),
            (200, suspend),
            (200, dispatch(0, TWO)),
            (250, Record::Resume { job: ONE }),
            (260, dispatch(1, ONE)),
            (290, Record::Complete { job: TWO }),
            (300, Record::End),
        ];
        let switches = [
            (110, 10, 3, true),
            (190, 10, 3, false),
            (190, 11, 3, true),
            (255, 11, 3, false),
            (256, 10, 3, true),
            (264, 10, 3, false),
            (265, 10, 5, true),
        ];
        let expected = [
            (110, dispatch(0, ONE)),
            (190, preempt(0, ONE)),
            (200, suspend),
            (200, dispatch(0, TWO)),
            (250, Record::Resume { job: ONE }),
            (255, preempt(0, TWO)),
            (265, dispatch(1, ONE)),
            (290, Record::Complete { job: TWO }),
            (300, Record::End),
        ];
        assert_eq!(records(&outcome(&decisions, &switches)), expected);
    }

    /// The second leaves at the instant at which the first comes back; that one is on its way again at 215, before it is let at 220, and goes on
    /// for 10 after it is suspended.
    #[test]
    fn who_leaves_is_before_who_comes_and_a_tenure_may_be_interrupted() {
        let suspend = Record::Suspend { job: ONE, reason: schedlab_trace::SuspendReason::Itself };
        let resume = Record::Resume { job: ONE };
        let decisions = [
            (100, dispatch(0, ONE)),
            (150, preempt(0, ONE)),
            (150, dispatch(0, TWO)),
            (184, preempt(0, TWO)),
            (184, dispatch(0, ONE)),
            (200, preempt(0, ONE)),
            (220, dispatch(0, ONE)),
            (250, suspend),
            (280, resume),
            (285, dispatch(0, ONE)),
            (300, Record::End),
        ];
        let first =
            [(100, true), (160, false), (185, true), (205, false), (215, true), (260, false), (287, true)];
        let mut switches: Vec<_> = first.map(|(at, to)| (at, 10, 3, to)).to_vec();
        switches.extend([(160, 11, 3, true), (185, 11, 3, false)]);
        switches.sort_by_key(|(at, _, _, to)| (*at, *to));
        let expected = [
            (100, dispatch(0, ONE)),
            (160, preempt(0, ONE)),
            (160, dispatch(0, TWO)),
            (185, preempt(0, TWO)),
            (185, dispatch(0, ONE)),
            (205, preempt(0, ONE)),
            (220, dispatch(0, ONE)),
            (250, suspend),
            (280, resume),
            (287, dispatch(0, ONE)),
            (300, Record::End),
        ];
        assert_eq!(records(&outcome(&decisions, &switches)), expected);
    }

    /// The kernel contradicts: one thread is on two processors, which the trace shows. (No kernel does that; a witness may be wrong.)
    #[test]
    fn a_thread_on_two_processors_is_shown() {
        let decisions = [
            (100, dispatch(0, ONE)),
            (150, preempt(0, ONE)),
            (150, dispatch(1, ONE)),
            (300, Record::Complete { job: ONE }),
            (300, Record::End),
        ];
        let switches = [(110, 10, 3, true), (160, 10, 5, true), (200, 10, 3, false), (300, 10, 5, false)];
        let outcome = outcome(&decisions, &switches);
        let expected = [(110, dispatch(0, ONE)), (160, dispatch(1, ONE)), (200, preempt(0, ONE))];
        assert_eq!(records(&outcome)[..3], expected);
        assert_eq!(Agreement::new(&outcome, &outcome.witness.as_ref().unwrap().0, 0).on_two, 1);
    }

    #[test]
    fn where_switches_are_missing_nothing_is_said() {
        let mut outcome = outcome(&[(300, Record::End)], &[(110, 10, 3, true), (200, 10, 3, false)]);
        let clipped = outcome.trace_by_kernel().unwrap().clipped;
        assert_eq!(clipped, Some((TaskId(0), Instant::from_ns(110), Duration::from_ns(90))), "never let");
        outcome.witness.as_mut().unwrap().1 = 1;
        assert_eq!(outcome.trace_by_kernel(), None);
        outcome.witness = None;
        assert_eq!(outcome.trace_by_kernel(), None);
    }
}
