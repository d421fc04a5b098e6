//! The share of a processor that a task is entitled to.

use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

/// A task's rate of execution, `quanta` in every `slots`: a rational in (0, 1].
///
/// Not reduced: the task of 4/6 has patterns of four subtasks, the one of 2/3 of two, and their windows are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    quanta: u64,
    slots: u64,
}

/// Reason why a pair of numbers is no weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightError {
    /// The text is no fraction such as `3/10`, and no `1`.
    NotAFraction,
    /// The weight is zero: the task would never run.
    Zero,
    /// The weight is above 1: the task would need two processors at once.
    AboveOne {
        /// Quanta of the weight.
        quanta: u64,
        /// Slots of the weight.
        slots: u64,
    },
    /// The denominator is above [`Weight::MAX_SLOTS`].
    TooFine {
        /// Slots of the weight.
        slots: u64,
    },
}

impl fmt::Display for WeightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightError::NotAFraction => {
                write!(f, "is no fraction; allowed: quanta/slots such as 3/10, above 0, at most 1")
            }
            WeightError::Zero => write!(f, "a weight of 0; allowed: above 0, at most 1"),
            WeightError::AboveOne { quanta, slots } => {
                write!(f, "a weight of {quanta}/{slots}; allowed: above 0, at most 1")
            }
            WeightError::TooFine { slots } => {
                write!(f, "a weight with denominator {slots}; allowed: at most {}", Weight::MAX_SLOTS)
            }
        }
    }
}

impl core::error::Error for WeightError {}

impl Weight {
    /// The largest denominator: 2^40.
    pub const MAX_SLOTS: u64 = 1 << 40;

    /// The weight of `quanta` in every `slots`.
    pub const fn new(quanta: u64, slots: u64) -> Result<Weight, WeightError> {
        if quanta == 0 {
            Err(WeightError::Zero)
        } else if quanta > slots {
            Err(WeightError::AboveOne { quanta, slots })
        } else if slots > Self::MAX_SLOTS {
            Err(WeightError::TooFine { slots })
        } else {
            Ok(Weight { quanta, slots })
        }
    }

    /// The numerator: the number of subtasks in a pattern.
    #[inline]
    pub const fn quanta(self) -> u64 {
        self.quanta
    }

    /// The denominator: the number of slots in a pattern.
    #[inline]
    pub const fn slots(self) -> u64 {
        self.slots
    }

    /// True for a weight of 1/2 or more: only such tasks have group deadlines.
    #[inline]
    pub(crate) const fn is_heavy(self) -> bool {
        2 * self.quanta >= self.slots
    }

    /// Compares the rational numbers, whatever their denominators.
    pub(crate) fn compare(self, other: Weight) -> Ordering {
        let cross = |a: u64, b: u64| u128::from(a) * u128::from(b);
        cross(self.quanta, other.slots).cmp(&cross(other.quanta, self.slots))
    }
}

impl FromStr for Weight {
    type Err = WeightError;

    /// Reads `3/10`, or `1`.
    fn from_str(text: &str) -> Result<Weight, WeightError> {
        let number = |part: &str| {
            let part = part.trim();
            let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse::<u64>().ok()).flatten().ok_or(WeightError::NotAFraction)
        };
        let (quanta, slots) = text.split_once('/').unwrap_or((text, "1"));
        match (number(quanta)?, number(slots)?) {
            (_, 0) => Err(WeightError::NotAFraction),
            (quanta, slots) => Weight::new(quanta, slots),
        }
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.quanta, self.slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn refuses_what_is_no_weight() {
        assert_eq!(Weight::new(0, 4), Err(WeightError::Zero));
        assert_eq!(Weight::new(0, 0), Err(WeightError::Zero));
        let above = Weight::new(5, 4).unwrap_err();
        assert_eq!(above.to_string(), "a weight of 5/4; allowed: above 0, at most 1");
        assert_eq!(Weight::new(1, (1 << 40) + 1), Err(WeightError::TooFine { slots: (1 << 40) + 1 }));
        assert!(Weight::new(1 << 40, 1 << 40).is_ok());
    }

    #[test]
    fn compares_rationals() {
        let weight = |e, p| Weight::new(e, p).unwrap();
        assert_eq!(weight(2, 3).compare(weight(4, 6)), Ordering::Equal);
        assert_eq!(weight(1 << 39, 1 << 40).compare(weight(1, 2)), Ordering::Equal);
        assert_eq!(weight((1 << 40) - 1, 1 << 40).compare(weight(1, 1)), Ordering::Less);
        assert!(weight(1, 2).is_heavy() && !weight(49, 99).is_heavy());
    }
}
