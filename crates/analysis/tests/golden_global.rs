//! Every golden value of global tests, from tests/golden/vectors: families `gedf` and `gfp`.
//!
//! Golden times are microseconds; tests do not care about the unit, so they are taken for nanoseconds.

use flate2::read::GzDecoder;
use schedlab_analysis::multiprocessor::bertogna_cirinei_edf::{self, Rounds};
use schedlab_analysis::multiprocessor::bertogna_cirinei_fp::{self, Carry};
use schedlab_analysis::multiprocessor::{bcl, bcl_iterative, guan};
use schedlab_analysis::{Answer, Arrivals, Bounds, Order, Scheduler, System, Test};
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
    let edf = Scheduler { arrivals: Arrivals::Sporadic, ..Scheduler::EDF };
    System::global(&tasks(record), record["m"].as_u64().unwrap() as u32, &edf).unwrap()
}

fn accepts(test: &Test, system: &System) -> bool {
    (test.run)(system).answer == Answer::Schedulable
}

#[test]
fn global_edf() {
    let tests =
        [("bcl", &bcl::TEST), ("bcl_iterative", &bcl_iterative::TEST), ("rta", &bertogna_cirinei_edf::TEST)];
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
    for (rank, at) in numbers(&record["fp_order"]).into_iter().enumerate() {
        ranks[at as usize] = rank as u32;
    }
    let scheduler = Scheduler {
        order: Order::FixedPriority,
        preemptive: true,
        ranks: &ranks,
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
