//! A trace for other tools, in pieces that Python takes: its length needs no memory.

use super::PyTrace;
use crate::errors::bad_input;
use crate::pieces::Pieces;
use pyo3::prelude::*;
use schedlab_report::export::{JobCsv, Perfetto, RecordLines};
use schedlab_trace::Sink;
use std::cell::RefCell;
use std::io;

#[pymethods]
impl PyTrace {
    /// Hands the trace to `write`, in pieces of bytes: as `perfetto` for ui.perfetto.dev, as `csv` with a line per job,
    /// or as `records` with a line each.
    fn export(&self, format: &str, write: &Bound<'_, PyAny>) -> PyResult<()> {
        let raised = RefCell::new(None);
        let pieces = Pieces { write, raised: &raised };
        match format {
            "perfetto" => self.pour(Perfetto::new(pieces, &self.context), &raised, Perfetto::finish),
            "csv" => self.pour(JobCsv::new(pieces, &self.context), &raised, JobCsv::finish),
            "records" => self.pour(RecordLines::new(pieces), &raised, RecordLines::finish),
            other => {
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
        let ended = finish(sink);
        match raised.take() {
            Some(error) => Err(error),
            None => Ok(ended.map(drop)?),
        }
    }
}
