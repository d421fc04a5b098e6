//! Overheads of jobs that take locks: longer costs and longer critical sections.
//!
//! In the way of [`super::jlfp`] (B. Brandenburg, dissertation, Chapel Hill 2011, sections 3.4 and 7.5, has the same parts), with
//! those of table 1 of block-or-not-2008. Each outermost section takes, besides its length L,
//!
//! ```text
//! spinning:    L + acquire + release, without being preempted
//! suspending:  L + acquire + release + 2 (entry + exit) + scheduling + context switch + cache + ipi
//! section' =   that / (1 - u_0 - u_r) + c_pre
//! ```
//!
//! as a job that resumes as the holder must first be switched to and reload its working set. A job that spins may end
//! each section by a delayed preemption: leaving + entry + exit. A job that suspends itself comes back once for each section,
//! as after any self-suspension. Costs contain all of this once more, whoever waits.
//!
//! Assumes that sections nest only under group locks, where the outermost section alone takes a lock.

use super::jlfp::{inflate, Accounting, Inflation, Rates};
use crate::exact::Fraction;
use num_traits::ToPrimitive;
use schedlab_model::{Duration, OverheadKind, Step, Task, TaskId, Work};

/// What a job does while it waits for a lock, and what leaving a section without preemption costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locks {
    /// It spins; `leaving`: the delayed preemption at the end of a section.
    Spin {
        /// Besides entering and leaving the kernel.
        leaving: Duration,
    },
    /// It suspends itself.
    Suspend,
}

/// The tasks of one cluster with overheads and lock overheads accounted for. Programs keep their requests, with longer
/// sections; costs are as long as they have to be.
pub fn inflate_with_locks(tasks: &[Task], accounting: &Accounting<'_>, locks: Locks) -> Inflation<Vec<Task>> {
    let Some(rates) = Rates::new(tasks, accounting) else { return Inflation::InterruptOverload };
    let costs = Costs::new(tasks, accounting, locks);
    let mut longer = Vec::with_capacity(tasks.len());
    let mut programs = Vec::with_capacity(tasks.len());
    for (at, task) in tasks.iter().enumerate() {
        let lengthened = lengthen(&task.program, |length| costs.section(length, &rates));
        let Some((program, sections)) = lengthened else {
            return Inflation::TaskOverload(TaskId(at as u32));
        };
        let added = u128::from(sections) * costs.of_request();
        let Ok(wcet) = u64::try_from(u128::from(task.wcet.as_ns()) + added) else {
            return Inflation::TaskOverload(TaskId(at as u32));
        };
        let returns = if locks == Locks::Suspend { sections } else { 0 };
        let program_of_returns = vec![Step::Suspend(Duration::ZERO); returns as usize];
        longer.push(Task { wcet: Work::from_ns(wcet), program: program_of_returns, ..task.clone() });
        programs.push(program);
    }
    match inflate(&longer, accounting) {
        Inflation::Fits(mut inflated) => {
            inflated.iter_mut().zip(programs).for_each(|(task, program)| task.program = program);
            Inflation::Fits(inflated)
        }
        refused => refused,
    }
}

/// What a request costs, in nanoseconds.
struct Costs {
    /// While the lock is held.
    held: u128,
    /// After it.
    after: u128,
}

impl Costs {
    fn new(tasks: &[Task], accounting: &Accounting<'_>, locks: Locks) -> Self {
        let of = |kind| accounting.of(kind);
        let kernel = of(OverheadKind::SyscallEntry) + of(OverheadKind::SyscallExit);
        let lock = of(OverheadKind::LockAcquire) + of(OverheadKind::LockRelease);
        match locks {
            Locks::Spin { leaving } => Costs { held: lock, after: u128::from(leaving.as_ns()) + kernel },
            Locks::Suspend => {
                let cache = tasks.iter().map(|task| accounting.cache_of(task)).max().unwrap_or(0);
                let switch = of(OverheadKind::Scheduling) + of(OverheadKind::ContextSwitch);
                let back = switch + u128::from(cache) + of(OverheadKind::Ipi);
                Costs { held: lock + 2 * kernel + back, after: 0 }
            }
        }
    }

    fn of_request(&self) -> u128 {
        self.held + self.after
    }

    /// How long a section of this length takes at most once its job executes it.
    fn section(&self, length: u64, rates: &Rates) -> Option<u64> {
        let executed = Fraction::integer(u128::from(length) + self.held);
        executed.over(&rates.left).plus(&rates.met).ceiling().to_u64()
    }
}

/// The program with longer outermost sections, and how many of these there are; `None` if one is beyond all bounds.
fn lengthen(program: &[Step], longer: impl Fn(u64) -> Option<u64>) -> Option<(Vec<Step>, u64)> {
    let mut result = Vec::with_capacity(program.len());
    let (mut depth, mut sections, mut begin, mut length) = (0u32, 0, 0, 0u64);
    for &step in program {
        match step {
            Step::Request(..) => {
                if depth == 0 {
                    (sections, begin, length) = (sections + 1, result.len() + 1, 0);
                }
                depth += 1;
                result.push(step);
            }
            Step::Release(..) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let extra = longer(length)?.saturating_sub(length);
                    result.insert(begin, Step::Execute(Work::from_ns(extra)));
                }
                result.push(step);
            }
            Step::Execute(work) => {
                length = length.saturating_add(work.as_ns());
                result.push(step);
            }
            _ => result.push(step),
        }
    }
    Some((result, sections))
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Cost, OverheadSpec, Overheads, ResourceId, Statistic};

    const R: ResourceId = ResourceId(0);

    fn overheads() -> Overheads {
        let mut all = Overheads::default();
        for (kind, ns) in [
            (OverheadKind::Tick, 100),
            (OverheadKind::Scheduling, 30),
            (OverheadKind::ContextSwitch, 20),
            (OverheadKind::CacheRelatedPreemption, 7),
            (OverheadKind::LockAcquire, 5),
            (OverheadKind::LockRelease, 3),
            (OverheadKind::SyscallEntry, 2),
            (OverheadKind::SyscallExit, 1),
        ] {
            let cost = Cost::Constant(Duration::from_ns(ns));
            all.set(kind, OverheadSpec { max: cost.clone(), mean: cost });
        }
        all
    }

    fn one(locks: Locks) -> Task {
        let inner = ResourceId(1);
        let run = |ns| Step::Execute(Work::from_ns(ns));
        let program = vec![
            run(100),
            Step::Request(R, 1),
            run(10),
            Step::Request(inner, 1),
            run(30),
            Step::Release(inner, 1),
            Step::Release(R, 1),
            run(860),
        ];
        let task = Task { program, ..Task::implicit(Work::from_ns(1_000), Duration::from_ns(1_000_000)) };
        let overheads = overheads();
        let accounting = Accounting {
            overheads: &overheads,
            statistic: Statistic::Max,
            quantum: Duration::from_ns(1_000),
            processors: 1,
            machine_tasks: 1,
            release_latency: Duration::ZERO,
            dedicated_interrupts: false,
        };
        match inflate_with_locks(&[task], &accounting, locks) {
            Inflation::Fits(tasks) => tasks[0].clone(),
            other => panic!("{other:?}"),
        }
    }

    /// By hand: ticks take a tenth, so c_pre = 100 / 0.9; nothing is released, one task has nobody to reload.
    #[test]
    fn spinning_by_hand() {
        let task = one(Locks::Spin { leaving: Duration::from_ns(4) });
        // (1000 + 8 + 4 + 3 + 2 * 50) / 0.9 + 2 * 100 / 0.9
        assert_eq!(task.wcet.as_ns(), 1_462);
        // (40 + 8) / 0.9 + 100 / 0.9 = 164.4, of which 40 were there.
        assert_eq!(task.program[2], Step::Execute(Work::from_ns(165 - 40)));
        assert_eq!(task.program.iter().filter(|step| matches!(step, Step::Request(..))).count(), 2);
    }

    /// The same, where the job is switched to and reloads once more.
    #[test]
    fn suspending_by_hand() {
        let task = one(Locks::Suspend);
        // held = 8 + 2 * 3 + 50 + 7 = 71; (1000 + 71 + 2 * 2 * 50) / 0.9 + 2 * 2 * 100 / 0.9
        assert_eq!(task.wcet.as_ns(), 1_857);
        // (40 + 71) / 0.9 + 100 / 0.9 = 234.4
        assert_eq!(task.program[2], Step::Execute(Work::from_ns(235 - 40)));
    }
}
