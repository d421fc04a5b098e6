//! A drawing of a trace for a page. It goes into the page in pieces, because its text takes many times its memory.

use crate::pieces::Pieces;
use pyo3::prelude::*;
use schedlab_report::schedule::{Drawing, Schedule};
use std::cell::RefCell;
use std::io::{BufWriter, Write};

/// A drawing that becomes JSON.
#[pyclass(frozen, name = "Drawn", module = "schedlab._native")]
pub(crate) struct PyDrawn {
    window: (u64, u64),
    arrivals: usize,
    misses: usize,
    drawing: Drawing,
}

impl PyDrawn {
    pub(super) fn of(schedule: &Schedule) -> Self {
        PyDrawn {
            window: (schedule.window.from.as_ns(), schedule.window.to.as_ns()),
            arrivals: schedule.arrivals.len(),
            misses: schedule.misses.len(),
            drawing: schedule.drawing(),
        }
    }
}

#[pymethods]
impl PyDrawn {
    /// Begin and end of the window.
    #[getter]
    fn window(&self) -> (u64, u64) {
        self.window
    }

    /// Number of jobs that arrive in the window.
    #[getter]
    fn arrivals(&self) -> usize {
        self.arrivals
    }

    /// Number of missed deadlines in the window.
    #[getter]
    fn misses(&self) -> usize {
        self.misses
    }

    /// Hands the JSON to `write`, in pieces of bytes.
    fn write_json(&self, write: &Bound<'_, PyAny>) -> PyResult<()> {
        let raised = RefCell::new(None);
        let mut pieces = BufWriter::with_capacity(64 * 1024, Pieces { write, raised: &raised });
        let ended = serde_json::to_writer(&mut pieces, &self.drawing).map_err(std::io::Error::from);
        let ended = ended.and_then(|()| pieces.flush());
        match raised.take() {
            Some(error) => Err(error),
            None => Ok(ended?),
        }
    }
}
