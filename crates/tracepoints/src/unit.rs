//! Units of a trace's stamps, which the file does not always state.

use schedlab_scenario::duration;
use schemars::JsonSchema;
use serde::Serialize;

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// How the stamps of a trace are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamps {
    /// Seconds with a point, which are kept as nanoseconds.
    Seconds,
    /// Microseconds since the first event (latency format), which are kept as nanoseconds.
    Relative,
    /// Nanoseconds, by the format.
    Nanoseconds,
    /// Whole numbers without a unit: nanoseconds, ticks of a counter, or numbers of events.
    Bare,
}

/// Meaning of the stamps of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StampUnit {
    /// The stamps are times.
    Time,
    /// The stamps are whole numbers whose unit the file does not state.
    Unknown,
    /// The stamps are numbers of events, and no times.
    Counts,
}

/// Unit of bare stamps, as the user states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Stamps in a second.
    per_second: u64,
}

impl Unit {
    /// Reads a unit: a length of time such as `ns` or `10 us`, or a rate such as `2.45 GHz`.
    pub fn parse(text: &str) -> Option<Unit> {
        let text = text.trim();
        let per_second = match rate(text) {
            Some(per_second) => per_second,
            None => {
                let is_number = text.starts_with(|first: char| first.is_ascii_digit());
                let length = if is_number { text.to_owned() } else { format!("1{text}") };
                let ns = duration(&length).ok()?.as_ns();
                (ns > 0 && SECOND % ns == 0).then(|| SECOND / ns)?
            }
        };
        (per_second > 0).then_some(Unit { per_second })
    }

    /// Returns the stamp in nanoseconds, rounded down.
    pub(crate) fn ns(self, stamp: u64) -> u64 {
        let ns = u128::from(stamp) * u128::from(SECOND) / u128::from(self.per_second);
        u64::try_from(ns).unwrap_or(u64::MAX)
    }
}

/// Reads a rate, such as `2447.9 MHz`, in hertz.
fn rate(text: &str) -> Option<u64> {
    let powers = [("GHz", 9), ("MHz", 6), ("kHz", 3), ("Hz", 0)];
    let (number, power) =
        powers.iter().find_map(|(name, power)| Some((text.strip_suffix(name)?.trim(), *power)))?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(part) || part.len() > power {
        return None;
    }
    let digits = format!("{whole}{part}{}", "0".repeat(power - part.len()));
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_lengths_or_rates() {
        let per_second = |text| Unit::parse(text).map(|unit| unit.per_second);
        let good =
            [("ns", SECOND), ("1 us", 1_000_000), ("10ns", 100_000_000), ("2.4479 GHz", 2_447_900_000)];
        for (text, expected) in good {
            assert_eq!(per_second(text), Some(expected), "{text}");
        }
        for wrong in ["", "x", "0 ns", "3 ns", "2.4", "GHz", "1.2345 kHz", "-1 Hz", "0 Hz"] {
            assert_eq!(per_second(wrong), None, "{wrong}");
        }
        let tsc = Unit::parse("2447.9 MHz").unwrap();
        assert_eq!(tsc.ns(2_447_900), 1_000_000);
        assert_eq!(Unit::parse("1 Hz").unwrap().ns(u64::MAX), u64::MAX);
    }
}
