//! The periods of automotive engine control software.
//!
//! S. Kramer, D. Ziegenbein, A. Hamann, "Real world automotive benchmarks for free", WATERS 2015, table III:
//! the share of runnables of each period. The shares add up to 100% only with the 15% of runnables that the
//! crankshaft activates, which have no period; what becomes of them has to be said, as published users differ.

use super::choice::WeightedPeriods;
use super::range::period;
use super::Periods;
use crate::generate::form::SpecForm;
use crate::words::{SpecError, Words};

pub(super) const FORM: SpecForm<Periods> = SpecForm {
    written: &[
        ("automotive angle-dropped", "WATERS 2015 without the 15% angle-synchronous share"),
        ("automotive angle-at PERIOD", "WATERS 2015 with the angle-synchronous share at this period"),
    ],
    read: |words| Ok(Periods::new(automotive(angle(words)?))),
};

/// Periods in ns with their shares in percent, without the angle-synchronous runnables.
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

/// Treatment of the angle-synchronous share.
enum Angle {
    /// The share is left out, and the others grow in proportion.
    Dropped,
    /// The share gets this period in ns: 20 ms is used by generators of end-to-end latency studies, 15 ms is one
    /// activation per combustion of a four-cylinder engine at 2,000 rpm (120 s/(rpm*cylinders)).
    At(u64),
}

/// The distribution of WATERS 2015.
fn automotive(angle: Angle) -> WeightedPeriods {
    let angle = match angle {
        Angle::Dropped => None,
        Angle::At(period) => Some((period, ANGLE_SYNCHRONOUS_SHARE)),
    };
    WeightedPeriods::new(PERIOD_SHARES.into_iter().chain(angle))
}

/// Reads the treatment of the angle-synchronous share.
fn angle(words: &mut Words<'_>) -> Result<Angle, SpecError> {
    const ALLOWED: &str =
        "`angle-dropped` or `angle-at PERIOD`: what becomes of the 15% angle-synchronous share";
    match words.word("`angle-dropped` or `angle-at PERIOD`")? {
        "angle-dropped" => Ok(Angle::Dropped),
        "angle-at" => Ok(Angle::At(period(words, "the period of the angle-synchronous share")?)),
        other => Err(words.unknown(other, ALLOWED)),
    }
}
