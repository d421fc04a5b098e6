//! Range over which a sum of demands falls at least as fast as m processors work, as an interval becomes shorter.
//!
//! A search goes down from one length of an interval to the next. Where the sum falls just as fast as what is allowed,
//! it would creep by one unit of time after the other. Over such a stretch one step does: a condition that holds at its
//! upper end holds on all of it.

use std::cmp::Reverse;

/// Demand of a task, and the number of units over which it falls as fast as the interval becomes shorter. Beyond that
/// range the demand falls more slowly or stays, but does not rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub amount: u64,
    pub falls_for: u64,
}

/// A task's demand without a job left over at the beginning of the interval, and with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Falling {
    pub least: Side,
    pub most: Side,
}

impl Falling {
    /// Returns the work that a carry-in job adds.
    fn more(&self) -> u64 {
        self.most.amount - self.least.amount
    }

    /// True if the work that a carry-in job adds falls.
    fn more_falls(&self) -> bool {
        self.most.falls_for > 0 && self.least.falls_for == 0
    }
}

/// Returns over how many units the sum of all demands falls by at least m for each unit; 0 if that is not known. The
/// sum includes the m - 1 largest carry-ins.
pub(super) fn falls_for(mut tasks: Vec<Falling>, processors: u64) -> u64 {
    tasks.sort_unstable_by_key(|task| (Reverse(task.more()), task.more_falls()));
    let carried = tasks.len().min(processors as usize - 1);
    let (with, without) = tasks.split_at(carried);
    // In place of a task whose demand falls, another one may carry in, which does not fall.
    let stays = without.iter().filter(|task| !task.more_falls()).map(Falling::more).max().unwrap_or(0);
    let falls = |task: &&Falling| task.more_falls() && task.more() > stays;
    let least = tasks.iter().filter(|task| task.least.falls_for > 0);
    let count = least.clone().count() + with.iter().filter(falls).count();
    if (count as u64) < processors {
        return 0;
    }
    let ends = least.map(|task| task.least.falls_for.min(task.most.falls_for));
    let ends = ends.chain(tasks.iter().filter(|task| task.more_falls()).map(|task| task.most.falls_for));
    let overtaken = with.iter().filter(falls).map(|task| task.more() - stays);
    ends.chain(overtaken).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum after the interval became shorter, if each side falls no further than it must.
    fn sum_after(tasks: &[Falling], processors: usize, shorter: u64) -> u64 {
        let now = |side: Side| side.amount - shorter.min(side.falls_for);
        let least: u64 = tasks.iter().map(|task| now(task.least)).sum();
        let mut more: Vec<u64> =
            tasks.iter().map(|task| now(task.most).saturating_sub(now(task.least))).collect();
        more.sort_unstable_by(|a, b| b.cmp(a));
        least + more.iter().take(processors - 1).sum::<u64>()
    }

    #[test]
    fn the_sum_falls_as_fast_as_is_said() {
        let mut seed = 5u64;
        let mut draw = |limit: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % limit
        };
        let (mut jumps, mut far) = (0, 0);
        for _ in 0..20_000 {
            let mut tasks = Vec::new();
            for _ in 0..1 + draw(7) {
                let (least, more) = (draw(4) * 5, draw(4) * 3);
                let most = Side { amount: least + more, falls_for: draw(2) * draw(least + more + 1) };
                let both = draw(3) == 0;
                let falls_for = if both { most.falls_for.min(least) } else { 0 };
                let most = if both { Side { falls_for, ..most } } else { most };
                tasks.push(Falling { least: Side { amount: least, falls_for }, most });
            }
            let processors = 1 + draw(4);
            let length = falls_for(tasks.clone(), processors);
            let before = sum_after(&tasks, processors as usize, 0);
            for shorter in 1..=length {
                let after = sum_after(&tasks, processors as usize, shorter);
                assert!(after + processors * shorter <= before, "{processors} {shorter} {tasks:?}");
            }
            jumps += u32::from(length > 0);
            far += u32::from(length > 2);
        }
        assert!(jumps > 1_000 && far > 200, "{jumps} {far}");
    }
}
