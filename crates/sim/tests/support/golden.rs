//! The golden vectors of `tests/golden`.

use serde_json::Value;
use std::io::{BufRead, BufReader};

/// The records of a golden family.
pub fn golden(family: &str) -> impl Iterator<Item = Value> {
    let path = format!("{}/../../tests/golden/vectors/{family}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::File::open(path).expect("the golden vectors are part of the project");
    let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

/// An array of numbers.
pub fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}
