//! Golden values of tests for one processor that give numbers, from tests/golden/vectors.
//!
//! Golden times are microseconds; tests do not care about the unit, so they are taken for nanoseconds.

use flate2::read::GzDecoder;
use schedlab_analysis::uniprocessor::c_equals_d;
use schedlab_analysis::uniprocessor::edf_response_time::{approximate, exact, peer_approximation, JobStream};
use schedlab_analysis::uniprocessor::suspension_aware::{bounds, Choice};
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Arrivals, Budget, System};
use schedlab_model::{Duration, Suspension, Task, Work};
use serde_json::{json, Value};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

fn records() -> impl Iterator<Item = Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/vectors/uni.jsonl.gz");
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    BufReader::new(GzDecoder::new(file)).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

fn rows(record: &Value) -> Vec<Vec<u64>> {
    record["tasks"].as_array().unwrap().iter().map(numbers).collect()
}

fn streams(record: &Value) -> Vec<JobStream> {
    let of = |row: Vec<u64>| JobStream { cost: row[0], period: row[1], relative_deadline: row[2], jitter: 0 };
    rows(record).into_iter().map(of).collect()
}

#[test]
fn response_times_of_edf() {
    let (mut checked, mut ties) = (0, 0);
    for record in records() {
        let (streams, results) = (streams(&record), &record["results"]);
        let of =
            |found: Result<Vec<u128>, _>| json!(found.unwrap().iter().map(|&r| r as u64).collect::<Vec<_>>());
        if results["edf_wcrt"].is_null() {
            continue;
        }
        let ours = of(exact(&streams, &mut Budget::default()));
        assert_eq!(ours, results["edf_wcrt"], "{}", record["id"]);
        checked += 1;
        let theirs = &results["edf_wcrt_approx_gy"];
        if !theirs.is_null() {
            let peer = of(peer_approximation(&streams, &mut Budget::default()));
            assert_eq!(peer, *theirs, "{}", record["id"]);
            let bound = of(approximate(&streams, &mut Budget::default()));
            let pairs = || numbers(&bound).into_iter().zip(numbers(&ours));
            assert!(pairs().all(|(bound, exact)| bound >= exact), "{}", record["id"]);
            ties += u32::from(bound != peer);
        }
    }
    assert!(checked > 600 && ties > 0, "{checked} {ties}");
}

#[test]
fn response_times_with_suspensions() {
    let (mut checked, mut better) = (0, 0);
    for record in records() {
        let expected = &record["results"]["fp_rta_suspension_blocking"];
        if expected.is_null() {
            continue;
        }
        let rows = rows(&record);
        let order = numbers(&record["fp_order"]);
        let tasks: Vec<Task> = order
            .iter()
            .zip(numbers(&record["susp"]))
            .map(|(&index, suspension)| {
                let row = &rows[index as usize];
                let [cost, period, due] = [row[0], row[1], row[2]].map(Duration::from_ns);
                let suspension = Suspension::Dynamic(Duration::from_ns(suspension));
                Task { suspension, ..Task::constrained(Work::from_ns(cost.as_ns()), period, due) }
            })
            .collect();
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let arrivals = Arrivals::Sporadic;
        let fp = AnalysedScheduler {
            order: AnalysedOrder::FixedPriority,
            preemptive: true,
            ranks: &ranks,
            points: &[],
            arrivals,
        };
        let system = System::global(&tasks, 1, &fp).unwrap();
        let blocking = numbers(&record["blocking"]);
        let mut ours = bounds(&system, &blocking, Choice::Jitter, &mut Budget::default());
        let best = bounds(&system, &blocking, Choice::Best, &mut Budget::default());
        assert!(ours.iter().zip(&best).all(|(a, b)| a.is_none() || b <= a), "{}", record["id"]);
        better += u32::from(ours != best);
        // From the first task on that is late, the record has nothing.
        let late =
            |(bound, task): (&Option<u64>, &Task)| bound.is_none_or(|b| b > task.relative_deadline.as_ns());
        let first = ours.iter().zip(&tasks).position(late);
        first.into_iter().for_each(|first| ours[first..].fill(None));
        assert_eq!(json!({"ok": first.is_none(), "resp": ours}), *expected, "{}", record["id"]);
        checked += 1;
    }
    assert!(checked > 800 && better > 10, "{checked} {better}");
}

#[test]
fn largest_pieces() {
    let (mut checked, mut whole) = (0, 0);
    for record in records() {
        let expected = &record["results"]["c_eq_d_max_cost"];
        if expected.is_null() {
            continue;
        }
        let input = numbers(&record["c_eq_d_input"]);
        let streams: Vec<_> = rows(&record).iter().map(|row| (row[0], row[1], row[2])).collect();
        let ours = c_equals_d::largest_piece(&streams, input[0], input[1], &mut Budget::default());
        assert_eq!(json!(ours), *expected, "{}", record["id"]);
        checked += 1;
        whole += u32::from(ours == Some(input[0]));
    }
    assert!(checked > 500 && whole < checked, "{checked} {whole}");
}
