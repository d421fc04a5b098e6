//! Bound on the retries of a lock-free operation under Pfair scheduling.
//!
//! P. Holman and J. H. Anderson, "Object sharing in Pfair-scheduled multiprocessor systems", ECRTS 2002; "Adapting
//! Pfair scheduling for symmetric multiprocessors", 2005, section IV.C: an attempt fails only if another operation
//! succeeds meanwhile, and within one slot of a task M-1 (staggered 2(M-1)) others may execute. Let I be the most
//! commits of that many others within one slot, and c the length of an attempt.
//!
//! * Attempts within one slot are apart, and each that fails contains a change of the object. An operation makes f
//!   changes at most: one, its commit, where all is one compare-and-swap, as there; else as
//!   [`schedlab_model::ObjectKind::fails`] says. A task that does not execute may stand within an operation, of which
//!   others make the f - 1 changes that are left. So at most f I + f - 1 fail.
//! * An attempt may stand across two slots, with those within it, such as one to get a node: at most f, which
//!   fail at most once for all that happens between.
//! * If (f I + 2 f) c <= Q, the operation is done in the second slot at the latest: after the attempts that began in
//!   the first, at most f I + f - 1 fail there and one succeeds.
//!
//! So an operation is done again at most 2 (f I + f - 1) + f times, with f = 1 at most 2I + 1. A task commits in a slot
//! of length Q as often as its jobs that may execute within it say: their arrivals are at least T apart and at most Q +
//! D + Q before the slot's end, if every job is complete at most one quantum after its absolute deadline, as Pfair
//! scheduling guarantees for weights that cover the retries.
//!
//! Assumptions: a Pfair scheduler, all processors in one cluster; no overheads; operations do not nest; arrivals at
//! least a period apart, without jitter; tardiness of at most one quantum.

use super::{of_others, sections, PfairSlots};
use schedlab_model::{Duration, ResourceId, Task, TaskId};

/// Parts of the bound on an operation's retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockFreeObject {
    /// I: the most commits of others within one slot of the task.
    pub commits: u64,
    /// c: the longest attempt of the task.
    pub attempt: Duration,
    /// f: the most attempts of another task that one operation makes fail.
    pub fails: u64,
    /// True if other tasks use the object at all.
    pub shared: bool,
}

impl LockFreeObject {
    /// Parts of the bound for an operation of `task` on `resource`, of which one operation makes `fails` attempts of
    /// another fail.
    pub fn of(slots: &PfairSlots, tasks: &[Task], task: TaskId, resource: ResourceId, fails: u32) -> Self {
        let commits: Vec<u64> = of_others(tasks, task, resource)
            .map(|(other, sections)| sections.count.saturating_mul(jobs_in_slot(slots, other)))
            .collect();
        let shared = !commits.is_empty();
        let attempt = Duration::from_ns(sections(&tasks[task.index()], resource).longest);
        LockFreeObject { commits: slots.largest(commits), attempt, fails: fails.into(), shared }
    }

    /// Returns the most retries of one operation; `None` if it may take more than two slots.
    pub fn retries(&self, slots: &PfairSlots) -> Option<u64> {
        if !self.shared {
            return Some(0);
        }
        // Within a slot.
        let failed = self.fails.checked_mul(self.commits)?.checked_add(self.fails - 1)?;
        let attempts = failed.checked_add(self.fails)?.checked_add(1)?;
        let needed = attempts.checked_mul(self.attempt.as_ns())?;
        if needed > slots.quantum.as_ns() {
            return None;
        }
        failed.checked_mul(2)?.checked_add(self.fails)
    }
}

/// Returns the most jobs of `task` that may execute within an interval as long as a slot.
fn jobs_in_slot(slots: &PfairSlots, task: &Task) -> u64 {
    let quantum = slots.quantum.as_ns();
    let reach = task.relative_deadline.as_ns().saturating_add(quantum).saturating_add(quantum);
    reach / task.period.as_ns() + 1
}

/// The longest that the failed attempts of one operation of `task` on `resource` take in all, where one operation makes
/// `fails` attempts of another fail; `None` if no bound is known.
pub fn retry_cost(
    slots: &PfairSlots,
    tasks: &[Task],
    task: TaskId,
    resource: ResourceId,
    fails: u32,
) -> Option<Duration> {
    let object = LockFreeObject::of(slots, tasks, task, resource, fails);
    let cost = object.retries(slots)?.checked_mul(object.attempt.as_ns())?;
    Some(Duration::from_ns(cost))
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Alignment, Step, Work};

    const R: ResourceId = ResourceId(0);

    fn user(operations: usize, length: u64, period: u64) -> Task {
        let one = [Step::Request(R, 1), Step::Execute(Work::from_ns(length)), Step::Release(R, 1)];
        Task {
            program: one.repeat(operations),
            ..Task::implicit(Work::from_ns(9), Duration::from_ns(period))
        }
    }

    fn object(alignment: Alignment, tasks: &[Task]) -> (u64, Option<u64>) {
        let slots = PfairSlots { processors: 2, quantum: Duration::from_ns(1_000), alignment };
        let object = LockFreeObject::of(&slots, tasks, TaskId(0), R, 1);
        (object.commits, object.retries(&slots))
    }

    /// Three changes instead of one: with I = 2, 3 * 2 + 2 fail in each of two slots and three between, if the second
    /// slot has room for 12.
    #[test]
    fn operations_that_change_several_words() {
        let slots =
            PfairSlots { processors: 2, quantum: Duration::from_ns(1_200), alignment: Alignment::Aligned };
        let retries = |length| {
            let tasks = [user(1, length, 10_000), user(1, 10, 10_000)];
            LockFreeObject::of(&slots, &tasks, TaskId(0), R, 3).retries(&slots)
        };
        assert_eq!((retries(100), retries(101)), (Some(19), None));
    }

    /// By hand: with Q = 1000 and T = D = 10000, jobs that arrive within 12000 may execute in a slot, so two do.
    #[test]
    fn by_hand() {
        let tasks = [user(1, 100, 10_000), user(1, 10, 10_000), user(2, 10, 10_000)];
        assert_eq!(object(Alignment::Aligned, &tasks), (4, Some(9)));
        assert_eq!(object(Alignment::Staggered, &tasks), (6, Some(13)));
        let slots =
            PfairSlots { processors: 2, quantum: Duration::from_ns(1_000), alignment: Alignment::Aligned };
        assert_eq!(retry_cost(&slots, &tasks, TaskId(0), R, 1), Some(Duration::from_ns(900)));
    }

    /// (I + 2) c <= Q exactly, and one nanosecond more.
    #[test]
    fn what_may_take_a_third_slot_has_no_bound() {
        assert_eq!(object(Alignment::Aligned, &[user(1, 250, 10_000), user(1, 10, 10_000)]).1, Some(5));
        assert_eq!(object(Alignment::Aligned, &[user(1, 251, 10_000), user(1, 10, 10_000)]).1, None);
        assert_eq!(object(Alignment::Aligned, &[user(1, 5_000, 10_000), user(0, 10, 10_000)]), (0, Some(0)));
    }
}
