//! Streams of bytes that Python takes in pieces.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::cell::RefCell;
use std::io;

/// Hands each piece of bytes to a function of Python, until that raises an exception.
pub(crate) struct Pieces<'a, 'py> {
    pub(crate) write: &'a Bound<'py, PyAny>,
    pub(crate) raised: &'a RefCell<Option<PyErr>>,
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
