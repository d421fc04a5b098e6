//! Bounds on the cost of sharing under Pfair scheduling: delays by zones, and lock-free retries.
//!
//! P. Holman and J. H. Anderson, "Adapting Pfair scheduling for symmetric multiprocessors", 2005, section IV. With
//! aligned quanta, a slot overlaps the M-1 slots of the other processors; with staggered ones 2(M-1) of them
//! (effect E2), and an event may come to light by (M-1)/M of a quantum later (effect E1). Costs here are added to
//! those of jobs before they are rounded up to quanta, and a bound is `None` where the published reasoning gives none.

mod lock_free;
mod zones;

pub use lock_free::{retry_cost, LockFreeObject};
pub use zones::zone_delay;

use schedlab_model::{Alignment, Duration, Platform, ResourceId, Step, Task, TaskId, Work};

/// The slots of a Pfair-scheduled machine, all processors in one cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PfairSlots {
    /// Number M of processors, at least 1.
    pub processors: u16,
    /// Length Q of a quantum, positive.
    pub quantum: Duration,
    /// Alignment of the slots of different processors.
    pub alignment: Alignment,
}

impl PfairSlots {
    /// The slots of `platform`.
    pub fn of(platform: &Platform) -> Self {
        let (quantum, alignment) = (platform.quantum, platform.alignment);
        PfairSlots { processors: platform.processors(), quantum, alignment }
    }

    /// Returns the most other tasks that may execute within one slot of a task: M-1 or 2(M-1) (effect E2).
    pub(crate) fn interferers(&self) -> usize {
        let others = usize::from(self.processors) - 1;
        match self.alignment {
            Alignment::Aligned => others,
            Alignment::Staggered => 2 * others,
        }
    }

    /// Sum of the largest values of `of_others`, as many as tasks may interfere within a slot.
    fn largest(&self, mut of_others: Vec<u64>) -> u64 {
        of_others.sort_unstable_by(|a, b| b.cmp(a));
        of_others.into_iter().take(self.interferers()).fold(0, u64::saturating_add)
    }
}

/// Sections of a task's program on one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sections {
    /// Number of sections in a job.
    count: u64,
    /// Length of the longest section.
    longest: u64,
}

/// The sections of `resource` in the program of `task`.
fn sections(task: &Task, resource: ResourceId) -> Sections {
    let (mut found, mut open) = (Sections::default(), None);
    for step in &task.program {
        match *step {
            Step::Request(other, _) if other == resource => open = Some(0_u64),
            Step::Execute(work) => open = open.map(|sum| sum.saturating_add(work.as_ns())),
            Step::Release(other, _) if other == resource => {
                found.count += 1;
                found.longest = found.longest.max(open.take().unwrap_or(0));
            }
            Step::Suspend(_)
            | Step::Request(..)
            | Step::Release(..)
            | Step::Serve(_)
            | Step::NpEnter
            | Step::NpExit => {}
        }
    }
    found
}

/// The sections of `resource` in every other task's program, in the order of tasks.
fn of_others(tasks: &[Task], but: TaskId, resource: ResourceId) -> impl Iterator<Item = (&Task, Sections)> {
    let others = tasks.iter().enumerate().filter(move |(index, _)| *index != but.index());
    others.map(move |(_, task)| (task, sections(task, resource))).filter(|(_, sections)| sections.count > 0)
}

/// Returns the WCET of each task with `extra` for each of its requests, which its weight has to cover. `None` if
/// `extra` has no bound.
pub fn inflated_costs(
    tasks: &[Task],
    mut extra: impl FnMut(TaskId, ResourceId) -> Option<Duration>,
) -> Option<Vec<Work>> {
    let mut cost = |(index, task): (usize, &Task)| {
        task.program.iter().try_fold(task.wcet.as_ns(), |sum, step| match step {
            Step::Request(resource, _) => sum.checked_add(extra(TaskId(index as u32), *resource)?.as_ns()),
            Step::Execute(_)
            | Step::Suspend(_)
            | Step::Release(..)
            | Step::Serve(_)
            | Step::NpEnter
            | Step::NpExit => Some(sum),
        })
    };
    tasks.iter().enumerate().map(|task| cost(task).map(Work::from_ns)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(processors: u16, alignment: Alignment) -> PfairSlots {
        PfairSlots { processors, quantum: Duration::from_ns(10), alignment }
    }

    /// Effect E2 of 2005, section IV, for M = 4: 3 or 6 slots overlap.
    #[test]
    fn staggering_doubles_the_interferers() {
        assert_eq!(slots(4, Alignment::Aligned).interferers(), 3);
        assert_eq!(slots(4, Alignment::Staggered).interferers(), 6);
        assert_eq!(slots(1, Alignment::Staggered).interferers(), 0);
    }

    #[test]
    fn only_as_many_as_may_interfere_count() {
        assert_eq!(slots(2, Alignment::Aligned).largest(vec![3, 7, 5]), 7);
        assert_eq!(slots(2, Alignment::Staggered).largest(vec![3, 7, 5]), 12);
        assert_eq!(slots(3, Alignment::Staggered).largest(vec![3, 7, 5]), 15);
    }
}
