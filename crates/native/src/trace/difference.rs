//! Where two traces differ first, as plain values.

use super::PyTrace;
use pyo3::PyResult;
use schedlab_model::{Duration, Instant};
use schedlab_report::lines;
use schedlab_report::schedule::Occupant;
use serde_json::{json, Value};

/// `schedule` is None, or `at_ns`, `cpu` and `occupants` of both; `record` is None, or `number` and `lines` of both.
pub(super) fn of(a: &PyTrace, b: &PyTrace, tolerance: Duration) -> PyResult<Value> {
    let whole = |trace: &PyTrace| trace.schedule(Instant::ZERO, Instant::NEVER, None);
    let schedule = whole(a)?.first_difference(&whole(b)?, tolerance).map(|difference| {
        json!({
            "at_ns": difference.at.as_ns(),
            "cpu": difference.cpu.0,
            "occupants": difference.occupants.map(|occupant| occupant.map(plain)),
        })
    });
    Ok(json!({ "schedule": schedule, "record": record(a, b)? }))
}

fn plain(occupant: Occupant) -> Value {
    match occupant {
        Occupant::Job(job) => json!({ "task": job.task.0, "job": job.number }),
        Occupant::Overhead(kind) => json!({ "overhead": kind.name() }),
    }
}

/// The first record that is not in both.
fn record(a: &PyTrace, b: &PyTrace) -> PyResult<Value> {
    let mut both = [a.items()?, b.items()?];
    for number in 0_u64.. {
        let [mine, theirs] = both.each_mut().map(Iterator::next);
        let (mine, theirs) = (mine.transpose()?, theirs.transpose()?);
        if mine != theirs {
            let line = |item: Option<_>| item.map(|(at, record)| lines::Line(at, record).to_string());
            return Ok(json!({ "number": number, "lines": [line(mine), line(theirs)] }));
        }
        if mine.is_none() {
            break;
        }
    }
    Ok(Value::Null)
}
