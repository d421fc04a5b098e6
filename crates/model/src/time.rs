//! Discrete time in whole nanoseconds: points, lengths, and amounts of work.
//!
//! Three types keep apart what the literature keeps apart. There is no `Instant + Instant`, and work
//! becomes elapsed time only by saying at which speed it is done. Arithmetic is checked: an overflow
//! panics in every build profile rather than wrap into a plausible number.

use core::fmt;
use core::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A point in time, in nanoseconds from the start of the experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

/// The length of an interval, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

/// An amount of processor service, in nanoseconds at unit speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Work(u64);

impl Instant {
    /// The start of the experiment.
    pub const ZERO: Instant = Instant(0);
    /// A point later than anything that happens.
    pub const NEVER: Instant = Instant(u64::MAX);

    /// The point `ns` nanoseconds after the start.
    pub const fn from_ns(ns: u64) -> Self {
        Instant(ns)
    }

    /// Nanoseconds since the start.
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// Returns this instant delayed by `by`, or `None` beyond the end of representable time.
    pub const fn checked_add(self, by: Duration) -> Option<Instant> {
        match self.0.checked_add(by.0) {
            Some(ns) => Some(Instant(ns)),
            None => None,
        }
    }

    /// The time from `earlier` to `self`, or zero if `earlier` is later.
    pub const fn saturating_since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// A length of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Duration(ns)
    }

    /// A length of `us` microseconds; panics on overflow.
    pub const fn from_us(us: u64) -> Self {
        Duration(us * 1_000)
    }

    /// A length of `ms` milliseconds; panics on overflow.
    pub const fn from_ms(ms: u64) -> Self {
        Duration(ms * 1_000_000)
    }

    /// Returns the length in nanoseconds.
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// True for a length of zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Work {
    /// No work at all.
    pub const ZERO: Work = Work(0);

    /// Work that takes `ns` nanoseconds at unit speed.
    pub const fn from_ns(ns: u64) -> Self {
        Work(ns)
    }

    /// Nanoseconds that this work takes at unit speed.
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// Returns the time that this work takes on a processor of unit speed.
    pub const fn at_unit_speed(self) -> Duration {
        Duration(self.0)
    }

    /// The work that a processor of unit speed does in `elapsed`.
    pub const fn done_in(elapsed: Duration) -> Work {
        Work(elapsed.0)
    }

    /// True when nothing is left to do.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    #[inline]
    fn add(self, by: Duration) -> Instant {
        Instant(self.0 + by.0)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, by: Duration) {
        self.0 += by.0;
    }
}

impl Sub for Instant {
    type Output = Duration;
    #[inline]
    fn sub(self, earlier: Instant) -> Duration {
        Duration(self.0 - earlier.0)
    }
}

/// Defines sums and differences of lengths, and of amounts of work.
macro_rules! amounts {
    ($($amount:ident)+) => {
        $(
            impl Add for $amount {
                type Output = $amount;
                #[inline]
                fn add(self, other: $amount) -> $amount {
                    $amount(self.0 + other.0)
                }
            }

            impl AddAssign for $amount {
                #[inline]
                fn add_assign(&mut self, other: $amount) {
                    self.0 += other.0;
                }
            }

            impl Sub for $amount {
                type Output = $amount;
                #[inline]
                fn sub(self, other: $amount) -> $amount {
                    $amount(self.0 - other.0)
                }
            }
        )+
    };
}

amounts!(Duration Work);

impl Mul<u64> for Duration {
    type Output = Duration;
    fn mul(self, times: u64) -> Duration {
        Duration(self.0 * times)
    }
}

impl SubAssign for Work {
    #[inline]
    fn sub_assign(&mut self, other: Work) {
        self.0 -= other.0;
    }
}

/// Writes nanoseconds with the largest unit that keeps the number exact: `2.5 ms`, `40 us`, `7 ns`.
fn write_exact(f: &mut fmt::Formatter<'_>, ns: u64, between: &str) -> fmt::Result {
    for (unit, size) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)] {
        if ns >= size && ns % (size / 1_000) == 0 {
            let (whole, rest) = (ns / size, ns % size / (size / 1_000));
            return match rest {
                0 => write!(f, "{whole}{between}{unit}"),
                r if r % 100 == 0 => write!(f, "{whole}.{}{between}{unit}", r / 100),
                r if r % 10 == 0 => write!(f, "{whole}.{:02}{between}{unit}", r / 10),
                r => write!(f, "{whole}.{r:03}{between}{unit}"),
            };
        }
    }
    write!(f, "{ns}{between}ns")
}

/// A time as one word, `2.5ms`: in lists of words and in files that are compared byte by byte.
#[derive(Clone, Copy, Debug)]
pub struct OneWord(u64);

impl fmt::Display for OneWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_exact(f, self.0, "")
    }
}

macro_rules! written {
    ($($time:ident)+) => {
        $(
            impl fmt::Display for $time {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write_exact(f, self.0, " ")
                }
            }

            impl From<$time> for OneWord {
                fn from(time: $time) -> Self {
                    OneWord(time.0)
                }
            }
        )+
    };
}

written!(Instant Duration Work);

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn prints_with_the_largest_exact_unit() {
        let drawn = |ns| Duration::from_ns(ns).to_string();
        assert_eq!(drawn(0), "0 ns");
        assert_eq!(drawn(2_500_000), "2.5 ms");
        assert_eq!(drawn(40_000), "40 us");
        assert_eq!(drawn(1_000_000_000), "1 s");
        assert_eq!(drawn(1_234), "1.234 us");
        assert_eq!(drawn(12_345_678), "12345.678 us");
        assert_eq!(OneWord::from(Duration::from_ns(1_234)).to_string(), "1.234us");
    }

    #[test]
    #[should_panic(expected = "overflow")]
    fn refuses_to_wrap() {
        let _ = Instant::NEVER + Duration::from_ns(1);
    }
}
