//! The test by forced-forward demand (FF-DBF).
//!
//! S. Baruah, V. Bonifaci, A. Marchetti-Spaccamela and S. Stiller, *Improved multiprocessor global schedulability
//! analysis*, Real-Time Systems 46(1), 2010. Deadlines are met on m processors if for some speed s, at least every
//! C_i / D_i, and all t
//!
//! ```text
//! sum of FF-DBF_i(t, s) <= (m - (m - 1) s) t,   t = q T_i + r, 0 <= r < T_i:
//! FF-DBF_i = q C_i + C_i                            if r >= D_i
//!          = q C_i + max(0, C_i - (D_i - r) s)      otherwise
//! ```
//!
//! **Search.** For a fixed t the left side, less the right one, is a convex function of s, piecewise linear. So the
//! speeds that pass at all t form an interval, and the smallest of them is found from below: start with the largest
//! density; where some t fails, follow the line there to where it ceases to fail (Newton), or give up if it rises. No
//! grid of speeds is missed, and every speed on the way is a fraction of whole numbers. For a fixed s, the left side
//! grows with t; the search for a t that fails goes downwards from a horizon, as in [`super::load`]. A t that fails
//! exists if there is a whole one: the left side is steepest before t = q T_i + D_i. Assumes D <= T. Pseudo-polynomial.

use super::tasks::{constrained, judge, Failure, Finding, GlobalTask, GLOBAL_EDF, LARGEST_SUM, TERMS};
use crate::budget::Budget;
use crate::exact::{compare, compare_sum, filter, Pair};
use crate::system::System;
use crate::verdict::{Guarantee, Test};
use num_integer::gcd;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "ff_dbf",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_EDF,
    source: "Baruah, Bonifaci, Marchetti-Spaccamela and Stiller, RTS 46(1), 2010",
    cost: "pseudo-polynomial; O(n) for a step at each speed that is tried",
    applies: System::is_preemptive_edf_multiprocessor,
    run: |system| judge(&TEST, system, find),
};

pub(super) fn find(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> Finding {
    let Some(density) = largest_density(tasks) else { return Finding::Holds };
    match least_speed(tasks, processors, density, budget) {
        Ok(_) => Finding::Holds,
        Err(finding) => finding,
    }
}

/// Returns the least speed from `speed` on for which the condition holds. If there is none, returns where the condition
/// fails, or that this is not known.
fn least_speed(
    tasks: &[GlobalTask],
    processors: u64,
    mut speed: Pair,
    budget: &mut Budget,
) -> Result<Pair, Finding> {
    loop {
        match at_speed(tasks, processors, speed, budget) {
            AtSpeed::Holds => return Ok(speed),
            AtSpeed::Overload => return Err(Finding::Fails(Failure::Speed { speed })),
            AtSpeed::Fails(failure) => return Err(Finding::Fails(failure)),
            AtSpeed::FailsUpTo(faster) => speed = faster,
            AtSpeed::Spent => return Err(Finding::Spent),
        }
    }
}

/// Decides whether the condition holds for the largest density or for some larger k / `steps`, at most 1 and at most
/// (m - U) / (m - 1) - 1 / `margin`; `None` if that is not known. Other tools search in this way (see docs/peers.md).
/// [`TEST`] accepts whatever they accept.
pub fn holds_on_grid(system: &System, steps: u64, margin: u64) -> Option<bool> {
    let tasks = constrained(system).ok()?;
    let (processors, mut budget) = (u64::from(system.processors), Budget::of(TERMS));
    let Some(densest) = largest_density(&tasks) else { return Some(true) };
    let first = u128::from(densest.0) * u128::from(steps) / u128::from(densest.1) + 1;
    let grid = (first as u64..=steps).map(|k| (k, steps));
    for speed in std::iter::once(densest).chain(grid) {
        // U + (m - 1) (speed + 1 / margin) <= m, or the grid has ended.
        let mut load: Vec<Pair> = tasks.iter().map(|task| (task.cost, task.period)).collect();
        load.resize(load.len() + processors as usize - 1, speed);
        load.resize(load.len() + processors as usize - 1, (1, margin));
        if compare_sum(&load, processors).is_gt() {
            return Some(false);
        }
        match at_speed(&tasks, processors, speed, &mut budget) {
            AtSpeed::Holds => return Some(true),
            AtSpeed::Overload | AtSpeed::Fails(_) | AtSpeed::FailsUpTo(_) => {}
            AtSpeed::Spent => return None,
        }
    }
    Some(false)
}

fn largest_density(tasks: &[GlobalTask]) -> Option<Pair> {
    tasks.iter().map(|task| (task.cost, task.relative_deadline)).max_by(|&a, &b| compare(a, b))
}

enum AtSpeed {
    Holds,
    /// The utilization is above the rate for this speed and all higher ones.
    Overload,
    /// At this speed and all higher ones, the demand within this length is above the room.
    Fails(Failure),
    /// The condition fails at this speed and at all speeds up to, but perhaps not including, a higher one.
    FailsUpTo(Pair),
    Spent,
}

fn at_speed(tasks: &[GlobalTask], processors: u64, speed: Pair, budget: &mut Budget) -> AtSpeed {
    let (numerator, denominator) = speed;
    let Some(rate) = (processors * denominator).checked_sub((processors - 1) * numerator) else {
        return AtSpeed::Overload;
    };
    let mut length = match horizon(tasks, rate, denominator) {
        Horizon::At(length) => length,
        Horizon::Overload => return AtSpeed::Overload,
        Horizon::TooFar => return AtSpeed::Spent,
    };
    while length > 0 {
        if !budget.spend(tasks.len()) {
            return AtSpeed::Spent;
        }
        let line = Line::at(tasks, length, speed);
        let demand = line.demand(numerator, denominator);
        let room = u128::from(rate) * u128::from(length);
        if demand > room {
            let denominator = u128::from(denominator);
            return match line.next_speed(processors, length) {
                Some(speed) => AtSpeed::FailsUpTo(speed),
                // To the sides on which they are: times are whole.
                None => AtSpeed::Fails(Failure::RoomForAll {
                    within: length,
                    demand: demand.div_ceil(denominator),
                    room: room / denominator,
                }),
            };
        }
        length =
            ((demand / u128::from(rate)) as u64).min(length - line.falls_for(tasks, length, speed, rate));
    }
    AtSpeed::Holds
}

/// The demand at one length, as a function of the speed: constant - slope * speed near the speed at hand, and nowhere
/// less.
struct Line {
    constant: u64,
    slope: u64,
    /// Number of tasks whose demand rises up to this length, each at the present speed.
    rising: u64,
}

impl Line {
    fn at(tasks: &[GlobalTask], length: u64, (numerator, denominator): Pair) -> Line {
        let mut line = Line { constant: 0, slope: 0, rising: 0 };
        for task in tasks {
            let (jobs, rest) = (length / task.period, length % task.period);
            line.constant += jobs * task.cost;
            let early = task.relative_deadline.saturating_sub(rest);
            if u128::from(task.cost) * u128::from(denominator) > u128::from(early) * u128::from(numerator) {
                line.constant += task.cost;
                line.slope += early;
                line.rising += u64::from(rest <= task.relative_deadline);
            }
        }
        line
    }

    /// Returns the demand at speed `numerator` / `denominator`, times the denominator.
    fn demand(&self, numerator: u64, denominator: u64) -> u128 {
        u128::from(self.constant) * u128::from(denominator) - u128::from(self.slope) * u128::from(numerator)
    }

    /// Returns by how much at least the next length to examine is shorter. Where demand falls with the length at least
    /// as fast as the limit does, the condition goes on to hold as long as that lasts.
    fn falls_for(&self, tasks: &[GlobalTask], length: u64, speed: Pair, rate: u64) -> u64 {
        let (numerator, denominator) = (u128::from(speed.0), u128::from(speed.1));
        if u128::from(self.rising) * numerator < u128::from(rate) {
            return 1;
        }
        // Demand rises from r = D - C / s on.
        let rises_for = |task: &GlobalTask| {
            let early = u128::from(task.relative_deadline.checked_sub(length % task.period)?);
            let work = u128::from(task.cost) * denominator;
            (work > early * numerator).then(|| work / numerator - early)
        };
        tasks.iter().filter_map(rises_for).min().map_or(1, |length| (length as u64).max(1))
    }

    /// Returns the speed s at which constant - slope s = (m - (m - 1) s) t, if the left side falls faster.
    fn next_speed(&self, processors: u64, length: u64) -> Option<Pair> {
        let above = self.constant.checked_sub(processors * length);
        let falls = self.slope.checked_sub((processors - 1) * length);
        match (above, falls) {
            (Some(above), Some(falls)) if falls > 0 => {
                let divisor = gcd(above, falls);
                Some((above / divisor, falls / divisor))
            }
            _ => None,
        }
    }
}

enum Horizon {
    At(u64),
    Overload,
    TooFar,
}

/// Returns the length beyond which the condition holds: demand is at most t U + sum of C.
fn horizon(tasks: &[GlobalTask], rate: u64, denominator: u64) -> Horizon {
    let rate = rate as f64 / denominator as f64;
    let load: f64 = tasks.iter().map(|task| filter::quotient((task.cost, task.period))).sum();
    let error = 4.0 * rate * filter::relative_error(tasks.len());
    // A little above is an overload just as well, or too close to it for a horizon.
    if load - error > rate {
        return Horizon::Overload;
    }
    let costs: u64 = tasks.iter().map(|task| task.cost).sum();
    let horizon = costs as f64 / (rate - load - error) * (1.0 + 1e-9) + 1.0;
    let most = LARGEST_SUM as f64 / (tasks.len() as f64 + rate + 2.0);
    match rate - load > error && horizon < most {
        true => Horizon::At(horizon as u64),
        false => Horizon::TooFar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the demand less the allowance at t = `halves` / 2, times the denominator: by the definition.
    fn excess(tasks: &[GlobalTask], processors: i128, halves: i128, (s, of): (i128, i128)) -> i128 {
        let demand = |task: &GlobalTask| {
            let [cost, period, due] = [task.cost, task.period, task.relative_deadline].map(i128::from);
            let (jobs, rest) = (halves / (2 * period), halves % (2 * period));
            let last = match rest >= 2 * due {
                true => 2 * cost * of,
                false => (2 * cost * of - (2 * due - rest) * s).max(0),
            };
            2 * jobs * cost * of + last
        };
        tasks.iter().map(demand).sum::<i128>() - (processors * of - (processors - 1) * s) * halves
    }

    /// Small random sets: the speed found passes at every half unit of time, and every lower one on a grid fails
    /// somewhere.
    #[test]
    fn finds_the_least_speed() {
        let mut state = 0x2545_F491_4F6C_DD1Du64;
        let mut upto = |most: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % (most + 1)
        };
        let (mut found, mut above_density, mut none) = (0, 0, 0);
        for set in 0..1500 {
            let processors = 2 + upto(2);
            let mut task = |_| {
                let period = 6 + upto(10) + 10 * upto(1);
                let relative_deadline = period / 3 + upto(period - period / 3);
                let cost = 1 + upto(relative_deadline / (2 + set % 3));
                GlobalTask { cost, period, relative_deadline }
            };
            let tasks: Vec<GlobalTask> = (0..2 + processors + set % 4).map(&mut task).collect();
            let density = largest_density(&tasks).unwrap();
            let speed = match least_speed(&tasks, processors, density, &mut Budget::of(TERMS)) {
                Ok(speed) => Some(speed),
                Err(Finding::Spent) => continue,
                Err(Finding::Holds | Finding::Fails(_)) => None,
            };
            let passes = |(s, of): Pair| {
                let speed = (i128::from(s), i128::from(of));
                (0..500).all(|halves| excess(&tasks, processors.into(), halves, speed) <= 0)
            };
            assert!(speed.is_none_or(passes), "{tasks:?} {speed:?}");
            for k in 0..=120 {
                let lower = speed.is_none_or(|speed| compare((k, 120), speed).is_lt());
                if compare((k, 120), density).is_ge() && lower {
                    assert!(!passes((k, 120)), "{tasks:?} {k}/120 {speed:?}");
                }
            }
            found += u32::from(speed.is_some());
            above_density += u32::from(speed.is_some_and(|speed| compare(speed, density).is_gt()));
            none += u32::from(speed.is_none());
        }
        println!("{found} found, {above_density} of them above the density, {none} without");
        assert!(found > 100 && above_density > 0 && none > 100, "{found} {above_density} {none}");
    }
}
