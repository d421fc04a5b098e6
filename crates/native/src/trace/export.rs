//! A trace for other tools, in pieces that Python takes: its length needs no memory.

use super::PyTrace;
use crate::errors::bad_input;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use schedlab_report::export::{JobCsv, Perfetto, RecordLines};
use schedlab_trace::Sink;
use std::cell::RefCell;
use std::io;

/// Hands each piece of bytes to a function of Python, until that raises an exception.
struct Pieces<'a, 'py> {
    write: &'a Bound<'py, PyAny>,
    raised: &'a RefCell<Option<PyErr>>,
}

impl io::Write for Pieces<'_, '_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let py = self.write.py();
        if self.raised.borrow().is_some() {
            return Err(io::Error::other("an exception was raised before"));
        }
        let answer = py.check_signals().and_then(|()| self.write.call1((PyBytes::new(py, piece),)).map(drop));
        answer.map(|()| piece.len()).map_err(|error| {
            let said = io::Error::other(error.to_string());
            self.raised.replace(Some(error));
            said
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

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
