//! Bound on the wait of a request under zone-based locking.
//!
//! P. Holman and J. H. Anderson, "Adapting Pfair scheduling for symmetric multiprocessors", 2005, section IV.D: within
//! one of its slots, a task is blocked at most once by each of the M-1 (staggered 2(M-1)) others that may execute then.
//! With S the sum of that many longest sections of others, and B the zone, which is the longest section of any task:
//!
//! * A request that is made S + B or more before its slot ends is granted within the slot, after S at most: outside of
//!   its zone a job waits only while someone before it holds the resource.
//! * Any other waits less than S + B until the slot ends. If S + B <= Q, it is granted in the job's next slot, after
//!   S at most, since it is made (or made anew) when that slot begins.
//!
//! So a request waits less than 2S + B on its processor, in which no other job can use the rest of its quantum. The
//! bound holds whether waiters are skipped or rolled back. Time without a processor is not part of it, because the
//! windows bound that.
//!
//! Assumptions: a Pfair scheduler, all processors in one cluster; no overheads (or sections that include them);
//! programs as the tasks give them; sections do not nest.

use super::{of_others, sections, PfairSlots};
use schedlab_model::{Duration, ResourceId, Task, TaskId};

/// Returns the longest time for which a request for `resource` by `task` keeps a processor busy in vain; `None` if no
/// bound is known, because the sections that may go before it do not fit into one slot with its own.
pub fn zone_delay(
    slots: &PfairSlots,
    tasks: &[Task],
    task: TaskId,
    resource: ResourceId,
) -> Option<Duration> {
    let others: Vec<u64> = of_others(tasks, task, resource).map(|(_, sections)| sections.longest).collect();
    let own = sections(&tasks[task.index()], resource).longest;
    let zone = others.iter().copied().fold(own, u64::max);
    let others = slots.largest(others);
    if others.checked_add(zone)? > slots.quantum.as_ns() {
        return None;
    }
    let limit = others.checked_mul(2)?.checked_add(zone)?;
    Some(Duration::from_ns(limit.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Alignment, Step, Work};

    const R: ResourceId = ResourceId(0);

    fn user(section: u64) -> Task {
        let program = vec![Step::Request(R, 1), Step::Execute(Work::from_ns(section)), Step::Release(R, 1)];
        Task { program, ..Task::implicit(Work::from_ns(section), Duration::from_ns(900)) }
    }

    fn delay(alignment: Alignment, sections: &[u64], task: u32) -> Option<u64> {
        let slots = PfairSlots { processors: 2, quantum: Duration::from_ns(10), alignment };
        let tasks: Vec<Task> = sections.iter().map(|&section| user(section)).collect();
        zone_delay(&slots, &tasks, TaskId(task), R).map(Duration::as_ns)
    }

    /// By hand, for M = 2: the longest other section once aligned, the two longest staggered.
    #[test]
    fn by_hand() {
        assert_eq!(delay(Alignment::Aligned, &[2, 3, 1], 0), Some(2 * 3 + 3 - 1));
        assert_eq!(delay(Alignment::Aligned, &[2, 3, 1], 1), Some(2 * 2 + 3 - 1));
        assert_eq!(delay(Alignment::Staggered, &[2, 3, 1], 0), Some(2 * 4 + 3 - 1));
        // Alone, only the zone delays.
        assert_eq!(delay(Alignment::Aligned, &[4], 0), Some(3));
        assert_eq!(delay(Alignment::Aligned, &[0], 0), Some(0));
    }

    /// Sections that fill the slot exactly are bounded; one more nanosecond may starve.
    #[test]
    fn what_does_not_fit_into_a_slot_has_no_bound() {
        assert_eq!(delay(Alignment::Aligned, &[2, 5], 0), Some(14));
        assert_eq!(delay(Alignment::Aligned, &[2, 6], 0), None);
        assert_eq!(delay(Alignment::Staggered, &[2, 4, 2], 0), Some(15));
        assert_eq!(delay(Alignment::Staggered, &[2, 4, 3], 0), None);
    }
}
