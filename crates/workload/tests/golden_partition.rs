//! Every packing of the golden family `partition`.
//!
//! Bins list tasks in the order of placement. Records named in `disputed` hold the exact value in `results`.

use flate2::read::GzDecoder;
use schedlab_model::{Duration, Task, TaskId, Work};
use schedlab_workload::placement::Packing;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/vectors/partition.jsonl.gz");

fn tasks(record: &Value) -> Vec<Task> {
    let number = |value: &Value| value.as_u64().unwrap();
    let task = |row: &Value| {
        let [wcet, period, relative_deadline] = [0, 1, 2].map(|index| number(&row[index]));
        Task::constrained(
            Work::from_ns(wcet),
            Duration::from_ns(period),
            Duration::from_ns(relative_deadline),
        )
    };
    record["tasks"].as_array().unwrap().iter().map(task).collect()
}

fn ids(list: &Value) -> Vec<TaskId> {
    list.as_array().unwrap().iter().map(|id| TaskId(id.as_u64().unwrap() as u32)).collect()
}

#[test]
fn agrees_on_every_packing() {
    let lines = BufReader::new(GzDecoder::new(File::open(GOLDEN).unwrap())).lines();
    let (mut compared, mut disputed, mut misfitting) = (0, 0, 0);
    for record in lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()) {
        let (tasks, processors) = (tasks(&record), record["m"].as_u64().unwrap() as u16);
        for (name, expected) in record["results"].as_object().unwrap() {
            let placement = name.parse::<Packing>().unwrap().place(&tasks, processors).unwrap();
            let bins: Vec<Vec<TaskId>> = expected["bins"].as_array().unwrap().iter().map(ids).collect();
            assert_eq!(placement.bins, bins, "{} {name}", record["id"]);
            assert_eq!(placement.misfits, ids(&expected["misfit"]), "{} {name}", record["id"]);
            compared += 1;
            misfitting += u32::from(!placement.misfits.is_empty());
            disputed += u32::from(!record["disputed"][name].is_null());
        }
    }
    println!("{compared} packings agree, {misfitting} with misfits, {disputed} where the peer errs");
    assert!(compared > 5_000 && misfitting > 300 && disputed > 20);
}
