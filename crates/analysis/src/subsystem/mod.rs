//! Does a supply suffice for a subsystem? Each file is an answer for one kind of scheduler of the subsystem.
//!
//! A subsystem is a set of tasks under a scheduler of its own that has a processor only as a [`Supply`] says. Its tasks
//! are sporadic, without jitter and self-suspension.

mod edf;
mod fixed_priority;
mod least;

pub use least::{latest_deadline, least_budget};

use crate::supply::Supply;
use std::cmp::Ordering;

/// A task of a subsystem, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// Bound on the cost of each job. Positive.
    pub cost: u64,
    /// Least distance of arrivals. Positive.
    pub period: u64,
    /// Time from a job's arrival to its absolute deadline. Positive.
    pub relative_deadline: u64,
    /// Fixed priority, smaller first; EDF does not read it.
    pub priority: u64,
}

/// Kind of a subsystem's scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubsystemRule {
    /// Preemptive EDF.
    Edf,
    /// Preemptive fixed priorities; tasks of equal priority may each go first.
    FixedPriority,
}

/// Answer about a subsystem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubsystemOutcome {
    /// No deadline is missed. By client, the bound on its response times, if the test gives one.
    Fits(Vec<Option<u64>>),
    /// The tasks need more than the supply's rate in the long run.
    Overload,
    /// Some supply that the model allows is less than the demand.
    Exceeds {
        /// Length of an interval, in ns.
        length: u64,
        /// Work that may be due within it.
        demand: u128,
        /// The least supply within it.
        supply: u128,
    },
    /// A job of the client at this place may be late.
    Late(usize),
    /// The lengths that matter are too many or too long to be examined.
    Spent,
}

impl SubsystemOutcome {
    /// True if no deadline is missed.
    pub fn fits(&self) -> bool {
        matches!(self, SubsystemOutcome::Fits(_))
    }
}

/// Answers whether `supply` suffices for `clients` under a scheduler of the kind `rule`.
pub fn judge(clients: &[Client], rule: SubsystemRule, supply: &dyn Supply) -> SubsystemOutcome {
    match rule {
        SubsystemRule::Edf => edf::judge(clients, supply),
        SubsystemRule::FixedPriority => fixed_priority::judge(clients, supply),
    }
}

/// Compares the utilization of `clients` with the rate of `supply`.
fn load(clients: &[Client], supply: &dyn Supply) -> Ordering {
    let terms: Vec<_> = clients.iter().map(|client| (client.cost, client.period)).collect();
    crate::exact::compare_sum_to(&terms, supply.line().0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supply::{BoundedDelay, ExplicitDeadline, PeriodicResource};

    fn client(cost: u64, period: u64, relative_deadline: u64, priority: u64) -> Client {
        Client { cost, period, relative_deadline, priority }
    }

    /// By hand: a budget of 2 in each 3 supplies 0, 0, 0, 1, 2, 2, 3, 4, 4, 5 within 0 to 9.
    #[test]
    fn subsystems_by_hand() {
        let supply = PeriodicResource::new(2, 3);
        let of = |second| [client(1, 5, 3, 0), client(2, 10, second, 1)];
        assert!(judge(&of(6), SubsystemRule::Edf, &supply).fits());
        let exceeds = SubsystemOutcome::Exceeds { length: 5, demand: 3, supply: 2 };
        assert_eq!(judge(&of(5), SubsystemRule::Edf, &supply), exceeds);
        // The first needs 1, which takes 3; the second 2 and twice 1, which takes 7.
        let fixed = |second| judge(&of(second), SubsystemRule::FixedPriority, &supply);
        assert_eq!(fixed(7), SubsystemOutcome::Fits(vec![Some(3), Some(7)]));
        assert_eq!(fixed(6), SubsystemOutcome::Late(1));
        assert_eq!(judge(&[client(3, 4, 4, 0)], SubsystemRule::Edf, &supply), SubsystemOutcome::Overload);
    }

    /// On a whole processor: J. Lehoczky, RTSS 1990, example 1. The response times of the second task are 114, 102,
    /// 116, 104, 118, and then less.
    #[test]
    fn a_later_job_of_a_busy_interval_may_be_the_slowest() {
        let whole = PeriodicResource::new(1, 1);
        let clients = [client(26, 70, 70, 0), client(62, 100, 120, 1)];
        let found = judge(&clients, SubsystemRule::FixedPriority, &whole);
        assert_eq!(found, SubsystemOutcome::Fits(vec![Some(26), Some(118)]));
    }

    struct Draw(u64);

    impl Draw {
        fn from(&mut self, low: u64, high: u64) -> u64 {
            // Numerical Recipes' generator.
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            low + (self.0 >> 33) % (high - low + 1)
        }
    }

    fn drawn(draw: &mut Draw) -> (Vec<Client>, Box<dyn Supply>) {
        let period = draw.from(2, 9);
        let budget = draw.from(1, period);
        let supply: Box<dyn Supply> = match draw.from(0, 2) {
            0 => Box::new(PeriodicResource::new(budget, period)),
            1 => Box::new(ExplicitDeadline::new(budget, period, draw.from(budget, period))),
            _ => Box::new(BoundedDelay::new((budget, period), draw.from(0, 12).into())),
        };
        let clients = (0..draw.from(1, 3)).map(|_| {
            let period = [6, 8, 12, 24][draw.from(0, 3) as usize];
            client(draw.from(1, 3), period, draw.from(2, period + 6), draw.from(0, 2))
        });
        (clients.collect(), supply)
    }

    /// Demand against supply at every length up to two common multiples and all delays, which is longer than any
    /// violation can be.
    #[test]
    fn edf_agrees_with_all_lengths() {
        let (mut draw, mut fitting, mut exceeding, mut full) = (Draw(5), 0, 0, 0);
        for _ in 0..20_000 {
            let (clients, supply) = drawn(&mut draw);
            let demand = |length: u64| -> u128 {
                let of = |client: &Client| match length.checked_sub(client.relative_deadline) {
                    Some(rest) => u128::from((rest / client.period + 1) * client.cost),
                    None => 0,
                };
                clients.iter().map(of).sum()
            };
            let overloaded = load(&clients, &*supply).is_gt();
            let fits = !overloaded && (0..3_000).all(|length| demand(length) <= supply.within(length.into()));
            let found = judge(&clients, SubsystemRule::Edf, &*supply);
            assert_eq!(found.fits(), fits, "{clients:?} {:?}: {found:?}", supply.line());
            fitting += u32::from(fits);
            exceeding += u32::from(!fits && !overloaded);
            full += u32::from(fits && load(&clients, &*supply).is_eq());
        }
        assert!(fitting > 500 && exceeding > 500 && full > 5, "{fitting} {exceeding} {full}");
    }

    /// Requests against supply at every length up to the deadline, for deadlines up to the periods.
    #[test]
    fn fixed_priorities_agree_with_all_lengths() {
        let (mut draw, mut fitting, mut late) = (Draw(6), 0, 0);
        for _ in 0..20_000 {
            let (mut clients, supply) = drawn(&mut draw);
            clients.iter_mut().for_each(|one| one.relative_deadline = one.relative_deadline.min(one.period));
            let is_in_time = |(index, own): (usize, &Client)| {
                let requests = |length: u64| -> u128 {
                    let of = |(other, client): (usize, &Client)| match other == index {
                        true => u128::from(own.cost),
                        false if client.priority <= own.priority => {
                            u128::from(length.div_ceil(client.period) * client.cost)
                        }
                        false => 0,
                    };
                    clients.iter().enumerate().map(of).sum()
                };
                (1..=own.relative_deadline).any(|length| requests(length) <= supply.within(length.into()))
            };
            let fits = clients.iter().enumerate().all(is_in_time);
            let found = judge(&clients, SubsystemRule::FixedPriority, &*supply);
            assert_eq!(found.fits(), fits, "{clients:?} {:?}: {found:?}", supply.line());
            fitting += u32::from(fits);
            late += u32::from(!fits);
        }
        assert!(fitting > 500 && late > 500, "{fitting} {late}");
    }

    #[test]
    fn least_budgets_and_latest_deadlines_agree_with_trying_all() {
        let (mut draw, mut found) = (Draw(7), 0);
        for _ in 0..2_000 {
            let (clients, _) = drawn(&mut draw);
            let period = draw.from(2, 12);
            for rule in [SubsystemRule::Edf, SubsystemRule::FixedPriority] {
                let of = |budget, deadline| -> Box<dyn Supply> {
                    Box::new(ExplicitDeadline::new(budget, period, deadline))
                };
                let suffices = |budget, deadline| judge(&clients, rule, &*of(budget, deadline)).fits();
                let least = least_budget(&clients, rule, period, |budget| of(budget, period));
                assert_eq!(least, (1..=period).find(|budget| suffices(*budget, period)));
                let Some(budget) = least_budget(&clients, rule, period, |budget| of(budget, budget)) else {
                    continue;
                };
                assert_eq!(Some(budget), (1..=period).find(|budget| suffices(*budget, *budget)));
                let latest =
                    latest_deadline(&clients, rule, (budget, period), |deadline| of(budget, deadline));
                assert_eq!(latest, (budget..=period).rev().find(|deadline| suffices(budget, *deadline)));
                found += 1;
            }
        }
        assert!(found > 500, "{found}");
    }
}
