//! The kernel trace of a run: the decisions, and the kernel's own context switches as dispatches and preemptions.
//!
//! A job executes from when its decision lets it and the kernel runs its thread there, until the kernel takes the
//! thread away or the job gives its processor up. A thread that goes on after a decision to stop it goes on executing
//! its job, however long. What the kernel runs of a thread before and after is the runtime's own code, on its way to
//! its gate: it is clipped, and the longest such stretch is the measuring error. One that is too long to be that counts
//! in [`Agreement`](crate::Agreement), which judges all that a thread ran without a decision.

use crate::trace::real_run::RealRun;
use crate::trace::spans::{after, decided, is_dispatch, of_task, ran, stretches, Span, Stretch};
use schedlab_model::{Duration, Instant, JobId, TaskId};
use schedlab_trace::{about, Record};

/// A run as the kernel saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelTrace {
    /// The decisions, with dispatches and preemptions where the kernel switched to and from the jobs' threads, by time.
    /// A thread that another one interrupts is preempted, too, although no decision says so.
    pub records: Vec<(Instant, Record)>,
    /// The longest time for which a thread of a task ran and none of its jobs executed.
    pub clipped: Option<(TaskId, Instant, Duration)>,
}

/// The time from a job's first dispatch, or its first after it was suspended, until it gives its processor up.
#[derive(Clone, Copy)]
struct Tenure {
    job: JobId,
    from: Instant,
    to: Instant,
}

impl RealRun {
    /// Returns the run as the kernel saw it; `None` if the kernel was not asked, or if switches are missing.
    pub fn kernel_trace(&self) -> Option<KernelTrace> {
        if !self.knows_all_switches() {
            return None;
        }
        let is_said = |(_, record): &&(Instant, Record)| {
            !matches!(record, Record::Dispatch { .. } | Record::Preempt { .. })
        };
        let mut found =
            KernelTrace { records: self.decisions.iter().filter(is_said).copied().collect(), clipped: None };
        let (decided, ran, tenures) = (decided(self), ran(self), self.tenures());
        for task in self.task_ids() {
            let decided = of_task(&decided, task);
            let tenures: Vec<Tenure> =
                tenures.iter().filter(|tenure| tenure.job.task == task).copied().collect();
            for run in of_task(&ran, task) {
                found.add(&run, &decided, &tenures);
            }
        }
        // What is decided at an instant is before what it makes true; a processor is left before another thread comes.
        found.records.sort_by_key(|(at, record)| match record {
            Record::Preempt { .. } => (*at, 1),
            Record::Dispatch { .. } => (*at, 2),
            Record::End => (*at, 3),
            about![
                Link, Suspend, Resume, Move, Lost, Run, lives, urgencies, requests, attempts, quanta,
                overheads, servers, tasks
            ] => (*at, 0),
        });
        Some(found)
    }

    /// Returns the intervals in which jobs may have executed their own code, by time for each task.
    fn tenures(&self) -> Vec<Tenure> {
        let ends = |record: &Record| matches!(record, about![Complete, Suspend, Abort]);
        let tenure = |(job, _, (from, to)): Stretch<'_>| Tenure { job, from, to };
        stretches(self, is_dispatch, ends).into_iter().map(tenure).collect()
    }
}

impl KernelTrace {
    /// Adds what the kernel's span `run` shows of a task's thread. `decided` and `tenures` are the task's.
    fn add(&mut self, run: &Span, decided: &[Span], tenures: &[Tenure]) {
        let cpu = run.cpu;
        let mut clipped_from = run.from;
        let clipped = &mut self.clipped;
        let mut clip = |from: Instant, to: Instant| {
            let length = to.saturating_since(from);
            let longest = clipped.map_or(Duration::ZERO, |(_, _, longest)| longest);
            if length > longest {
                *clipped = Some((run.task, from, length));
            }
        };
        let first = tenures.partition_point(|tenure| tenure.to <= run.from);
        for tenure in tenures[first..].iter().take_while(|tenure| tenure.from < run.to) {
            let (from, to) = (run.from.max(tenure.from), run.to.min(tenure.to));
            let mut let_it = decided[after(decided, from)..].iter().take_while(|span| span.from < to);
            let Some(span) = let_it.find(|span| span.cpu == cpu) else { continue };
            let from = from.max(span.from);
            clip(clipped_from, from);
            self.records.push((from, Record::Dispatch { cpu, job: tenure.job }));
            if to < tenure.to {
                self.records.push((to, Record::Preempt { cpu, job: tenure.job }));
            }
            clipped_from = to;
        }
        clip(clipped_from, run.to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::two_tasks;
    use crate::Agreement;
    use schedlab_model::CpuId;

    const ONE: JobId = JobId { task: TaskId(0), number: 0 };
    const NEXT: JobId = JobId { task: TaskId(0), number: 1 };
    const TWO: JobId = JobId { task: TaskId(1), number: 0 };

    fn dispatch(cpu: u16, job: JobId) -> Record {
        Record::Dispatch { cpu: CpuId(cpu), job }
    }

    fn preempt(cpu: u16, job: JobId) -> Record {
        Record::Preempt { cpu: CpuId(cpu), job }
    }

    fn records(run: &RealRun) -> Vec<(u64, Record)> {
        let found = run.kernel_trace().unwrap();
        found.records.iter().map(|(at, record)| (at.as_ns(), *record)).collect()
    }

    /// The thread waits at its gate from 90 on, is interrupted from 130 to 140, goes on until 208 although it is to
    /// stop at 200, is moved, and goes on to its gate for 12 after its job is complete: there it is let through at 330
    /// with its next job.
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
            (90, 0, 0, true),
            (130, 0, 0, false),
            (140, 0, 0, true),
            (208, 0, 0, false),
            (215, 0, 1, true),
            (400, 0, 1, false),
        ];
        let run = two_tasks(&decisions, &switches);
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
        assert_eq!(records(&run), expected);
        let clipped = run.kernel_trace().unwrap().clipped;
        assert_eq!(clipped, Some((TaskId(0), Instant::from_ns(318), Duration::from_ns(12))));
    }

    /// One gives up its processor at the instant at which the other is let there, who has been waiting since 150; it
    /// comes back where no decision let it, and that is not its job's until it is let there again.
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
            (110, 0, 0, true),
            (190, 0, 0, false),
            (190, 1, 0, true),
            (255, 1, 0, false),
            (256, 0, 0, true),
            (264, 0, 0, false),
            (265, 0, 1, true),
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
        assert_eq!(records(&two_tasks(&decisions, &switches)), expected);
    }

    /// The second leaves at the instant at which the first comes back; that one is on its way again at 215, before it
    /// is let at 220, and goes on for 10 after it is suspended.
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
        let mut switches: Vec<_> = first.map(|(at, to)| (at, 0, 0, to)).to_vec();
        switches.extend([(160, 1, 0, true), (185, 1, 0, false)]);
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
        assert_eq!(records(&two_tasks(&decisions, &switches)), expected);
    }

    /// The kernel contradicts: one thread is on two processors, which the trace shows. (No kernel does that; its
    /// records may be wrong.)
    #[test]
    fn a_thread_on_two_processors_is_shown() {
        let decisions = [
            (100, dispatch(0, ONE)),
            (150, preempt(0, ONE)),
            (150, dispatch(1, ONE)),
            (300, Record::Complete { job: ONE }),
            (300, Record::End),
        ];
        let switches = [(110, 0, 0, true), (160, 0, 1, true), (200, 0, 0, false), (300, 0, 1, false)];
        let run = two_tasks(&decisions, &switches);
        let expected = [(110, dispatch(0, ONE)), (160, dispatch(1, ONE)), (200, preempt(0, ONE))];
        assert_eq!(records(&run)[..3], expected);
        assert_eq!(Agreement::of(&run).unwrap().on_two, 1);
    }

    #[test]
    fn where_switches_are_missing_nothing_is_said() {
        let mut run = two_tasks(&[(300, Record::End)], &[(110, 0, 0, true), (200, 0, 0, false)]);
        let clipped = run.kernel_trace().unwrap().clipped;
        assert_eq!(clipped, Some((TaskId(0), Instant::from_ns(110), Duration::from_ns(90))), "never let");
        run.switches.as_mut().unwrap().missing = 1;
        assert_eq!(run.kernel_trace(), None);
        run.switches = None;
        assert_eq!(run.kernel_trace(), None);
    }
}
