//! The utilization bound of rate-monotonic scheduling.
//!
//! C. L. Liu and J. W. Layland, *Scheduling algorithms for multiprogramming in a hard-real-time
//! environment*, Journal of the ACM 20(1), 1973, Theorem 5: n tasks with implicit deadlines meet them
//! if U <= n (2^(1/n) - 1), that is (1 + U/n)^n <= 2.
//!
//! Linear time, and exact: for n > 1 the bound is irrational, equality never occurs, and computing both
//! sides to more and more digits ends.

use super::{by_utilizations, UtilizationBound};
use crate::assumption::Assumption;
use crate::exact::{compare_sum, filter, Pair};
use crate::reason::Reason;
use crate::sides::{Quantity, Sides};
use crate::steps::{RatioKind, Unwatched, Watch};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;
use std::cmp::Ordering;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "liu_layland",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::OneProcessorRateMonotonic,
        Assumption::ImplicitDeadlines,
        Assumption::DelaysAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Liu and Layland, JACM 20(1), 1973, Theorem 5",
    cost: "O(n)",
    applies: System::is_preemptive_fp_uniprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    by_utilizations(&BOUND, system, watch)
}

static BOUND: UtilizationBound = UtilizationBound {
    test: &TEST,
    kind: RatioKind::Utilizations,
    holds,
    sides,
    reason: |sides, tasks| Reason::LiuAndLayland { sides, tasks },
};

fn sides(utilizations: Vec<Pair>, holds: bool) -> Sides {
    let tasks = utilizations.len();
    Sides::percent(Quantity::Sum(utilizations), Quantity::LiuLayland(tasks), holds)
}

/// Returns whether (1 + U/n)^n <= 2 for the utilizations given.
pub fn holds(utilizations: &[Pair]) -> bool {
    let n = utilizations.len();
    if n <= 1 {
        return compare_sum(utilizations, 1).is_le();
    }
    filtered(utilizations).unwrap_or_else(|| {
        let decided = (7..).find_map(|doublings| refined(utilizations, 1 << doublings));
        decided.expect("two different numbers differ in some digit")
    })
}

fn filtered(utilizations: &[Pair]) -> Option<bool> {
    let n = utilizations.len();
    let sum: f64 = utilizations.iter().map(|&pair| filter::quotient(pair)).sum();
    if sum > 2.0 {
        return Some(false);
    }
    let base = 1.0 + sum / n as f64;
    let power = (0..n).fold(1.0, |power, _| power * base);
    // The sum's relative error e moves the power by a factor of at most exp(e U); rounding the base and
    // each product adds 2n + 2 roundings. U is below 2.
    let error = power * (2.0 * filter::relative_error(n) + (2 * n + 2) as f64 * filter::EPSILON);
    filter::compare(power, error, 2.0).map(Ordering::is_lt)
}

/// Decides with `bits` binary digits, or says that they are too few.
fn refined(utilizations: &[Pair], bits: usize) -> Option<bool> {
    let (one, n) = (BigUint::one() << bits, BigUint::from(utilizations.len()));
    let (mut low, mut high) = (BigUint::ZERO, BigUint::ZERO);
    for &(cost, period) in utilizations {
        let (quotient, rest) = (BigUint::from(cost) << bits).div_rem(&BigUint::from(period));
        high += &quotient + u8::from(rest != BigUint::ZERO);
        low += quotient;
    }
    let (low, high) = (&one + low.div_floor(&n), &one + Integer::div_ceil(&high, &n));
    let round_up = (BigUint::one() << bits) - 1u8;
    let (mut power_low, mut power_high) = (one.clone(), one.clone());
    for _ in 0..utilizations.len() {
        power_low = (power_low * &low) >> bits;
        power_high = (power_high * &high + &round_up) >> bits;
    }
    let two = one << 1;
    if power_high <= two {
        Some(true)
    } else if power_low > two {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `liu-layland-bounds` of the published examples: the bound for n tasks, to six digits.
    #[test]
    fn the_published_bounds() {
        let bounds = [
            (1, 1_000_000),
            (2, 828_427),
            (3, 779_763),
            (4, 756_828),
            (5, 743_492),
            (6, 734_772),
            (7, 728_627),
            (8, 724_062),
            (9, 720_538),
            (10, 717_735),
            (100, 695_555),
        ];
        for (n, millionths) in bounds {
            let equal = |total: u64| vec![(total, 1_000_000 * n); n as usize];
            assert!(holds(&equal(millionths - 1)), "n = {n}");
            assert!(!holds(&equal(millionths + 1)), "n = {n}");
        }
    }

    /// 2(sqrt 2 - 1) = 2 (665857/470832 - 1) - tiny: convergents of sqrt 2 fall on either side.
    #[test]
    fn convergents_of_the_bound_fall_on_the_right_side() {
        // p/q alternates around sqrt 2, (p - q)/q around sqrt 2 - 1.
        let (mut p, mut q, mut above) = (1u64, 1u64, false);
        for _ in 0..38 {
            assert_eq!(holds(&[(p - q, q), (p - q, q)]), !above, "{p}/{q}");
            (p, q, above) = (p + 2 * q, p + q, !above);
        }
    }

    /// Few digits leave close cases open instead of guessing.
    #[test]
    fn too_few_digits_decide_nothing() {
        let (below, above) = ([(41, 99), (41, 99)], [(29, 70), (29, 70)]);
        assert_eq!((refined(&below, 8), refined(&above, 8)), (None, None));
        assert_eq!((refined(&below, 32), refined(&above, 32)), (Some(true), Some(false)));
    }
}
