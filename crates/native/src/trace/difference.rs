//! Where two traces differ first.

use super::PyTrace;
use pyo3::PyResult;
use schedlab_model::{Duration, Instant};
use schedlab_report::lines;
use schedlab_report::schedule::{OtherRecord, TraceDifference};

/// In their schedules, with instants that lie no further apart than `tolerance` as the same, and in their records.
pub(super) fn of(a: &PyTrace, b: &PyTrace, tolerance: Duration) -> PyResult<TraceDifference> {
    let whole = |trace: &PyTrace| trace.schedule(Instant::ZERO, Instant::NEVER, None);
    let schedule = whole(a)?.first_difference(&whole(b)?, tolerance);
    Ok(TraceDifference { schedule, record: record(a, b)? })
}

/// The first record that is not in both.
fn record(a: &PyTrace, b: &PyTrace) -> PyResult<Option<OtherRecord>> {
    let mut both = [a.items()?, b.items()?];
    for number in 0_u64.. {
        let [mine, theirs] = both.each_mut().map(Iterator::next);
        let (mine, theirs) = (mine.transpose()?, theirs.transpose()?);
        if mine != theirs {
            let line = |item: Option<_>| item.map(|(at, record)| lines::Line(at, record).to_string());
            return Ok(Some(OtherRecord { number, lines: (line(mine), line(theirs)) }));
        }
        if mine.is_none() {
            break;
        }
    }
    Ok(None)
}
