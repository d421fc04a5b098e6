//! Records of the golden family `overheads`: times are microseconds there and nanoseconds here.

use flate2::read::GzDecoder;
use schedlab_model::{Cost, Duration, OverheadKind, Overheads, Task, Work};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

/// All of them.
pub fn records() -> impl Iterator<Item = Value> {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/vectors/overheads.jsonl.gz");
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    BufReader::new(GzDecoder::new(file)).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

/// The tasks with their working sets.
pub fn tasks(record: &Value) -> Vec<Task> {
    let rows = record["tasks"].as_array().unwrap().iter();
    rows.zip(numbers(&record["wss"]))
        .map(|(row, working_set)| {
            let row = numbers(row);
            let [period, deadline] = [row[1], row[2]].map(|us| Duration::from_ns(us * 1000));
            Task { working_set, ..Task::constrained(Work::from_ns(row[0] * 1000), period, deadline) }
        })
        .collect()
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// Decimal microseconds as whole nanoseconds.
pub fn ns(value: &Value) -> u64 {
    let exact = value.as_f64().unwrap() * 1000.0;
    assert!((exact - exact.round()).abs() < 1e-6, "{value} is not a whole number of ns");
    exact.round() as u64
}

/// A constant or `[a, b]`: a + b per task or per unit of working set.
fn linear(value: &Value) -> (u64, u64) {
    match value.as_array() {
        Some(pair) => (ns(&pair[0]), ns(&pair[1])),
        None => (ns(value), 0),
    }
}

/// How late an arrival may be noticed.
#[allow(dead_code, reason = "not every test that reads these records needs it")]
pub fn release_latency(record: &Value) -> Duration {
    let (base, per_task) = linear(&record["oh"]["release_latency"]);
    Duration::from_ns(base + per_task * record["tasks"].as_array().unwrap().len() as u64)
}

/// The record's overheads.
pub fn overheads(record: &Value) -> Overheads {
    let mut overheads = Overheads::default();
    let mut set = |kind, value: Value| {
        let (base, per_task) = linear(&value);
        let max = Cost::Linear { base: Duration::from_ns(base), per_task_ps: per_task * 1000 };
        overheads.set(kind, max.into());
    };
    let oh = &record["oh"];
    set(OverheadKind::Scheduling, oh["schedule"].clone());
    set(OverheadKind::ContextSwitch, oh["ctx_switch"].clone());
    set(OverheadKind::Tick, oh["tick"].clone());
    set(OverheadKind::Release, oh["release"].clone());
    set(OverheadKind::Ipi, oh["ipi_latency"].clone());
    let (base, per_unit) = linear(&record["cpmd"]);
    let largest = numbers(&record["wss"]).into_iter().max().unwrap_or(0) + 1;
    let rows = vec![(0, Duration::from_ns(base)), (largest, Duration::from_ns(base + per_unit * largest))];
    let max = Cost::ByWorkingSet(rows);
    overheads.set(OverheadKind::CacheRelatedPreemption, max.into());
    overheads
}
