//! A subsystem under preemptive EDF.
//!
//! Deadlines are met if, and for some supply that the model allows only if, the demand within each length is supplied
//! (I. Shin and I. Lee, *Periodic resource model for compositional real-time guarantees*, RTSS 2003):
//!
//! ```text
//! dbf(t) <= sbf(t)   for each t, with dbf as on a processor (S. Baruah, A. Mok and L. Rosier, RTSS 1990)
//! ```
//!
//! **How far t matters.** dbf(t) <= U t + E with E = sum U_i max(0, T_i - D_i), and sbf(t) >= a (t - d) by
//! [`Supply::line`]. If U < a, then dbf(t) > sbf(t) only for t < (E + a d) / (a - U). If U = a, both grow alike by each
//! common multiple of the periods and of the supply's pattern, once t is as long as the pattern's begin and as each
//! D_i - T_i. So t matters only up to one such multiple after that.
//!
//! **Which t are visited.** The walk begins at the last absolute deadline before that limit and goes down, as the quick
//! processor-demand analysis does (F. Zhang and A. Burns, IEEE TC 58(9), 2009). From t it goes to the last deadline
//! before s, the least length with sbf(s) >= dbf(t): for each r in [s, t], dbf(r) <= dbf(t) <= sbf(s) <= sbf(r).

use super::{load, Client, SubsystemOutcome};
use crate::budget::Budget;
use crate::exact::Fraction;
use crate::supply::Supply;
use crate::uniprocessor::demand::Demands;
use num_integer::Integer;
use num_traits::ToPrimitive;

/// Longest length that is examined (146 years), in ns.
const LONGEST: u64 = 1 << 62;

/// Terms that the test may evaluate.
const TERMS: u64 = 1 << 22;

pub(super) fn judge(clients: &[Client], supply: &dyn Supply) -> SubsystemOutcome {
    let limit = match load(clients, supply) {
        std::cmp::Ordering::Greater => return SubsystemOutcome::Overload,
        std::cmp::Ordering::Less => by_slack(clients, supply),
        std::cmp::Ordering::Equal => by_pattern(clients, supply),
    };
    let Some(limit) = limit.filter(|limit| *limit < LONGEST) else { return SubsystemOutcome::Spent };
    let stream = |client: &Client| (client.cost, client.period, client.relative_deadline);
    let demands = Demands::of_streams(clients.iter().map(stream));
    let mut budget = Budget::of(TERMS);
    // A violation may lie at the limit itself where that was rounded.
    let mut next = demands.last_before(limit + 1);
    while let Some(length) = next {
        if !budget.spend(clients.len()) {
            return SubsystemOutcome::Spent;
        }
        let demand = demands.within(length);
        let needed = if demand > length.into() { u128::MAX } else { supply.length_of(demand) };
        if needed > length.into() {
            return shortest(&demands, supply, length, &mut budget);
        }
        next = demands.last_before(needed as u64);
    }
    SubsystemOutcome::Fits(vec![None; clients.len()])
}

/// The shortest length in which the demand exceeds the supply, if the budget lasts, else `known`, which is one.
fn shortest(demands: &Demands, supply: &dyn Supply, known: u64, budget: &mut Budget) -> SubsystemOutcome {
    let exceeds = |length: u64| demands.within(length) > supply.within(length.into());
    let mut length = demands.first().unwrap_or(known);
    while length < known && !exceeds(length) {
        length = match demands.first_after(length).filter(|_| budget.spend(demands.len())) {
            Some(next) => next,
            None => known,
        };
    }
    SubsystemOutcome::Exceeds { length, demand: demands.within(length), supply: supply.within(length.into()) }
}

/// Returns (E + a d) / (a - U), rounded up, for U < a.
fn by_slack(clients: &[Client], supply: &dyn Supply) -> Option<u64> {
    let ((supplied, of), wait) = supply.line();
    let rate = Fraction::new(supplied, of);
    let excess = |client: &Client| {
        let early = client.period.saturating_sub(client.relative_deadline);
        Fraction::new(client.cost, client.period).times(&Fraction::integer(early))
    };
    let utilization: Vec<_> = clients.iter().map(|client| (client.cost, client.period)).collect();
    let most = Fraction::sum_of(clients.iter().map(excess).collect());
    let most = most.plus(&rate.times(&Fraction::integer(wait)));
    most.over(&rate.minus(&Fraction::sum(&utilization))).ceiling().to_u64()
}

/// Returns the length up to which demand and supply matter for U = a.
fn by_pattern(clients: &[Client], supply: &dyn Supply) -> Option<u64> {
    let (begin, pattern) = supply.pattern();
    let common = |sum: u128, client: &Client| {
        let period = u128::from(client.period);
        (sum / sum.gcd(&period)).checked_mul(period).filter(|sum| *sum < u128::from(LONGEST))
    };
    let multiple = clients.iter().try_fold(pattern, common)?;
    let late = clients.iter().map(|client| client.relative_deadline.saturating_sub(client.period)).max();
    u64::try_from(multiple + begin.max(late.unwrap_or(0).into())).ok()
}
