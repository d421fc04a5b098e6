//! Names of a table's columns: what each means, and the unit that it states.
//!
//! A name is read in any case, with spaces, `_` or `-` between its words, and with a unit behind it: `period_ms`,
//! `Period (ms)`, `T [ms]`. A name that could mean two things is an error, because a guess could be wrong.

use crate::error::Problem;
use crate::quantity::{fraction, size_units, time_units, Millionths};
use schedlab_model::MutexProtocol;

/// Columns by the names that are written, each with the other names that are read, in small letters.
pub(super) const NAMES: [(&str, &[&str]); 10] = [
    ("name", &["task", "thread", "task name", "thread name", "comm"]),
    ("wcet", &["cost", "c", "max", "worst case", "worst case execution time", "execution time", "exec time"]),
    ("period", &["t", "cycle", "cycle time", "interval", "minimum inter arrival time"]),
    ("deadline", &["d", "relative deadline"]),
    ("offset", &["phase", "o"]),
    ("jitter", &["j", "release jitter"]),
    ("suspension", &["self suspension"]),
    ("working_set", &["working set size", "wss"]),
    ("priority", &["prio", "rt priority", "rt prio", "rtprio", "sched priority"]),
    ("processor", &["cpu", "core"]),
];

/// Names of priorities of which Linux takes the largest for the most urgent.
const OF_LINUX: [&str; 4] = ["rt priority", "rt prio", "rtprio", "sched priority"];

/// Words that may stand beside a statistic of costs.
const COST_WORDS: [&str; 7] = ["cost", "costs", "execution", "exec", "computation", "time", "times"];

/// Prefixes of columns that have the length of a critical section.
const SECTIONS: [&str; 4] = ["section", "lock", "mutex", "resource"];

/// The meaning of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The column that is written with this name.
    Field(&'static str),
    /// The least cost of a job.
    Least,
    /// The mean cost of a job.
    Mean,
    /// The cost that this share of the jobs does not exceed.
    Quantile(Millionths),
    /// The length of a critical section on the resource of this name.
    Section(String),
}

/// What the name of a column says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) meaning: Meaning,
    /// The unit of cells that are plain numbers.
    pub(super) unit: Option<&'static str>,
    /// True of the largest cost that was measured, which is no bound.
    pub(super) is_observed: bool,
    /// True of priorities of which the largest is the most urgent.
    pub(super) is_of_linux: bool,
    /// Protocol of the mutex whose sections the column has, if it states one.
    pub(super) protocol: Option<MutexProtocol>,
}

impl Heading {
    /// Reads the name of a column; `None` if it has no meaning here. A name of two meanings is an error.
    pub(super) fn of(text: &str) -> Result<Option<Heading>, Problem> {
        let (name, unit) = without_unit(text.trim());
        let found =
            |meaning| Heading { meaning, unit, is_observed: false, is_of_linux: false, protocol: None };
        if let Some((resource, protocol)) = section(name)? {
            return Ok(Some(Heading { protocol, ..found(Meaning::Section(resource)) }));
        }
        let words = words(name);
        if words == "p" {
            let sentence = format!("\"{text}\" may be the period or the priority");
            return Err(Problem::rule(sentence, "period or priority"));
        }
        let is_it = |(written, others): &&(&str, &[&str])| {
            words == written.replace('_', " ") || others.contains(&words.as_str())
        };
        if let Some((written, _)) = NAMES.iter().find(is_it) {
            let is_observed = words == "max";
            let is_of_linux = OF_LINUX.contains(&words.as_str());
            return Ok(Some(Heading { is_observed, is_of_linux, ..found(Meaning::Field(written)) }));
        }
        Ok(statistic(&words).map(|(meaning, is_observed)| Heading { is_observed, ..found(meaning) }))
    }
}

/// Splits a unit from the end of a column's name: `period_ms`, `period (ms)`, `period [ms]`, `period ms`.
fn without_unit(text: &str) -> (&str, Option<&'static str>) {
    let named = |unit: &str| time_units().chain(size_units()).find(|known| known.eq_ignore_ascii_case(unit));
    let bracketed = [('(', ')'), ('[', ']')].iter().find_map(|(open, close)| {
        let (name, unit) = text.strip_suffix(*close)?.rsplit_once(*open)?;
        Some((name, named(unit.trim())?))
    });
    let behind = || {
        let (name, unit) = text.rsplit_once(['_', ' ', '-', '/'])?;
        Some((name, named(unit)?))
    };
    match bracketed.or_else(behind) {
        Some((name, unit)) if !name.trim().is_empty() => (name.trim(), Some(unit)),
        Some(_) | None => (text, None),
    }
}

/// Words of a name, in small letters, with a space between each and the next.
fn words(name: &str) -> String {
    let small = name.to_lowercase();
    small.split(['_', ' ', '-', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the resource of a column such as `mutex:map`, and the protocol that one such as `mutex:map:inherit` states.
fn section(name: &str) -> Result<Option<(String, Option<MutexProtocol>)>, Problem> {
    let Some((prefix, resource)) = name.split_once(':') else { return Ok(None) };
    let is_known = SECTIONS.contains(&prefix.to_lowercase().as_str());
    let (resource, protocol) = match resource.rsplit_once(':') {
        Some((resource, protocol)) => (resource.trim(), Some(protocol.trim())),
        None => (resource.trim(), None),
    };
    if !is_known || resource.is_empty() {
        return Ok(None);
    }
    let Some(named) = protocol else { return Ok(Some((resource.to_owned(), None))) };
    let protocol = MutexProtocol::NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(named));
    let Some((_, protocol)) = protocol else {
        let names = MutexProtocol::NAMED.iter().map(|(known, _)| *known);
        return Err(Problem::unknown_name("protocol of a mutex", named, names));
    };
    Ok(Some((resource.to_owned(), Some(*protocol))))
}

/// Reads a statistic of costs, such as `mean`, `cost p99` or `exec max`; also whether it is the largest that was seen.
fn statistic(words: &str) -> Option<(Meaning, bool)> {
    let is_of_costs = |word: &&str| COST_WORDS.contains(word);
    let mut others = words.split(' ').filter(|word| !is_of_costs(word));
    let (word, more) = (others.next()?, others.next());
    if more.is_some() {
        return None;
    }
    match word {
        "min" | "minimum" | "bcet" => Some((Meaning::Least, false)),
        "mean" | "avg" | "average" => Some((Meaning::Mean, false)),
        "median" => Some((Meaning::Quantile(fraction("0.5").ok()?), false)),
        "max" | "maximum" => Some((Meaning::Field("wcet"), true)),
        _ => {
            let percent = word.strip_prefix('p')?;
            let (whole, part) = percent.split_once('.').unwrap_or((percent, ""));
            let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
            let is_share = (1..=2).contains(&whole.len()) && is_number(whole) && is_number(part);
            let share = is_share.then(|| fraction(&format!("0.{whole:0>2}{part}")))?;
            Some((Meaning::Quantile(share.ok()?), false))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Meaning, Option<&'static str>)> {
        Heading::of(text).unwrap().map(|heading| (heading.meaning, heading.unit))
    }

    fn quantile(share: &str) -> Meaning {
        Meaning::Quantile(fraction(share).unwrap())
    }

    #[test]
    fn names_have_cases_separators_and_units() {
        for (text, written, unit) in [
            ("name", "name", None),
            ("Thread Name", "name", None),
            ("period_ms", "period", Some("ms")),
            ("Period (ms)", "period", Some("ms")),
            ("T [us]", "period", Some("us")),
            ("PERIOD ns", "period", Some("ns")),
            ("C_MS", "wcet", Some("ms")),
            ("max_us", "wcet", Some("us")),
            ("exec_time_max_us", "wcet", Some("us")),
            ("working_set_KiB", "working_set", Some("KiB")),
            ("rt-priority", "priority", None),
            ("cpu", "processor", None),
        ] {
            assert_eq!(read(text), Some((Meaning::Field(written), unit)), "{text}");
        }
    }

    #[test]
    fn statistics_are_of_costs_alone() {
        assert_eq!(read("mean_us"), Some((Meaning::Mean, Some("us"))));
        assert_eq!(read("p99.9 (ms)"), Some((quantile("0.999"), Some("ms"))));
        assert_eq!(read("cost_p5_ms"), Some((quantile("0.05"), Some("ms"))));
        assert_eq!(read("median"), Some((quantile("0.5"), None)));
        assert_eq!(read("bcet"), Some((Meaning::Least, None)));
        for other in ["response_time_max", "p", "p100", "p0", "px", "colour", "period_max", "wcet (cycles)"] {
            assert!(!matches!(Heading::of(other), Ok(Some(_))), "{other}");
        }
    }

    #[test]
    fn sections_name_their_resource() {
        let map = Meaning::Section("Map".to_owned());
        assert_eq!(read("mutex:Map_us"), Some((map.clone(), Some("us"))));
        assert_eq!(read("Section: Map"), Some((map, None)));
        assert_eq!(read("mutex:"), None);
        assert_eq!(read("mutex::inherit"), None);
    }

    #[test]
    fn sections_may_name_the_protocol_of_their_mutex() {
        let of = |text| Heading::of(text).map(|heading| heading.map(|known| (known.meaning, known.protocol)));
        let map = Meaning::Section("map".to_owned());
        for (text, protocol) in [
            ("mutex:map:inherit_us", Some(MutexProtocol::Inherit)),
            ("Mutex: map : Protect (ms)", Some(MutexProtocol::Protect)),
            ("lock:map:none", Some(MutexProtocol::None)),
            ("mutex:map", None),
        ] {
            assert_eq!(of(text), Ok(Some((map.clone(), protocol))), "{text}");
        }
        let message = of("mutex:map:inherti_us").unwrap_err().to_string();
        assert!(message.contains("did you mean inherit?"), "{message}");
    }

    #[test]
    fn what_is_observed_and_what_is_of_linux_is_known() {
        let of = |text| Heading::of(text).unwrap().unwrap();
        assert!(of("max").is_observed && of("cost max").is_observed && !of("wcet").is_observed);
        assert!(of("rtprio").is_of_linux && !of("priority").is_of_linux);
    }
}
