//! Systems to look at: the golden records, and random ones.

use flate2::read::GzDecoder;
use schedlab_analysis::blocking::{Requests, Sharer, Sharing};
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
    for (index, task) in record["tasks"].as_array().unwrap().iter().enumerate() {
        let task = numbers(task);
        let sharer = Sharer {
            cost: task[0],
            period: task[1],
            relative_deadline: task[2],
            cluster: partition[index] as u32,
            level: index as u32,
        };
        let request = |row: &Value| {
            let row = numbers(row);
            let mutex = Requests::mutex(row[0] as u32, row[1] as u32, row[2]);
            Requests { reads: row[3] as u32, read_length: row[4], ..mutex }
        };
        let requests: Vec<Requests> =
            record["requests"][index].as_array().unwrap().iter().map(request).collect();
        sharing.push(sharer, &requests).unwrap();
    }
    sharing
}

/// Where each resource lives: resource q on processor q mod m.
pub fn homes(sharing: &Sharing) -> Vec<u32> {
    (0..sharing.units().len() as u32).map(|resource| resource % sharing.clusters()).collect()
}

/// A system by random numbers below a bound: up to eight tasks, four resources, three processors; response times
/// anywhere up to a little above the period.
pub fn draw(mut below: impl FnMut(u64) -> u64) -> (Sharing, Vec<u64>) {
    let clusters = 1 + below(3);
    let resources = 1 + below(4);
    let mut sharing = Sharing::new(clusters as u32, vec![1; resources as usize]);
    let mut responses = Vec::new();
    for level in 0..2 + below(7) {
        let period = 20 + below(200);
        let cost = 1 + below(period / 4);
        let cluster = below(clusters) as u32;
        let task = Sharer { cost, period, relative_deadline: period, cluster, level: level as u32 };
        let mut requests = Vec::new();
        for resource in 0..resources {
            if below(2) == 0 {
                let (count, length) = (1 + below(3), 1 + below(9));
                requests.push(Requests::mutex(resource as u32, count as u32, length));
            }
        }
        sharing.push(task, &requests).unwrap();
        responses.push(cost + below(period));
    }
    (sharing, responses)
}
