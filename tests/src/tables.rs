//! Tables of the documents that a long run writes.

use crate::climb::{ClimbPower, ClimbRow};
use crate::features::{FeaturePower, REFUSED};
use schedlab_analysis::blocking::{Method, METHODS};
use schedlab_lock::{posix, ALL_PROTOCOLS};
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::LockingClass;
use schedlab_scenario::mutex_of;
use std::fmt::Write as _;

/// The document, with what stands between the marks of `table` replaced; `None` if it has no such marks.
pub fn replaced(document: &str, table: &str, text: &str) -> Option<String> {
    let (begin, end) =
        (format!("<!-- {table}: written by soak. -->\n"), format!("<!-- End of {table}. -->\n"));
    let from = document.find(&begin)? + begin.len();
    let until = from + document[from..].find(&end)?;
    Some(format!("{}\n{text}\n{}", &document[..from], &document[until..]))
}

/// The names of the tables.
pub const PAIRS: &str = "The pairs";
/// See above.
pub const CLIMBS: &str = "The climbs";

/// Which pairs of features a run drew, and how many cases contradicted what analysis says.
pub fn pairs(power: &FeaturePower, wrong: usize) -> String {
    let mut text = format!(
        "{} scenarios were drawn, {} of them simulated. {} of these had a verdict or a bound to be held against.\n\
         Contradictions: {wrong}.\n\n```text\n{}```\n",
        power.scenes,
        power.simulated,
        power.judged,
        power.matrix()
    );
    text.push_str("\nRefused by design, besides two schedulers or two protocols at once:\n\n");
    for (a, b, why) in REFUSED {
        let _ = writeln!(text, "* {}:\n  not with {}.\n  Reason: {why}.", a.join(", "), b.join(", "));
    }
    text
}

/// How near climbs came to bounds on blocking, and to the response times that rest on them; `wrong` of them exceeded
/// a bound.
pub fn climbs(power: &ClimbPower, wrong: usize) -> String {
    let row = |name: &str, of: &'static str| power.rows.get(&(name.to_owned(), of));
    let mut text = format!(
        "{} systems, {} steps of climbs and as many plans drawn at random. Contradictions: {wrong}.\n\n\
         Blocking, with the number of climbs towards either:\n\n\
         | method, protocol | climbs | drawn, largest | climbed, mean | climbed, largest |\n|---|---|---|---|---|\n",
        power.systems, power.steps
    );
    for name in bounds() {
        let both = ["blocking", "response"].into_iter().filter_map(|of| row(&name, of));
        let climbs: u64 = both.map(|row| row.climbs).sum();
        let _ = writeln!(text, "| `{name}` | {climbs} | {} |", cells(row(&name, "blocking")));
    }
    text.push_str(
        "\nResponse times:\n\n| method, protocol | drawn, largest | climbed, mean | climbed, largest |\n",
    );
    text.push_str("|---|---|---|---|\n");
    for name in bounds() {
        let _ = writeln!(text, "| `{name}` | {} |", cells(row(&name, "response")));
    }
    text
}

/// By method and protocol: the names of all bounds on blocking.
pub fn bounds() -> Vec<String> {
    let methods = METHODS.iter().chain(PROGRAMS);
    let of_method = |method: &'static Method| {
        let names: Vec<&str> = match method.classes.contains(&LockingClass::Posix) {
            true => mutexes(),
            false => {
                let kept = ALL_PROTOCOLS.iter().filter(|protocol| method.classes.contains(&protocol.class));
                kept.map(|protocol| protocol.name).collect()
            }
        };
        names.into_iter().map(|protocol| format!("{}, {protocol}", method.test.name)).collect::<Vec<_>>()
    };
    methods.flat_map(of_method).collect()
}

/// The protocols of systems whose resources are mutexes of POSIX: one for all of them, or one for each. Their class is
/// that of the system, not of a protocol that has a name.
fn mutexes() -> Vec<&'static str> {
    let of_all = ALL_PROTOCOLS.iter().filter(|protocol| mutex_of(protocol).is_some());
    let by_resource = posix(&ALL_PROTOCOLS[0], std::iter::empty());
    of_all.map(|protocol| protocol.name).chain([by_resource.name]).collect()
}

fn cells(row: Option<&ClimbRow>) -> String {
    match row {
        None => "- | - | -".to_owned(),
        Some(row) => {
            let [_, drawn, mean, climbed] = row.ratios();
            format!("{drawn:.3} | {mean:.3} | {climbed:.3}")
        }
    }
}
