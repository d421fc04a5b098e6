//! Time/utility functions: the utility of a job's completion, by the time since its arrival.
//!
//! E. D. Jensen, C. D. Locke and H. Tokuda, "A time-driven scheduling model for real-time operating systems", RTSS
//! 1985. All functions here never rise and are never negative. They end at a *termination time*: a completion then
//! still counts, one after it is worth nothing. Values are whole millionths of a unit, rounded down, without floating
//! point.

use crate::time::Duration;
use alloc::vec::Vec;
use core::fmt;

/// Utility of a completion, in millionths of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utility(u64);

impl Utility {
    /// No utility.
    pub const ZERO: Utility = Utility(0);
    /// A utility of 1.
    pub const ONE: Utility = Utility(1_000_000);

    /// A utility of `millionths` millionths of a unit.
    pub const fn from_millionths(millionths: u64) -> Self {
        Utility(millionths)
    }

    /// The utility in millionths of a unit.
    pub const fn as_millionths(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Utility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, mut part, mut digits) = (self.0 / 1_000_000, self.0 % 1_000_000, 6);
        if part == 0 {
            return write!(f, "{whole}");
        }
        while part % 10 == 0 {
            (part, digits) = (part / 10, digits - 1);
        }
        write!(f, "{whole}.{part:0digits$}")
    }
}

/// A time/utility function of a job. Where the termination time is `None`, it is the relative deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeUtility {
    /// The utility is the height up to the termination time.
    Step {
        /// Utility of a completion in time.
        height: Utility,
        /// Termination time, after the arrival.
        termination: Option<Duration>,
    },
    /// The utility falls on a straight line from the arrival to the termination time.
    Linear {
        /// Utility of a completion at the arrival.
        height: Utility,
        /// Utility of a completion at the termination time: at most the height.
        last: Utility,
        /// Termination time, where the line ends, after the arrival. Positive.
        termination: Option<Duration>,
    },
    /// The utility halves after each half-life, up to the termination time. Relative to the exact value, at most 2^-39
    /// more, and at most a millionth of a unit less than that.
    Exponential {
        /// Utility of a completion at the arrival.
        height: Utility,
        /// Time in which the utility halves. Positive.
        half_life: Duration,
        /// Termination time, after the arrival.
        termination: Option<Duration>,
    },
    /// The utility follows straight lines between points (time after the arrival, utility), at least one. Times do not
    /// fall, utilities do not rise. Of two points of the same time, the first is the value there: a step. Before the
    /// first point the utility is the first point's. The last point is the termination time.
    Piecewise(Vec<(Duration, Utility)>),
}

impl TimeUtility {
    /// Function of a task that states none: one unit by the relative deadline.
    pub const UNIT_STEP: TimeUtility = TimeUtility::Step { height: Utility::ONE, termination: None };

    /// Returns how long after the arrival a completion may still be worth something.
    pub fn termination(&self, relative_deadline: Duration) -> Duration {
        match self {
            TimeUtility::Step { termination, .. }
            | TimeUtility::Linear { termination, .. }
            | TimeUtility::Exponential { termination, .. } => termination.unwrap_or(relative_deadline),
            TimeUtility::Piecewise(points) => points.last().map_or(Duration::ZERO, |point| point.0),
        }
    }

    /// The utility of a completion at the arrival: none is larger.
    pub fn largest(&self) -> Utility {
        match self {
            TimeUtility::Step { height, .. }
            | TimeUtility::Linear { height, .. }
            | TimeUtility::Exponential { height, .. } => *height,
            TimeUtility::Piecewise(points) => points.first().map_or(Utility::ZERO, |point| point.1),
        }
    }

    /// Returns the utility of a completion at `elapsed` after the arrival.
    pub fn after(&self, elapsed: Duration, relative_deadline: Duration) -> Utility {
        let termination = self.termination(relative_deadline);
        if elapsed > termination {
            return Utility::ZERO;
        }
        match self {
            TimeUtility::Step { height, .. } => *height,
            TimeUtility::Linear { height, last, .. } => {
                line((Duration::ZERO, *height), (termination, *last), elapsed)
            }
            TimeUtility::Exponential { height, half_life, .. } => halved(*height, *half_life, elapsed),
            TimeUtility::Piecewise(points) => {
                let index = points.partition_point(|point| point.0 < elapsed);
                match (index.checked_sub(1).and_then(|before| points.get(before)), points.get(index)) {
                    (_, Some(point)) if point.0 == elapsed => point.1,
                    (Some(before), Some(after)) => line(*before, *after, elapsed),
                    (None, Some(first)) => first.1,
                    (_, None) => Utility::ZERO,
                }
            }
        }
    }
}

/// The value at `elapsed` of the line between two points, of which the second is later and not higher.
fn line(from: (Duration, Utility), to: (Duration, Utility), elapsed: Duration) -> Utility {
    let length = u128::from((to.0 - from.0).as_ns());
    if length == 0 {
        return from.1;
    }
    let left = u128::from((to.0 - elapsed).as_ns());
    let fall = u128::from(from.1 .0.saturating_sub(to.1 .0));
    Utility(to.1 .0 + (fall * left / length) as u64)
}

/// Number of binary digits of an exponent that count.
const DIGITS: u32 = 40;
/// One, as a fixed-point number.
const UNIT: u128 = 1 << 63;

/// `ROOTS[k]` is 2 to the power of -2^-(k + 1): each is the square root of the one before. Rounded down.
const ROOTS: [u128; DIGITS as usize] = {
    let mut roots = [0; DIGITS as usize];
    let (mut power, mut digit) = (UNIT / 2, 0);
    while digit < DIGITS as usize {
        power = (power * UNIT).isqrt();
        roots[digit] = power;
        digit += 1;
    }
    roots
};

/// `height` times 2 to the power of -(elapsed / half_life): a product of roots, one for each binary digit of the
/// exponent.
fn halved(height: Utility, half_life: Duration, elapsed: Duration) -> Utility {
    let (elapsed, half_life) = (elapsed.as_ns(), half_life.as_ns().max(1));
    let halvings = elapsed / half_life;
    if halvings >= 64 {
        return Utility::ZERO;
    }
    let digits = (u128::from(elapsed % half_life) << DIGITS) / u128::from(half_life);
    let chosen = (0..DIGITS).rev().zip(ROOTS).filter(|(digit, _)| (digits >> digit) & 1 == 1);
    let power = chosen.fold(UNIT, |product, (_, root)| product * root / UNIT);
    Utility(((u128::from(height.0) * power / UNIT) >> halvings) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use std::string::ToString;

    fn ns(ns: u64) -> Duration {
        Duration::from_ns(ns)
    }

    fn units(units: u64) -> Utility {
        Utility(units * 1_000_000)
    }

    fn functions() -> Vec<TimeUtility> {
        let (height, termination) = (units(7), Some(ns(5_000)));
        vec![
            TimeUtility::UNIT_STEP,
            TimeUtility::Step { height, termination },
            TimeUtility::Linear { height, last: Utility::ZERO, termination },
            TimeUtility::Linear { height, last: units(3), termination: None },
            TimeUtility::Exponential { height, half_life: ns(333), termination },
            TimeUtility::Exponential { height: Utility(u64::MAX), half_life: ns(1), termination: None },
            TimeUtility::Piecewise(vec![
                (ns(10), units(9)),
                (ns(100), units(8)),
                (ns(100), units(5)),
                (ns(3_000), units(5)),
                (ns(3_001), Utility(1)),
            ]),
        ]
    }

    #[test]
    fn functions_never_rise_and_end() {
        let relative_deadline = ns(4_000);
        for function in functions() {
            let mut before = function.largest();
            assert_eq!(function.after(Duration::ZERO, relative_deadline), before, "{function:?}");
            let end = function.termination(relative_deadline).as_ns();
            for elapsed in 0..=end {
                let now = function.after(ns(elapsed), relative_deadline);
                assert!(now <= before, "{function:?} rises at {elapsed}");
                before = now;
            }
            assert_eq!(function.after(ns(end + 1), relative_deadline), Utility::ZERO, "{function:?}");
        }
    }

    #[test]
    fn values_are_those_of_the_definitions() {
        let deadline = ns(1_000);
        let after = |function: &TimeUtility, elapsed| function.after(ns(elapsed), deadline).0;
        let [unit, step, line, flat, decay, _, points] = functions().try_into().unwrap();
        assert_eq!([after(&unit, 0), after(&unit, 1_000), after(&unit, 1_001)], [1_000_000, 1_000_000, 0]);
        assert_eq!([after(&step, 5_000), after(&step, 5_001)], [7_000_000, 0]);
        assert_eq!([after(&line, 1_000), after(&line, 3), after(&line, 5_000)], [5_600_000, 6_995_800, 0]);
        assert_eq!([after(&flat, 500), after(&flat, 1_000), after(&flat, 1_001)], [5_000_000, 3_000_000, 0]);
        assert_eq!(
            [after(&decay, 333), after(&decay, 666), after(&decay, 999)],
            [3_500_000, 1_750_000, 875_000]
        );
        let at = [5, 10, 55, 100, 101, 2_999, 3_000, 3_001].map(|elapsed| after(&points, elapsed));
        assert_eq!(at, [9_000_000, 9_000_000, 8_500_000, 8_000_000, 5_000_000, 5_000_000, 5_000_000, 1]);
    }

    /// Decay agrees with floating point, which is exact enough for twelve digits.
    #[test]
    fn decay_is_close_to_exact() {
        let height = Utility(1 << 53);
        for elapsed in (0..2_000_000).step_by(997) {
            let found = halved(height, ns(123_457), ns(elapsed)).0 as f64;
            let exact = height.0 as f64 * (-(elapsed as f64) / 123_457.0).exp2();
            assert!(
                (found - exact).abs() <= 1.0 + exact / (1u64 << 38) as f64,
                "{elapsed}: {found}, {exact}"
            );
        }
    }

    /// The times are one step of the exponent apart, over a whole half-life and into the next.
    #[test]
    fn decay_never_rises_in_the_smallest_steps() {
        let (height, half_life) = (Utility(u64::MAX), ns(1 << DIGITS));
        for block in 0..2_000u64 {
            let start = block * ((1 << (DIGITS + 1)) / 2_000) / 64 * 64;
            let mut before = u64::MAX;
            for elapsed in start.saturating_sub(2)..start + 70 {
                let now = halved(height, half_life, ns(elapsed)).0;
                assert!(now <= before, "rises at {elapsed}");
                before = now;
            }
        }
    }

    #[test]
    fn utilities_are_written_exactly() {
        let texts = [0, 1, 1_500_000, 12_000_000, 10].map(|millionths| Utility(millionths).to_string());
        assert_eq!(texts, ["0", "0.000001", "1.5", "12", "0.00001"]);
    }
}
