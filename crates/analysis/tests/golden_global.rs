//! Every golden value of global tests, from tests/golden/vectors: families `gedf` and `gfp`.
//!
//! Golden times are microseconds; tests do not care about the unit, so they are taken for nanoseconds.

use flate2::read::GzDecoder;
use schedlab_analysis::multiprocessor::bertogna_cirinei_edf::{self, Rounds};
use schedlab_analysis::multiprocessor::bertogna_cirinei_fp::{self, Carry};
use schedlab_analysis::multiprocessor::{
    baruah, bcl, bcl_iterative, ff_dbf, guan, liu_anderson, load, load_approximation,
};
use schedlab_analysis::{
    registry, AnalysedOrder, AnalysedScheduler, Answer, Arrivals, Bounds, Guarantee, System, Test,
};
use schedlab_model::{Duration, Task, Work};
use serde_json::{json, Value};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

fn records(family: &str) -> impl Iterator<Item = Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../../tests/golden/vectors/{family}.jsonl.gz"));
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    BufReader::new(GzDecoder::new(file)).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

fn tasks(record: &Value) -> Vec<Task> {
    let task = |row: &Value| {
        let row = numbers(row);
        Task::constrained(Work::from_ns(row[0]), Duration::from_ns(row[1]), Duration::from_ns(row[2]))
    };
    record["tasks"].as_array().unwrap().iter().map(task).collect()
}

fn gedf(record: &Value) -> System {
    let edf = AnalysedScheduler { arrivals: Arrivals::Sporadic, ..AnalysedScheduler::EDF };
    System::global(&tasks(record), record["m"].as_u64().unwrap() as u32, &edf).unwrap()
}

fn accepts(test: &Test, system: &System) -> bool {
    (test.run)(system).answer == Answer::Schedulable
}

#[test]
fn global_edf() {
    let tests = [
        ("bcl", &bcl::TEST),
        ("bcl_iterative", &bcl_iterative::TEST),
        ("rta", &bertogna_cirinei_edf::TEST),
        ("bar", &baruah::TEST),
        ("la", &liu_anderson::TEST),
    ];
    let mut checked = 0;
    for record in records("gedf") {
        let system = gedf(&record);
        for (name, test) in tests {
            if let Some(expected) = record["results"][name].as_bool() {
                assert_eq!(accepts(test, &system), expected, "{} {name}", record["id"]);
                checked += 1;
            }
        }
    }
    assert!(checked > 4000, "{checked}");
}

/// Peers look for a speed on a grid: what they accept is accepted, and on their grid we find what they find.
#[test]
fn forced_forward_demand() {
    let (mut checked, mut more) = (0, 0);
    for record in records("gedf") {
        let Some(expected) = record["results"]["ffdbf"].as_bool() else { continue };
        let system = gedf(&record);
        assert_eq!(ff_dbf::holds_on_grid(&system, 50, 10), Some(expected), "{}", record["id"]);
        let accepted = accepts(&ff_dbf::TEST, &system);
        assert!(accepted || !expected, "{}", record["id"]);
        more += u32::from(accepted && !expected);
        checked += 1;
    }
    println!("{checked} sets; {more} are accepted that no speed of the grid accepts");
    assert!(checked > 1400 && more > 10, "{checked} {more}");
}

/// Peers approximate the load: the approximation agrees, and without it no set is lost but those where a relative
/// deadline beyond the period was taken for room (docs/peers.md).
#[test]
fn load() {
    let (mut checked, mut more, mut fewer) = (0, 0, 0);
    for record in records("gedf") {
        let Some(expected) = record["results"]["load"].as_bool() else { continue };
        let system = gedf(&record);
        let approximated = load_approximation::holds(&system, 10);
        assert_eq!(approximated, Some(expected), "{}", record["id"]);
        let exactly = accepts(&load::TEST, &system);
        let constrained = system.has_constrained_deadlines();
        assert!(exactly || !expected || !constrained, "{}", record["id"]);
        let annotated = record["annotations"]["load_with_exact_load"].as_bool() == Some(true);
        assert!(!annotated || exactly, "{}", record["id"]);
        assert_eq!(constrained && exactly && !expected, annotated && constrained, "{}", record["id"]);
        more += u32::from(exactly && !expected);
        fewer += u32::from(!exactly && expected);
        checked += 1;
    }
    println!("{checked} sets; the exact load accepts {more} more, the density to the period {fewer} fewer");
    assert!(checked > 1500 && more > 5, "{checked} {more}");
}

/// A peer's combination, and ours, which asks more tests.
#[test]
fn any_of_the_tests() {
    let parts = ["baker", "gfb", "bertogna_cirinei_edf", "baruah", "liu_anderson"];
    let parts = parts.map(|name| registry::find(name).unwrap());
    let ours = registry::find("global_edf").unwrap();
    let (mut checked, mut more) = (0, 0);
    for record in records("gedf") {
        let system = gedf(&record);
        let accepted = accepts(ours, &system);
        // BCL and its iteration are not asked, since they prove nothing more.
        let all = registry::TESTS
            .iter()
            .filter(|test| test.guarantee == Guarantee::Hard && test.name != "one_processor_each");
        assert_eq!(accepted, all.filter(|test| (test.applies)(&system)).any(|test| accepts(test, &system)));
        let Some(expected) = record["results"]["any_default"].as_bool() else { continue };
        assert_eq!(parts.iter().any(|test| accepts(test, &system)), expected, "{}", record["id"]);
        assert!(accepted || !expected, "{}", record["id"]);
        more += u32::from(accepted && !expected);
        checked += 1;
    }
    println!("{checked} sets; {more} more by all tests together");
    assert!(checked > 1400, "{checked}");
}

#[test]
fn response_times_of_global_edf() {
    let (mut checked, mut smaller) = (0, 0);
    for record in records("gedf") {
        let Some(expected) = record["results"].get("rta_response") else { continue };
        let system = gedf(&record);
        let found = bertogna_cirinei_edf::bounds(&system, Rounds::UntilProved);
        assert_eq!(json!(found), *expected, "{}", record["id"]);
        checked += 1;
        let Some(found) = found else { continue };
        // Going on only makes bounds smaller, and the verdict carries the smallest.
        let best = bertogna_cirinei_edf::bounds(&system, Rounds::AsLongAsTheyHelp).unwrap();
        assert!(best.iter().zip(&found).all(|(best, found)| best <= found), "{}", record["id"]);
        smaller += u32::from(best != found);
        let Bounds::ResponseTime(bounds) = (bertogna_cirinei_edf::TEST.run)(&system).bounds else { panic!() };
        assert_eq!(bounds, best.iter().map(|&b| Some(Duration::from_ns(b))).collect::<Vec<_>>());
    }
    println!("{checked} sets, {smaller} with smaller bounds after more rounds");
    assert!(checked > 1400 && smaller > 100, "{checked} {smaller}");
}

/// A fixed-priority system in the record's order.
fn gfp(record: &Value) -> System {
    let tasks = tasks(record);
    let mut ranks = vec![0; tasks.len()];
    for (rank, index) in numbers(&record["fp_order"]).into_iter().enumerate() {
        ranks[index as usize] = rank as u32;
    }
    let scheduler = AnalysedScheduler {
        order: AnalysedOrder::FixedPriority,
        preemptive: true,
        ranks: &ranks,
        points: &[],
        arrivals: Arrivals::Sporadic,
    };
    System::global(&tasks, record["m"].as_u64().unwrap() as u32, &scheduler).unwrap()
}

#[test]
fn global_fixed_priorities() {
    let mut checked = 0;
    let (mut capped_is_smaller, mut more) = (0, 0);
    for record in records("gfp") {
        let system = gfp(&record);
        let found = [
            ("guan", guan::bounds(&system)),
            ("bertogna_slack", bertogna_cirinei_fp::bounds(&system, Carry::Response, false)),
            ("bertogna_noslack", bertogna_cirinei_fp::bounds(&system, Carry::Deadline, false)),
        ];
        for (name, found) in &found {
            let ours = json!({ "ok": found.iter().all(Option::is_some), "resp": found });
            assert_eq!(ours, record["results"][name], "{} {name}", record["id"]);
            checked += 1;
        }
        // The published cap only helps, and slack does too.
        let published = bertogna_cirinei_fp::bounds(&system, Carry::Response, true);
        let at_most = |a: &[Option<u64>], b: &[Option<u64>]| {
            a.iter().zip(b).all(|(a, b)| b.is_none_or(|b| a.is_some_and(|a| a <= b)))
        };
        assert!(at_most(&published, &found[1].1), "{}", record["id"]);
        assert!(at_most(&published, &bertogna_cirinei_fp::bounds(&system, Carry::Deadline, true)));
        assert!(at_most(&found[1].1, &found[2].1), "{}", record["id"]);
        capped_is_smaller += u32::from(published != found[1].1);
        more += u32::from(published.iter().all(Option::is_some) && !found[1].1.iter().all(Option::is_some));
        assert_eq!(accepts(&guan::TEST, &system), found[0].1.iter().all(Option::is_some));
    }
    println!(
        "{checked} values; the cap makes bounds smaller in {capped_is_smaller} sets and accepts {more} more"
    );
    assert!(checked > 2300 && more > 0, "{checked} {more}");
}

/// What the literature proves: a later test accepts whatever an earlier one does.
#[test]
fn dominance() {
    let chains: [&[&str]; 2] = [
        &["bcl", "bcl_iterative", "bertogna_cirinei_edf", "global_edf"],
        &["bertogna_cirinei_fp_no_slack", "bertogna_cirinei_fp"],
    ];
    let mut strictly = 0;
    for record in records("gedf").chain(records("gfp")) {
        let system = if record["family"] == "gedf" { gedf(&record) } else { gfp(&record) };
        for chain in chains {
            let tests: Vec<_> = chain.iter().map(|name| registry::find(name).unwrap()).collect();
            if (tests[0].applies)(&system) {
                let answers: Vec<bool> = tests.iter().map(|test| accepts(test, &system)).collect();
                assert!(answers.is_sorted(), "{} {chain:?} {answers:?}", record["id"]);
                strictly += u32::from(!answers[0] && answers[answers.len() - 1]);
            }
        }
    }
    assert!(strictly > 100, "{strictly}");
}

/// On one processor, the bounds of Guan et al. are the exact response times: no task carries in.
#[test]
fn guan_is_exact_on_one_processor() {
    let mut checked = 0;
    for record in records("gfp") {
        if record["m"] == 1 {
            assert_eq!(json!(guan::bounds(&gfp(&record))), record["results"]["uni_rta"]["resp"]);
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}
