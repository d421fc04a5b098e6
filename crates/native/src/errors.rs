//! Exceptions: `schedlab.errors` defines them, so that every extension module raises the same ones.

use pyo3::prelude::*;
use std::fmt::Display;

/// A `schedlab.BadInput` with this message.
pub fn bad_input(message: impl Display) -> PyErr {
    Python::attach(|py| raise(py, "BadInput", message.to_string()))
}

/// A `schedlab.CannotRun` with this message.
pub fn cannot_run(message: impl Display) -> PyErr {
    Python::attach(|py| raise(py, "CannotRun", message.to_string()))
}

fn raise(py: Python<'_>, class: &str, message: String) -> PyErr {
    let made = py.import("schedlab.errors").and_then(|errors| errors.getattr(class)?.call1((message,)));
    made.map_or_else(|error| error, PyErr::from_value)
}
