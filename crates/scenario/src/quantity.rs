//! Exact quantities written as text: durations, bytes, fractions, overheads that grow with the tasks.
//!
//! No floating point: `"2.5 ms"` is 2,500,000 ns because 25 tenths of 1,000,000 are, and a value that is
//! not a whole number of nanoseconds is refused rather than rounded.

use schedlab_model::{Cost, Duration, OneWord, Utility};

/// The largest number of processors.
pub(crate) const MOST_PROCESSORS: u16 = 4096;

/// Longest duration in a scenario: a year of 365 days.
///
/// Sums of hundreds of such durations still fit into 64 bits, so no sum that a scenario asks for wraps.
pub const LONGEST: Duration = Duration::from_ns(365 * 86_400 * 1_000_000_000);

/// The largest working set, in bytes: a tebibyte.
pub(crate) const LARGEST_WORKING_SET: u64 = 1 << 40;

/// The largest utility of a completion: 10^9 units.
pub(crate) const LARGEST_UTILITY: Utility = Utility::from_millionths(1_000_000_000_000_000);

/// Steepest growth of an overhead for each task, in ps: a second.
const STEEPEST_PS: u128 = 1_000_000_000_000;

/// Allowed durations, for messages.
pub const DURATION: &str = "a duration such as \"2.5 ms\" (units: h, min, s, ms, us, ns; at most a year)";
/// Allowed positive durations, for messages.
pub(crate) const POSITIVE: &str =
    "a positive duration such as \"2.5 ms\" (units: h, min, s, ms, us, ns; at most a year)";
/// Allowed numbers of bytes, for messages.
pub(crate) const BYTES: &str =
    "a whole number of bytes, or text such as \"64 KiB\" (units: B, kB, KiB, MB, MiB, GB, GiB; at most 1024 GiB)";
/// Allowed fractions, for messages.
pub(crate) const FRACTION: &str = "a number above 0 and at most 1 with at most six decimals, such as 0.25";
/// Allowed utilities, for messages.
pub(crate) const UTILITY: &str = "a number from 0 to 1000000000 with at most six decimals, such as 2.5";
/// Allowed costs, for messages.
pub(crate) const COST: &str = "a duration such as \"2.5 us\", growth with the number N of tasks such as \
    \"22.96 us + 0.075 us * N\", \"not applicable\", or a table such as \
    { working_set = [[\"4 KiB\", \"10 us\"], [\"64 KiB\", \"90 us\"]] } or { tasks = [[10, \"2 us\"], [40, \"5 us\"]] }, \
    of scheduling also { ready = [[1, \"1 us\"], [40, \"5 us\"]] } by ready jobs";

/// Reason why a text is not a quantity; completes a sentence that the text begins.
pub(crate) type Why = &'static str;

/// Units of time in picoseconds.
const TIME_UNITS: &[(&str, u128)] = &[
    ("h", 3_600_000_000_000_000),
    ("min", 60_000_000_000_000),
    ("s", 1_000_000_000_000),
    ("ms", 1_000_000_000),
    ("us", 1_000_000),
    ("\u{b5}s", 1_000_000),
    ("\u{3bc}s", 1_000_000),
    ("ns", 1_000),
    ("ps", 1),
];
const SIZE_UNITS: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
];

/// The names of the units of time.
pub(crate) fn time_units() -> impl Iterator<Item = &'static str> {
    TIME_UNITS.iter().map(|(name, _)| *name)
}

/// The names of the units of size.
pub(crate) fn size_units() -> impl Iterator<Item = &'static str> {
    SIZE_UNITS.iter().map(|(name, _)| *name)
}

/// Reason: a malformed number that is followed by a unit.
const MALFORMED: Why = "is not a plain decimal number with a unit";
/// Reason: a malformed number that no unit follows.
const NO_UNIT: Why = "is not a plain decimal number";

/// Reads `12`, `0.5` or `1_000.25` (digits with at most one point inside) times `by`. The caller gives the reasons for
/// a `malformed` number and for a product that is `not_whole`.
fn times(text: &str, by: u128, malformed: Why, not_whole: Why) -> Result<u128, Why> {
    if text.starts_with('-') {
        return Err("is negative");
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let number = |part: &str| {
        part.chars().all(|c| c.is_ascii_digit() || c == '_') && part.starts_with(|c: char| c.is_ascii_digit())
    };
    if !number(whole) || !number(part) {
        return Err(malformed);
    }
    let part = part.trim_end_matches(['0', '_']);
    let digits: String = whole.chars().chain(part.chars()).filter(|c| *c != '_').collect();
    let decimals = part.chars().filter(|c| *c != '_').count() as u32;
    if decimals > 18 {
        return Err("is too fine");
    }
    let scaled = digits.parse().ok().and_then(|digits: u128| digits.checked_mul(by)).ok_or("is too large")?;
    let divisor = 10u128.pow(decimals);
    if scaled % divisor == 0 {
        Ok(scaled / divisor)
    } else {
        Err(not_whole)
    }
}

/// Splits `2.5 ms` into `2.5` and `ms`.
fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || "._-+".contains(c))).unwrap_or(text.len());
    (text[..end].trim(), text[end..].trim())
}

/// Returns the reason against a number that does not end where its unit begins, such as the `1` of `1e3 ms`; `None` if
/// letters follow the digits, so that they may name a unit.
fn malformed(text: &str) -> Option<Why> {
    let (_, rest) = split_unit(text);
    let mut behind = rest.chars();
    let (first, second) = (behind.next()?, behind.next().unwrap_or(' '));
    let is_exponent = matches!(first, 'e' | 'E') && (second.is_ascii_digit() || matches!(second, '+' | '-'));
    if is_exponent {
        return Some("has an exponent, and is no plain decimal number such as 2000 or 0.002");
    }
    match first {
        ',' => Some("has a comma in its number: write 2.5 with a point, and thousands as 1000 or 1_000"),
        _ => rest.contains(|c: char| c.is_ascii_digit()).then_some(MALFORMED),
    }
}

fn picoseconds(text: &str) -> Result<u128, Why> {
    let (number, unit) = split_unit(text);
    if number.is_empty() {
        return Err(if text.trim().is_empty() { "is empty" } else { "does not begin with a number" });
    }
    if unit.is_empty() {
        return Err("has no unit");
    }
    let size = TIME_UNITS.iter().find(|(name, _)| *name == unit);
    let (_, size) = size.ok_or_else(|| malformed(text).unwrap_or("has a unit that is not one of time"))?;
    times(number, *size, MALFORMED, "is not a whole number of nanoseconds")
}

/// Reads a duration with a unit, a year at most. An error completes a sentence that the text begins.
pub fn duration(text: &str) -> Result<Duration, &'static str> {
    let ps = picoseconds(text)?;
    if ps % 1_000 != 0 {
        return Err("is not a whole number of nanoseconds");
    }
    match u64::try_from(ps / 1_000) {
        Ok(ns) if ns <= LONGEST.as_ns() => Ok(Duration::from_ns(ns)),
        _ => Err("is longer than a year"),
    }
}

/// Reads a duration written as a number of `unit` alone, as other tools do: `12.5` of `ms`.
pub(crate) fn duration_in(text: &str, unit: &str) -> Result<Duration, Why> {
    let text = text.trim();
    let (number, rest) = split_unit(text);
    match malformed(text) {
        Some(MALFORMED) => Err(NO_UNIT),
        Some(why) => Err(why),
        None if !rest.is_empty() && !number.is_empty() => Err("has a unit, which this format does not write"),
        None => {
            duration(&format!("{text}{unit}")).map_err(|why| if why == MALFORMED { NO_UNIT } else { why })
        }
    }
}

/// Writes `length` as a plain number of units, exactly; `None` if `whole` is set and the number is not whole.
pub(crate) fn in_unit(length: Duration, unit_ns: u64, whole: bool) -> Option<String> {
    let (count, rest) = (length.as_ns() / unit_ns, length.as_ns() % unit_ns);
    if rest == 0 {
        return Some(count.to_string());
    }
    if whole {
        return None;
    }
    let digits = unit_ns.ilog10() as usize;
    Some(format!("{count}.{rest:0digits$}").trim_end_matches('0').to_owned())
}

/// Reads a number of bytes, with or without unit.
pub fn bytes(text: &str) -> Result<u64, &'static str> {
    let (number, unit) = split_unit(text);
    if number.is_empty() {
        return Err("does not begin with a number");
    }
    let unit = if unit.is_empty() { "B" } else { unit };
    let size = SIZE_UNITS.iter().find(|(name, _)| *name == unit);
    let (_, size) = size.ok_or_else(|| malformed(text).unwrap_or("has a unit that is not one of bytes"))?;
    let count = times(number, u128::from(*size), MALFORMED, "is not a whole number of bytes")?;
    match u64::try_from(count) {
        Ok(bytes) if bytes <= LARGEST_WORKING_SET => Ok(bytes),
        _ => Err("is larger than 1024 GiB"),
    }
}

/// Writes bytes with the largest binary unit that keeps the number whole.
pub(crate) fn write_bytes(bytes: u64) -> String {
    for (unit, size) in [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] {
        if bytes >= size && bytes % size == 0 {
            return format!("{} {unit}", bytes / size);
        }
    }
    format!("{bytes} B")
}

/// A fraction above 0 and at most 1, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millionths(u32);

impl Millionths {
    /// One.
    pub const ONE: Millionths = Millionths(1_000_000);

    /// `millionths` of the whole, if that is above 0 and at most 1.
    pub fn from_millionths(millionths: u32) -> Option<Millionths> {
        (1..=1_000_000).contains(&millionths).then_some(Millionths(millionths))
    }

    /// The fraction in millionths.
    pub fn millionths(self) -> u32 {
        self.0
    }

    /// Returns this fraction of `value`, rounded up: never zero for a positive value.
    pub fn of(self, value: u64) -> u64 {
        let scaled = (u128::from(value) * u128::from(self.0)).div_ceil(1_000_000);
        scaled as u64 // at most `value`, since the fraction is at most one
    }
}

impl std::fmt::Display for Millionths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            1_000_000 => write!(f, "1.0"),
            part => write!(f, "0.{}", format!("{part:06}").trim_end_matches('0')),
        }
    }
}

fn millionths(text: &str) -> Result<u128, Why> {
    times(text.trim(), 1_000_000, "is not a plain decimal number", "has more than six decimals")
}

/// Reads a fraction such as `0.25`.
pub(crate) fn fraction(text: &str) -> Result<Millionths, Why> {
    let millionths = millionths(text)?;
    match u32::try_from(millionths).ok().and_then(Millionths::from_millionths) {
        Some(fraction) => Ok(fraction),
        None if millionths == 0 => Err("is zero"),
        None => Err("is above 1"),
    }
}

/// Reads a utility such as `2.5`.
pub(crate) fn utility(text: &str) -> Result<Utility, Why> {
    let utility = u64::try_from(millionths(text)?).map(Utility::from_millionths);
    utility.ok().filter(|utility| *utility <= LARGEST_UTILITY).ok_or("is too large")
}

/// Reads `12 us` or `22.96 us + 0.075 us * N`.
pub(crate) fn cost(text: &str) -> Result<Cost, Why> {
    let Some((base, growth)) = text.split_once('+') else {
        return Ok(Cost::Constant(duration(text)?));
    };
    let growth = growth.trim().strip_suffix('N').ok_or("has a second part that is not a duration times N")?;
    let growth = growth.trim().strip_suffix('*').ok_or("has a second part that is not a duration times N")?;
    let base = duration(base)?;
    let per_task_ps = picoseconds(growth)?;
    if per_task_ps > STEEPEST_PS {
        return Err("grows by more than a second for each task");
    }
    Ok(Cost::Linear { base, per_task_ps: per_task_ps as u64 })
}

/// Writes a constant or linear cost as [`cost`] reads it.
pub(crate) fn write_cost(base: Duration, per_task_ps: u64) -> String {
    let growth = match per_task_ps % 1_000 {
        0 => OneWord::from(Duration::from_ns(per_task_ps / 1_000)).to_string(),
        _ => format!("{per_task_ps}ps"),
    };
    format!("{} + {growth} * N", OneWord::from(base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_exact() {
        let ns = |text| duration(text).map(Duration::as_ns);
        assert_eq!(ns("2.5 ms"), Ok(2_500_000));
        assert_eq!(ns("40us"), Ok(40_000));
        assert_eq!(ns("0.000000001 s"), Ok(1));
        assert_eq!([ns("10min"), ns("0.5 min"), ns("1.5h")], [600, 30, 5_400].map(|s| Ok(s * 1_000_000_000)));
        assert_eq!(ns("8760 h"), Ok(LONGEST.as_ns()));
        assert_eq!(ns("1_000.250 us"), Ok(1_000_250));
        assert_eq!(ns(" 3 \u{b5}s "), Ok(3_000));
        assert_eq!(ns("0ns"), Ok(0));
        assert_eq!(ns("365_0000ps"), Ok(3_650));
    }

    #[test]
    fn what_is_no_duration_says_why() {
        for (text, why) in [
            ("", "is empty"),
            ("5", "has no unit"),
            ("ms", "does not begin with a number"),
            ("-5 ms", "is negative"),
            ("+5 ms", "is not a plain decimal number with a unit"),
            ("1e3 ms", "has an exponent, and is no plain decimal number such as 2000 or 0.002"),
            ("1e-3", "has an exponent, and is no plain decimal number such as 2000 or 0.002"),
            ("2,5 ms", "has a comma in its number: write 2.5 with a point, and thousands as 1000 or 1_000"),
            ("1,000us", "has a comma in its number: write 2.5 with a point, and thousands as 1000 or 1_000"),
            ("1 ms 5 us", "is not a plain decimal number with a unit"),
            ("5 eons", "has a unit that is not one of time"),
            ("8761 h", "is longer than a year"),
            ("5 mins", "has a unit that is not one of time"),
            ("1.2.3 ms", "is not a plain decimal number with a unit"),
            (".5 ms", "is not a plain decimal number with a unit"),
            ("0.5 ns", "is not a whole number of nanoseconds"),
            ("0.0000000000000000000001 s", "is too fine"),
            ("99999999999999999999999999999999999999999 s", "is too large"),
            ("31536001 s", "is longer than a year"),
        ] {
            assert_eq!(duration(text).unwrap_err(), why, "{text}");
        }
    }

    #[test]
    fn bytes_with_binary_and_decimal_units() {
        assert_eq!(bytes("64 KiB"), Ok(65_536));
        assert_eq!(bytes("64 kB"), Ok(64_000));
        assert_eq!(bytes("1.5KiB"), Ok(1_536));
        assert_eq!(bytes("17"), Ok(17));
        assert_eq!(bytes("0.3 KiB"), Err("is not a whole number of bytes"));
        assert_eq!(bytes("4 kb"), Err("has a unit that is not one of bytes"));
        assert!(bytes("1,5 KiB").is_err_and(|why| why.starts_with("has a comma in its number")));
        assert_eq!(bytes("2000 GiB"), Err("is larger than 1024 GiB"));
        assert_eq!(write_bytes(65_536), "64 KiB");
        assert_eq!(write_bytes(64_000), "64000 B");
    }

    #[test]
    fn fractions_round_up() {
        assert_eq!(fraction("0.25").map(|f| f.of(10)), Ok(3));
        assert_eq!(fraction("1").map(|f| f.of(u64::MAX)), Ok(u64::MAX));
        assert_eq!(fraction("0.000001").map(|f| f.of(1)), Ok(1));
        assert_eq!(fraction("0.0000001"), Err("has more than six decimals"));
        assert_eq!(fraction("0.1234567890123456789"), Err("is too fine"));
        assert_eq!(fraction("half"), Err("is not a plain decimal number"));
        assert_eq!(fraction("-0.5"), Err("is negative"));
        assert_eq!(fraction("0"), Err("is zero"));
        assert_eq!(fraction("1.5"), Err("is above 1"));
        assert_eq!(fraction("0.5").unwrap().to_string(), "0.5");
    }

    #[test]
    fn costs_keep_picoseconds() {
        assert_eq!(
            cost("22.96 us + 0.075 us * N"),
            Ok(Cost::Linear { base: Duration::from_ns(22_960), per_task_ps: 75_000 })
        );
        assert_eq!(cost("1us+1ps*N"), Ok(Cost::Linear { base: Duration::from_us(1), per_task_ps: 1 }));
        assert_eq!(cost("9.25 us"), Ok(Cost::Constant(Duration::from_ns(9_250))));
        assert!(cost("1 us + 2 us").is_err() && cost("1 us + N").is_err());
        assert_eq!(write_cost(Duration::from_ns(8_030), 67_000), "8.03us + 67ns * N");
        assert_eq!(write_cost(Duration::from_ns(8_030), 67_001), "8.03us + 67001ps * N");
    }

    #[test]
    fn other_tools_units() {
        assert_eq!(duration_in("12.5", "ms"), Ok(Duration::from_us(12_500)));
        for (text, why) in [
            ("1e1", "has an exponent, and is no plain decimal number such as 2000 or 0.002"),
            ("2,5", "has a comma in its number: write 2.5 with a point, and thousands as 1000 or 1_000"),
            ("1.2.3", "is not a plain decimal number"),
            ("1 2", "is not a plain decimal number"),
            ("10ms", "has a unit, which this format does not write"),
            ("many", "does not begin with a number"),
            ("-1", "is negative"),
            ("", "does not begin with a number"),
        ] {
            assert_eq!(duration_in(text, "ms").unwrap_err(), why, "{text}");
        }
        assert_eq!(in_unit(Duration::from_ns(12_345_678), 1_000_000, false).unwrap(), "12.345678");
        assert_eq!(in_unit(Duration::from_ns(12_340_000), 1_000_000, false).unwrap(), "12.34");
        assert_eq!(in_unit(Duration::from_ns(1_500), 1_000, true), None);
    }
}
