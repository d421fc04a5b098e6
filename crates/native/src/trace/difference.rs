//! First difference of two traces.

use super::PyTrace;
use pyo3::PyResult;
use schedlab_model::Duration;
use schedlab_report::lines::Line;
use schedlab_report::schedule::{FirstDifference, OtherOccupants, OtherRecord, TraceDifference};

/// Number of records of one trace that are read before the schedules are compared.
const TOGETHER: usize = 4096;

/// Returns the first difference in the schedules, where instants that lie no further apart than `tolerance` are equal,
/// and in the records.
pub(super) fn of(a: &PyTrace, b: &PyTrace, tolerance: Duration) -> PyResult<TraceDifference> {
    let record = record(a, b)?;
    // The same records are the same schedule.
    let schedule = if record.is_some() { schedule(a, b, tolerance)? } else { None };
    Ok(TraceDifference { schedule, record })
}

/// Returns the first difference in the schedules.
fn schedule(a: &PyTrace, b: &PyTrace, tolerance: Duration) -> PyResult<Option<OtherOccupants>> {
    let mut both = [a.items()?, b.items()?];
    let mut difference = FirstDifference::new([&a.context, &b.context], tolerance);
    while difference.goes_on() {
        let side = difference.behind();
        for _ in 0..TOGETHER {
            let Some((at, record)) = both[side].next().transpose()? else {
                difference.end(side);
                break;
            };
            difference.record(side, at, record);
        }
    }
    Ok(difference.finish())
}

/// Returns the first record that is not in both traces.
fn record(a: &PyTrace, b: &PyTrace) -> PyResult<Option<OtherRecord>> {
    let mut both = [a.items()?, b.items()?];
    for number in 0_u64.. {
        let [mine, theirs] = both.each_mut().map(Iterator::next);
        let (mine, theirs) = (mine.transpose()?, theirs.transpose()?);
        if mine != theirs {
            let line = |item: Option<_>, of: &PyTrace| {
                item.map(|(at, record)| Line::as_stated(at, record, &of.context).to_string())
            };
            return Ok(Some(OtherRecord { number, lines: (line(mine, a), line(theirs, b)) }));
        }
        if mine.is_none() {
            break;
        }
    }
    Ok(None)
}
