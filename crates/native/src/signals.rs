//! Handling of signals while a long stream is read: Ctrl-C ends the reading as an exception.

use pyo3::prelude::*;
use std::io::{self, Read};

/// Returns the exception that a signal's handler raised, if one did.
fn heard() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// Reads as `R` does, until a signal's handler raises an exception.
pub(crate) struct Heeding<R>(pub(crate) R);

impl<R: Read> Read for Heeding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        heard().map_err(io::Error::other)?;
        self.0.read(buffer)
    }
}

/// Number of records between two checks for a signal: a few milliseconds.
const RECORDS: u32 = 1 << 16;

/// Checks for signals now and then, for readers that open their files themselves.
#[derive(Default)]
pub(crate) struct Ear {
    taken: u32,
    raised: Option<PyErr>,
}

impl Ear {
    /// False once a signal's handler has raised an exception.
    pub(crate) fn goes_on(&mut self) -> bool {
        self.taken = (self.taken + 1) % RECORDS;
        if self.taken == 0 && self.raised.is_none() {
            self.raised = heard().err();
        }
        self.raised.is_none()
    }

    /// Returns the exception of a signal, or else what was `found`.
    pub(crate) fn or<T>(self, found: PyResult<T>) -> PyResult<T> {
        self.raised.map_or(found, Err)
    }
}
