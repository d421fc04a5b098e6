//! Exports a trace for other tools in pieces that Python takes, so that its length needs no memory.

use super::PyTrace;
use crate::errors::bad_input;
use crate::pieces::Pieces;
use pyo3::prelude::*;
use schedlab_model::Instant;
use schedlab_report::export::{JobCsv, Perfetto, RecordLines};
use schedlab_report::files::Asked;
use schedlab_trace::Sink;
use std::cell::RefCell;
use std::io;
use std::ops::RangeInclusive;

#[pymethods]
impl PyTrace {
    /// Hands the trace to `write`, in pieces of bytes: as `perfetto` for ui.perfetto.dev, as `csv` with a line per job,
    /// or as `records` with a line each. Of records, only those within `window_ns` are handed over, both ends included.
    fn export(&self, format: &str, write: &Bound<'_, PyAny>, window_ns: Option<(u64, u64)>) -> PyResult<()> {
        let raised = RefCell::new(None);
        let pieces = Pieces { write, raised: &raised };
        match (format, window_ns) {
            ("perfetto", None) => self.pour(Perfetto::new(pieces, &self.context), &raised, Perfetto::finish),
            ("csv", None) => self.pour(JobCsv::new(pieces, &self.context), &raised, JobCsv::finish),
            ("records", None) => {
                self.pour(RecordLines::new(pieces, &self.context), &raised, RecordLines::finish)
            }
            ("records", Some((from, until))) => {
                let times = Instant::from_ns(from)..=Instant::from_ns(until);
                self.pour_part(RecordLines::new(pieces, &self.context), &raised, times)
            }
            ("perfetto" | "csv", Some(_)) => Err(bad_input(format!("{format} is of the whole trace"))),
            (other, _) => {
                Err(bad_input(format!("no export is called \"{other}\"; allowed: perfetto, csv, records")))
            }
        }
    }
}

impl PyTrace {
    /// Hands all records to `sink`, until its stream has raised an exception.
    fn pour<S: Sink, W>(
        &self,
        mut sink: S,
        raised: &RefCell<Option<PyErr>>,
        finish: impl FnOnce(S) -> io::Result<W>,
    ) -> PyResult<()> {
        self.records(|at, record| {
            sink.record(at, record);
            raised.borrow().is_none()
        })?;
        ended(finish(sink), raised)
    }

    /// Hands the records of these `times` to `lines`, until its stream has raised an exception. Other records of a file
    /// are not read if an index gives their places.
    fn pour_part<W: io::Write>(
        &self,
        mut lines: RecordLines<'_, W>,
        raised: &RefCell<Option<PyErr>>,
        times: RangeInclusive<Instant>,
    ) -> PyResult<()> {
        self.records_for(Asked::From(*times.start()), |at, record| {
            if times.contains(&at) {
                lines.record(at, record);
            }
            at <= *times.end() && raised.borrow().is_none()
        })?;
        ended(lines.finish(), raised)
    }
}

/// Returns the exception of the stream, or else the reason for its end.
fn ended<W>(finished: io::Result<W>, raised: &RefCell<Option<PyErr>>) -> PyResult<()> {
    match raised.take() {
        Some(error) => Err(error),
        None => Ok(finished.map(drop)?),
    }
}
