//! The least weight with which a supertask's components meet their deadlines.
//!
//! A goal of N quanta in L slots is reached by every weight of at least (N + 1) / L, and by a smaller p/q exactly if
//! (N + 1) q - p L = 1. So the least weight is the largest (over clauses) of the least (over goals) threshold, w0, or
//! one of the fractions ((N + 1) q - 1) / (q L) below w0, with the goals of a clause whose least threshold is w0. Each
//! of those is tried, for denominators up to [`MOST_SLOTS`] (a larger one saves less than 1 / (q L)). Only where demand
//! has to be examined over too long an interval, a sufficient multiple of 1 / MOST_SLOTS is given instead. Above 1 only
//! the weight 1 itself, a processor of one's own, can be enough.
//!
//! How far intervals matter to EDF: demand in l is at most U l + K with K = sum C (T - D + J) / T, so all goals are
//! reached from l on if w (l - delay - Q) >= U l + K + 2 Q. Everything is rounded to the safe side.

use super::demand::{ComponentRule, Demands, Goal};
use crate::exact::{compare, compare_sum, Pair};
use num_integer::gcd;
use std::cmp::Ordering;

/// The largest denominator that is tried below the threshold.
pub(crate) const MOST_SLOTS: u64 = 4096;

/// Most goals that are examined for one weight.
const BUDGET: usize = 1 << 16;

/// Reason why there is no weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoWeight {
    /// The components miss deadlines, or may, even with a weight of 1.
    #[error("not even a weight of 1 guarantees the components' deadlines")]
    NotEvenOne,
    /// Too many lengths of intervals would have to be examined.
    #[error("the components' demand has to be examined over too long an interval")]
    TooLong,
}

/// The least weight that guarantees the deadlines of all components, in lowest terms.
pub fn least_weight(demands: &Demands) -> Result<Pair, NoWeight> {
    let clause = match decisive_clause(demands) {
        Err(NoWeight::TooLong) => return enough_for_long(demands),
        clause => clause?,
    };
    let threshold = clause.iter().map(|goal| goal.threshold()).min_by(|a, b| compare(*a, *b));
    let threshold = threshold.unwrap_or((2, 1));
    let mut least = None;
    if compare(threshold, (1, 1)).is_le() {
        least = Some(threshold);
    } else if is_enough(demands, (1, 1))? {
        return Ok((1, 1));
    }
    let mut least = least.ok_or(NoWeight::NotEvenOne)?;
    for goal in clause {
        if let Some(better) = below_threshold(demands, goal, least) {
            least = better;
        }
    }
    let common = gcd(least.0, least.1);
    Ok((least.0 / common, least.1 / common))
}

/// Returns the least multiple of 1 / [`MOST_SLOTS`] that is enough as far as the budget reaches, and from there on for
/// sure. It is used where the least weight is hardly above the utilization, so that the lengths that decide are beyond
/// the budget.
fn enough_for_long(demands: &Demands) -> Result<Pair, NoWeight> {
    let (mut low, mut high) = (0, MOST_SLOTS);
    if is_enough(demands, (high, MOST_SLOTS)) != Ok(true) {
        return Err(NoWeight::TooLong);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        // More quanta in as many slots are never fewer in an interval, up to the fraction's lowest terms.
        match is_enough(demands, (middle, MOST_SLOTS)) {
            Ok(true) => high = middle,
            _ => low = middle,
        }
    }
    let common = gcd(high, MOST_SLOTS);
    Ok((high / common, MOST_SLOTS / common))
}

/// Returns the least sufficient weight below `least` among the fractions that reach `goal` below its threshold.
fn below_threshold(demands: &Demands, goal: Goal, least: Pair) -> Option<Pair> {
    let (quanta, slots) = (u128::from(goal.quanta), u128::from(goal.slots));
    if slots == 0 {
        return None;
    }
    for q in 1..=u128::from(MOST_SLOTS) {
        let p = (quanta + 1) * q - 1;
        if p % slots != 0 || p == 0 {
            continue;
        }
        let weight = (u64::try_from(p / slots).ok()?, q as u64);
        // It grows with q.
        if compare(weight, least).is_ge() {
            return None;
        }
        if is_enough(demands, weight) == Ok(true) {
            return Some(weight);
        }
    }
    None
}

/// True if `weight` guarantees the deadlines of all components.
pub fn is_enough(demands: &Demands, weight: Pair) -> Result<bool, NoWeight> {
    if demands.order == ComponentRule::FixedPriority {
        let reached =
            |index| demands.fixed_priority_goals(index).iter().any(|goal| goal.is_reached_by(weight));
        return Ok((0..demands.components.len()).all(reached));
    }
    let Some(limit) = limit(demands, weight) else { return Ok(false) };
    for (nth, (length, goal)) in demands.edf_goals().enumerate() {
        if u128::from(length) >= limit {
            return Ok(true);
        }
        if !goal.is_some_and(|goal| goal.is_reached_by(weight)) {
            return Ok(false);
        }
        if nth > BUDGET {
            return Err(NoWeight::TooLong);
        }
    }
    Ok(true)
}

/// Returns a clause whose least threshold is the largest of all clauses.
fn decisive_clause(demands: &Demands) -> Result<Vec<Goal>, NoWeight> {
    let least = |goals: &[Goal]| goals.iter().map(|goal| goal.threshold()).min_by(|a, b| compare(*a, *b));
    match demands.order {
        ComponentRule::Edf => decisive_goal(demands).map(|goal| vec![goal]),
        ComponentRule::FixedPriority => {
            let clauses = (0..demands.components.len()).map(|index| demands.fixed_priority_goals(index));
            let by_threshold = |a: &Vec<Goal>, b: &Vec<Goal>| match (least(a), least(b)) {
                (Some(a), Some(b)) => compare(a, b),
                // A clause without goals is never satisfied.
                (a, b) => b.is_some().cmp(&a.is_some()),
            };
            clauses.max_by(by_threshold).ok_or(NoWeight::NotEvenOne)
        }
    }
}

/// Returns the goal with the largest threshold under EDF, or any goal whose threshold is beyond 1.
fn decisive_goal(demands: &Demands) -> Result<Goal, NoWeight> {
    let (mut decisive, mut until): (Option<Goal>, Option<u128>) = (None, None);
    for (nth, (length, goal)) in demands.edf_goals().enumerate() {
        if until.is_some_and(|until| u128::from(length) >= until) {
            break;
        }
        let goal = goal.ok_or(NoWeight::NotEvenOne)?;
        let threshold = goal.threshold();
        if decisive.is_none_or(|known| compare(threshold, known.threshold()).is_gt()) {
            decisive = Some(goal);
            if compare(threshold, (1, 1)).is_gt() {
                break;
            }
            until = limit(demands, threshold);
        }
        if nth > BUDGET {
            return Err(NoWeight::TooLong);
        }
    }
    decisive.ok_or(NoWeight::NotEvenOne)
}

/// Returns the length from which on `weight` reaches every EDF goal, in time or in slots; `None` if none is known.
fn limit(demands: &Demands, weight: Pair) -> Option<u128> {
    const SCALE: u32 = 40;
    if compare(weight, (1, 1)).is_eq() && compare_sum(&demands.utilization(), 1) == Ordering::Equal {
        return demands.pattern();
    }
    let scaled = (u128::from(weight.0) << SCALE) / u128::from(weight.1);
    let load = |(cost, period): &Pair| (u128::from(*cost) << SCALE).div_ceil(u128::from(*period));
    let spare = scaled.checked_sub(demands.utilization().iter().map(load).sum())?;
    let quanta = demands.quanta;
    let constant = demands.excess() + u128::from(3 * quanta.quantum + quanta.delay);
    // Times below 2^55 and few enough components: 2^97 and less.
    let length = constant.checked_mul(1 << SCALE)?.checked_div(spare)? + 1;
    Some(if quanta.quantum_based { length.div_ceil(u128::from(quanta.quantum)) } else { length })
}
