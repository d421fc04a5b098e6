//! Reads the golden records.

use flate2::read::GzDecoder;
use schedlab_analysis::blocking::{Request, Sharer, Sharing};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// The records of the family `locking` that have results of linear programs.
pub fn records() -> impl Iterator<Item = Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/vectors/locking.jsonl.gz");
    let file = File::open(path).expect("the golden vectors are part of the project");
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    let records = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    records.filter(|record| !record["results"]["lp"].is_null())
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}

/// The tasks of a record: partitioned, index = priority.
pub fn sharing(record: &Value) -> Sharing {
    let partition = numbers(&record["partition"]);
    let resources = record["generator"]["nres"].as_u64().unwrap() as usize;
    let mut sharing = Sharing::new(record["m"].as_u64().unwrap() as u32, vec![1; resources]);
    for (at, task) in record["tasks"].as_array().unwrap().iter().enumerate() {
        let task = numbers(task);
        let sharer = Sharer {
            cost: task[0],
            period: task[1],
            relative_deadline: task[2],
            cluster: partition[at] as u32,
            level: at as u32,
        };
        let request = |row: &Value| {
            let row = numbers(row);
            let mutex = Request::mutex(row[0] as u32, row[1] as u32, row[2]);
            Request { reads: row[3] as u32, read_length: row[4], ..mutex }
        };
        let requests: Vec<Request> = record["requests"][at].as_array().unwrap().iter().map(request).collect();
        sharing.push(sharer, &requests).unwrap();
    }
    sharing
}

/// Where each resource lives: resource q on processor q mod m.
pub fn homes(sharing: &Sharing) -> Vec<u32> {
    (0..sharing.units().len() as u32).map(|resource| resource % sharing.clusters()).collect()
}
