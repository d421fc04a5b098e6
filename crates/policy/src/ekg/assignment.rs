//! The off-line part of EKG: which tasks are whole on a processor, and which are split between two?

use crate::grid::{gcd, Periodic, Rates};
use alloc::vec;
use alloc::vec::Vec;

/// A split task on one of its two processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitPart {
    /// Index of the task.
    pub task: u32,
    /// Utilization of the processor that the task has, in parts of [`Assignment::one`].
    pub part: u128,
}

/// Tasks of a processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    /// Tasks that execute on no other processor.
    pub whole: Vec<u32>,
    /// The task that is split between the processor before and this one.
    pub before: Option<SplitPart>,
    /// The task that is split between this processor and the next one.
    pub after: Option<SplitPart>,
}

/// An assignment of tasks to processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Number of parts of a whole processor.
    pub one: u128,
    /// The processors: those of heavy tasks, then the groups.
    pub processors: Vec<Processor>,
    /// Numbers of processors of the groups, in order; a heavy task's processor is a group.
    pub groups: Vec<usize>,
}

/// Reason why there is no assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unassigned {
    /// Index of the first task that fits on no processor.
    pub task: u32,
    /// True if all tasks fit before utilizations are rounded up.
    pub is_rounded: bool,
}

/// Assigns tasks, given by cost and period in nanoseconds, to `processors` in groups of `k`, at least 1. No cost is
/// above its period.
pub fn assign(pairs: &[(u64, u64)], processors: usize, k: usize) -> Result<Assignment, Unassigned> {
    let tasks = Periodic { members: Vec::new(), pairs: pairs.to_vec() };
    let refused = |is_rounded| move |task| Unassigned { task, is_rounded };
    let exact = tasks.exact().map(|rates| fill(&rates, processors, k));
    match exact {
        Some(Ok(exact)) if is_whole(&exact, pairs) => return Ok(exact),
        Some(Err(task)) => return Err(refused(false)(task)),
        Some(Ok(_)) | None => {}
    }
    fill(&tasks.rounded(), processors, k).map_err(refused(true))
}

/// Fills the processors one after the other. `Err` is the first task that does not fit.
fn fill(rates: &Rates, processors: usize, k: usize) -> Result<Assignment, u32> {
    let Rates { one, rates } = rates;
    let is_heavy = |rate: u128| k < processors && rate * (k as u128 + 1) > one * k as u128;
    let mut filled =
        Assignment { one: *one, processors: vec![Processor::default(); processors], groups: vec![] };
    let (mut at, mut used) = (0, 0);
    for (task, _) in (0..).zip(rates).filter(|(_, rate)| is_heavy(**rate)) {
        filled.processors.get_mut(at).ok_or(task)?.whole.push(task);
        filled.groups.push(1);
        at += 1;
    }
    let first = at;
    for (task, &rate) in (0..).zip(rates).filter(|(_, rate)| !is_heavy(**rate)) {
        let here = filled.processors.get_mut(at).ok_or(task)?;
        let room = one - used;
        if rate <= room {
            here.whole.push(task);
            used += rate;
        } else {
            let ends_group = (at + 1 - first) % k == 0;
            if !ends_group {
                here.after = Some(SplitPart { task, part: room });
            }
            at += 1;
            let next = filled.processors.get_mut(at).ok_or(task)?;
            if ends_group {
                next.whole.push(task);
                used = rate;
            } else {
                used = rate - room;
                next.before = Some(SplitPart { task, part: used });
            }
        }
        if used == *one {
            (at, used) = (at + 1, 0);
        }
    }
    let mut left = processors - first;
    while left > 0 {
        filled.groups.push(left.min(k));
        left -= left.min(k);
    }
    Ok(filled)
}

/// True if each split task has whole nanoseconds of any slice of its group.
fn is_whole(assignment: &Assignment, pairs: &[(u64, u64)]) -> bool {
    let mut rest = &assignment.processors[..];
    assignment.groups.iter().all(|&count| {
        let (group, others) = rest.split_at(count);
        rest = others;
        let divisor = members(group).fold(0, |all, task| gcd(all, pairs[task as usize].1.into()));
        let shares = group.iter().flat_map(|processor| [processor.before, processor.after]).flatten();
        shares.into_iter().all(|share| share.part * divisor % assignment.one == 0)
    })
}

/// The tasks of a group; a split one is there twice.
pub(super) fn members(group: &[Processor]) -> impl Iterator<Item = u32> + '_ {
    group.iter().flat_map(|processor| {
        let split = [processor.before, processor.after].into_iter().flatten().map(|share| share.task);
        processor.whole.iter().copied().chain(split)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(tasks: &[u32]) -> Processor {
        Processor { whole: tasks.to_vec(), ..Processor::default() }
    }

    #[test]
    fn tasks_fill_processors_one_after_the_other() {
        let found = assign(&[(2, 4), (6, 8), (6, 8)], 2, 2).unwrap();
        let share = |part| Some(SplitPart { task: 1, part });
        assert_eq!((found.one, &found.groups[..]), (8, &[2][..]));
        assert_eq!(found.processors[0], Processor { after: share(4), ..whole(&[0]) });
        assert_eq!(found.processors[1], Processor { before: share(2), ..whole(&[2]) });
    }

    /// With k = 1 nothing is split: from above 1/2 on a task has a processor of its own, others go next fit.
    #[test]
    fn groups_of_one_are_a_partition() {
        let found = assign(&[(4, 10), (6, 10), (4, 10), (3, 10)], 3, 1).unwrap();
        assert_eq!(found.groups, [1, 1, 1]);
        assert_eq!(found.processors, [whole(&[1]), whole(&[0, 2]), whole(&[3])]);
    }

    /// No task is split between groups of two, so that the fifth of five tasks of 66 % does not fit on three
    /// processors, while four do; with k = 3 all of utilization 3 fit.
    #[test]
    fn no_task_is_split_between_groups() {
        let tasks = [(66, 100); 5];
        assert_eq!(assign(&tasks, 3, 2), Err(Unassigned { task: 4, is_rounded: false }));
        let four = assign(&tasks[..4], 3, 2).unwrap();
        assert_eq!(four.groups, [2, 1]);
        assert_eq!(four.processors[2], whole(&[3]));
        let full = [(66, 100), (66, 100), (66, 100), (66, 100), (36, 100)];
        assert!(assign(&full, 3, 3).is_ok());
    }

    /// The bound m k/(k+1) for all k, by tasks of random utilizations whose sum is just below it.
    #[test]
    fn all_up_to_the_bound_are_taken() {
        let mut state = 11u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for round in 0..4_000u64 {
            let processors = 1 + round % 6;
            let k = 1 + below(processors);
            let bound = if k == processors { processors * 1_000 } else { processors * 1_000 * k / (k + 1) };
            let (mut left, mut tasks) = (bound, Vec::new());
            while left > 0 {
                let rate = (1 + below(1_000)).min(left);
                tasks.push((rate, 1_000));
                left -= rate;
            }
            assert!(assign(&tasks, processors as usize, k as usize).is_ok(), "{tasks:?}, {processors}, {k}");
        }
    }
}
