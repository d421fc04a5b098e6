//! The periods of automotive engine control software.
//!
//! S. Kramer, D. Ziegenbein, A. Hamann, "Real world automotive benchmarks for free", WATERS 2015, table III:
//! the share of runnables of each period. The shares add up to 100% only with the 15% of runnables that the
//! crankshaft activates, which have no period; what becomes of them has to be said, as published users differ.

use super::WeightedPeriods;

/// Period in nanoseconds and share in percent, without the angle-synchronous runnables.
pub const PERIOD_SHARES: [(u64, u32); 9] = [
    (1_000_000, 3),
    (2_000_000, 2),
    (5_000_000, 2),
    (10_000_000, 25),
    (20_000_000, 25),
    (50_000_000, 3),
    (100_000_000, 20),
    (200_000_000, 1),
    (1_000_000_000, 4),
];

/// The share in percent of the angle-synchronous runnables.
pub const ANGLE_SYNCHRONOUS_SHARE: u32 = 15;

/// What becomes of the angle-synchronous share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Angle {
    /// It is left out, and the others grow in proportion.
    Dropped,
    /// It gets this period in nanoseconds: 20 ms is what generators of end-to-end latency studies use,
    /// 15 ms is one activation per combustion of a four-cylinder engine at 2,000 rpm (120 s/(rpm*cylinders)).
    At(u64),
}

/// The distribution of WATERS 2015.
pub fn automotive(angle: Angle) -> WeightedPeriods {
    let angle = match angle {
        Angle::Dropped => None,
        Angle::At(period) => Some((period, ANGLE_SYNCHRONOUS_SHARE)),
    };
    WeightedPeriods::new(PERIOD_SHARES.into_iter().chain(angle))
}
