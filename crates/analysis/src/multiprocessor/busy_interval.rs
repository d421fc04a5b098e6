//! The search for a critical interval that Baruah's test and Liu and Anderson's share.
//!
//! Let a job of task k miss its deadline, the first one to do so in the order of priority, and look at the interval of
//! length t from the last instant before its arrival at which not all processors executed jobs of that priority or
//! higher, to its deadline; t >= D_k. Task k itself executed for less than C_k since its arrival and suspended itself
//! for at most S_k, so others kept all m processors busy for at least x = t - C_k - S_k + 1 units. Of task i they
//! executed
//!
//! ```text
//! without a job left over at the beginning  DBF_i(t)  = (floor((t - D_i) / T_i) + 1) C_i, 0 if t < D_i
//! with one                                  DBF'_i(t) = floor(t / T_i) C_i + min(C_i, t mod T_i)
//! ```
//!
//! at most, since all of these are due by the end and in time; at most x in any case; and of task k itself C_k less, at
//! most t - D_k. Just before the interval some processor was free of such jobs, so that at most m - 1 tasks were
//! executing, and only these, or tasks that suspended themselves, have a job left over. The condition is that the sum,
//! with the worst m - 1 tasks (and all that may suspend themselves) left over, is at most m (x - 1) for every t and k:
//! whole numbers, so a sum above m (x - 1) but below m x would do no harm either, but the published tests are stated
//! thus.
//!
//! **Search.** The sum grows with t. So if it is v at t for task k, the condition holds for k from (v / m) + C_k + S_k
//! up to t, and the search goes on below, from the largest t that any task leaves (as Zhang and Burns' QPA does on one
//! processor). It begins where the sum, at most t U + constants, must be small enough, and decides for all t, not only
//! those where DBF changes: between these the sum can grow faster than m t, if several tasks are capped at x. Without
//! the caps the sum is the same for all k but for C_k; only where that is too large are the caps looked at.

use super::carry_in::sum_of_largest;
use super::falling::{falls_for, Falling, Side};
use super::tasks::{Failure, Finding, GlobalTask, LARGEST_SUM};
use crate::budget::Budget;
use crate::exact::{compare_sum, filter, Pair};

/// One task in a busy interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contender {
    pub task: GlobalTask,
    /// Longest time for which a job does not execute though no other job prevents it.
    pub suspension: u64,
}

/// Reading of the condition. Only one reading is proved. Other tools use the others, which exist here for comparison
/// (docs/peers.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Units beyond t - C_k - S_k up to which another task counts.
    beyond: u64,
    /// True if only lengths are examined at which the DBF of some task changes.
    only_changes: bool,
}

impl Reading {
    /// Reading of the condition that is proved in this module.
    const PROVED: Reading = Reading { beyond: 1, only_changes: false };
    /// The published cap, for intervals at whose length the demand of some task changes.
    pub const PUBLISHED: Reading = Reading { beyond: 0, only_changes: true };
    /// SchedCAT's reading: the corrected cap, for intervals at whose length the demand of some task changes. SchedCAT
    /// reads Liu and Anderson's condition in this way, too.
    pub const OF_SCHEDCAT: Reading = Reading { beyond: 1, only_changes: true };
}

/// Returns whether the condition holds for every task.
pub(super) fn find(contenders: &[Contender], processors: u64, budget: &mut Budget) -> Finding {
    find_as(Reading::PROVED, contenders, processors, budget)
}

/// Returns whether the condition holds for every task under the given reading.
pub(super) fn find_as(
    reading: Reading,
    contenders: &[Contender],
    processors: u64,
    budget: &mut Budget,
) -> Finding {
    let Some(start) = start(contenders, processors) else { return Finding::Spent };
    let mut by_deadline: Vec<usize> = (0..contenders.len()).collect();
    by_deadline.sort_by_key(|&index| contenders[index].task.relative_deadline);
    let mut search = Search {
        contenders,
        processors,
        reading,
        by_deadline,
        demand: vec![Demand::default(); contenders.len()],
        more: Vec::with_capacity(contenders.len()),
    };
    let mut longest = start;
    loop {
        let Some(length) = search.longest_upto(longest) else { return Finding::Holds };
        if !budget.spend(contenders.len()) {
            return Finding::Spent;
        }
        match search.step(length, budget) {
            Step::Fails(failure) => return Finding::Fails(failure),
            Step::Holds => return Finding::Holds,
            Step::Spent => return Finding::Spent,
            Step::Below(next) => longest = next,
        }
    }
}

/// Returns a length beyond which no interval is critical, or `None` if no such length can be computed.
fn start(contenders: &[Contender], processors: u64) -> Option<u64> {
    let utilizations: Vec<Pair> = contenders.iter().map(|c| (c.task.cost, c.task.period)).collect();
    if compare_sum(&utilizations, processors).is_ge() {
        return None;
    }
    let (mut load, mut constant, mut longest) = (0.0, 0.0, 0.0f64);
    let mut costs = Vec::with_capacity(contenders.len());
    for Contender { task, suspension } in contenders {
        let utilization = filter::quotient((task.cost, task.period));
        load += utilization;
        constant += utilization * (task.period - task.relative_deadline) as f64;
        longest = longest.max((task.cost + suspension) as f64);
        match suspension {
            0 => costs.push(task.cost),
            _ => constant += task.cost as f64,
        }
    }
    constant += sum_of_largest(&mut costs, processors as usize - 1) as f64;
    let processors = processors as f64;
    let spare = processors - load - 2.0 * processors * filter::relative_error(contenders.len());
    let start = (constant + processors * longest) / spare * (1.0 + 1e-9) + 1.0;
    let most = LARGEST_SUM as f64 / (contenders.len() as f64 + processors + 1.0);
    (spare > 0.0 && start < most).then_some(start as u64)
}

/// Most work that one task executes in the present interval.
#[derive(Clone, Copy, Default)]
struct Demand {
    /// Work without a carry-in job, unless the task suspends itself: then always with one.
    least: u64,
    /// Work with a carry-in job.
    most: u64,
}

struct Search<'a> {
    contenders: &'a [Contender],
    processors: u64,
    reading: Reading,
    /// Places by rising relative deadline.
    by_deadline: Vec<usize>,
    demand: Vec<Demand>,
    more: Vec<u64>,
}

/// Binary logarithm that defines slow steps: a step is slow if it shortens the interval by at most 2^-SLOW of its
/// length.
const SLOW: u32 = 10;

enum Step {
    Fails(Failure),
    Holds,
    Spent,
    /// No interval above this length is critical.
    Below(u64),
}

impl Search<'_> {
    /// The longest length to examine among those no longer than `length`.
    fn longest_upto(&self, length: u64) -> Option<u64> {
        if !self.reading.only_changes {
            return Some(length);
        }
        let last_change = |contender: &Contender| {
            let task = &contender.task;
            Some(length - length.checked_sub(task.relative_deadline)? % task.period)
        };
        self.contenders.iter().filter_map(last_change).max()
    }

    fn step(&mut self, length: u64, budget: &mut Budget) -> Step {
        let sum = self.measure(length);
        let (mut next, mut uncapped) = (None, None);
        for place in 0..self.by_deadline.len() {
            let k = self.by_deadline[place];
            let own = &self.contenders[k].task;
            if own.relative_deadline > length {
                break;
            }
            let (mut below, mut capped_for) = (self.below(k, sum - own.cost), None);
            if below >= length {
                if !budget.spend(self.contenders.len()) {
                    return Step::Spent;
                }
                let capped = self.capped(k, length);
                below = self.below(k, capped);
                capped_for = Some(k);
                if below >= length {
                    let waits = length - own.cost - self.contenders[k].suspension;
                    let (demand, room) = (capped.into(), u128::from(self.processors) * u128::from(waits));
                    return Step::Fails(Failure::Room { task: k, within: length, demand, room });
                }
            }
            if below >= own.relative_deadline && length - below <= length >> SLOW {
                let falls = || falls_for(self.falling(capped_for, length), self.processors);
                below = below.min(
                    length - capped_for.map_or_else(|| *uncapped.get_or_insert_with(falls), |_| falls()),
                );
            }
            if below >= own.relative_deadline {
                next = next.max(Some(below));
            }
        }
        next.map_or(Step::Holds, Step::Below)
    }

    /// The longest interval in which `sum` is above what the condition allows for task k; 0 if there is none.
    fn below(&self, k: usize, sum: u64) -> u64 {
        let own = &self.contenders[k];
        match sum {
            0 => 0,
            _ => own.task.cost + own.suspension + (sum - 1) / self.processors,
        }
    }

    /// Fills in all demands; gives their sum with the worst tasks carrying in.
    fn measure(&mut self, length: u64) -> u64 {
        let mut sum = 0;
        self.more.clear();
        for (demand, contender) in self.demand.iter_mut().zip(self.contenders) {
            let task = &contender.task;
            let (jobs, rest) = (length / task.period, length % task.period);
            let most = jobs * task.cost + rest.min(task.cost);
            let least = match contender.suspension {
                0 if rest < task.relative_deadline => jobs * task.cost,
                _ => most,
            };
            *demand = Demand { least, most };
            sum += least;
            if most > least {
                self.more.push(most - least);
            }
        }
        sum + sum_of_largest(&mut self.more, self.processors as usize - 1)
    }

    /// Returns how each task's demand falls as the interval becomes shorter than `length`: as task k sees it, or
    /// without caps.
    fn falling(&self, k: Option<usize>, length: u64) -> Vec<Falling> {
        let of = |(i, (contender, demand)): (usize, (&Contender, &Demand))| {
            let task = &contender.task;
            // What carries in rises with the length as long as it is below the cost.
            let rest = length % task.period;
            let rises = if rest <= task.cost { rest } else { 0 };
            let most = Side { amount: demand.most, falls_for: rises };
            let least =
                Side { amount: demand.least, falls_for: if demand.least == demand.most { rises } else { 0 } };
            let Some(k) = k else { return Falling { least, most } };
            let (cap, own) = match i == k {
                true => (length - task.relative_deadline, task.cost),
                false => {
                    let own = &self.contenders[k];
                    (length - own.task.cost - own.suspension + self.reading.beyond, 0)
                }
            };
            let side = |side: Side| match side.amount - own >= cap {
                true => Side { amount: cap, falls_for: cap },
                false => Side { amount: side.amount - own, ..side },
            };
            Falling { least: side(least), most: side(most) }
        };
        self.contenders.iter().zip(&self.demand).enumerate().map(of).collect()
    }

    /// Returns the total demand as task k sees it: no other task can keep it waiting for longer than it waits.
    fn capped(&mut self, k: usize, length: u64) -> u64 {
        let own = &self.contenders[k];
        let most = length - own.task.cost - own.suspension + self.reading.beyond;
        let before_arrival = length - own.task.relative_deadline;
        let mut sum = 0;
        self.more.clear();
        for (i, demand) in self.demand.iter().enumerate() {
            let (least, with) = match i == k {
                true => {
                    let of = |demand: u64| (demand - own.task.cost).min(before_arrival);
                    (of(demand.least), of(demand.most))
                }
                false => (demand.least.min(most), demand.most.min(most)),
            };
            sum += least;
            if with > least {
                self.more.push(with - least);
            }
        }
        sum + sum_of_largest(&mut self.more, self.processors as usize - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum for task k, by the definition: the worst choice of m - 1 tasks with a job left over.
    fn sum(contenders: &[Contender], m: usize, k: usize, length: u64, suspended: u64) -> (u64, u64) {
        let own = &contenders[k].task;
        let waits = length - own.cost - suspended;
        let (mut sum, mut more) = (0, Vec::new());
        for (i, Contender { task, suspension }) in contenders.iter().enumerate() {
            let jobs = (1..).take_while(|jobs| (jobs - 1) * task.period + task.relative_deadline <= length);
            let cap = |demand: u64| match i == k {
                true => (demand - task.cost).min(length - task.relative_deadline),
                false => demand.min(waits + 1),
            };
            let least = cap(jobs.count() as u64 * task.cost);
            let most = cap(length / task.period * task.cost + task.cost.min(length % task.period));
            sum += least;
            match suspension {
                0 => more.push(most - least),
                _ => sum += most - least,
            }
        }
        more.sort_unstable();
        (sum + more.iter().rev().take(m - 1).sum::<u64>(), waits)
    }

    /// Small random sets, every length, and every time that a job may have suspended itself.
    #[test]
    fn is_the_definition() {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let mut upto = |most: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % (most + 1)
        };
        let (mut holds, mut fails, mut suspend) = (0, 0, 0);
        for set in 0..2000 {
            let m = 1 + upto(3);
            let mut contender = |_| {
                let period = 2 + upto(10);
                let relative_deadline = 1 + upto(period - 1);
                let cost = upto(relative_deadline.min(1 + period / 3));
                let suspension = if set % 2 == 0 { 0 } else { upto((relative_deadline - cost) / 2) };
                Contender { task: GlobalTask { cost, period, relative_deadline }, suspension }
            };
            let contenders: Vec<Contender> = (0..m + 2).map(&mut contender).collect();
            let load: f64 = contenders.iter().map(|c| c.task.cost as f64 / c.task.period as f64).sum();
            if load + 0.25 > m as f64 {
                continue;
            }
            let exceeds = |k: usize| {
                let Contender { task, suspension } = contenders[k];
                (task.relative_deadline..300).any(|length| {
                    (0..=suspension).any(|suspended| {
                        let (sum, waits) = sum(&contenders, m as usize, k, length, suspended);
                        sum > m * waits
                    })
                })
            };
            let expected = !(0..contenders.len()).any(exceeds);
            let found = find(&contenders, m, &mut Budget::of(1 << 25));
            assert_eq!(found == Finding::Holds, expected, "{m} {contenders:?}");
            assert_ne!(found, Finding::Spent);
            holds += u32::from(expected);
            fails += u32::from(!expected);
            suspend += u32::from(expected && contenders.iter().any(|c| c.suspension > 0));
        }
        println!("{holds} hold, {suspend} of them with suspensions, {fails} fail");
        assert!(holds > 200 && fails > 200 && suspend > 50, "{holds} {suspend} {fails}");
    }

    /// Many short jobs that are due soon and return late: 4 m + 1 units are due within 4. The horizon's terms for costs
    /// and carry-in do not reach as far, only the one for relative deadlines below periods does.
    #[test]
    fn short_deadlines_are_within_the_horizon() {
        for m in 1..=4 {
            let task = GlobalTask { cost: 1, period: 500, relative_deadline: 4 };
            let many = vec![Contender { task, suspension: 0 }; 4 * m as usize + 1];
            let found = find(&many, m, &mut Budget::of(1 << 25));
            assert!(matches!(found, Finding::Fails(Failure::Room { .. })), "{m}: {found:?}");
        }
    }

    /// A full set of processors has no horizon; nearly full ones have a far one, and one evaluation may be enough.
    #[test]
    fn utilizations_up_to_the_processors() {
        let contender = |cost, period| Contender {
            task: GlobalTask { cost, period, relative_deadline: period },
            suspension: 0,
        };
        let full = [contender(1, 2), contender(1, 2), contender(1 << 40, 1 << 40)];
        assert_eq!(find(&full, 2, &mut Budget::of(1 << 25)), Finding::Spent);
        let nearly = [contender(1, 2), contender(1, 2), contender((1 << 10) - 1, 1 << 10)];
        let found = find(&nearly, 2, &mut Budget::of(1 << 25));
        assert!(matches!(found, Finding::Fails(Failure::Room { task: 2, .. })), "{found:?}");
    }
}
