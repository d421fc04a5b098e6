//! Exceptions: `schedlab.errors` defines them, so that every extension module raises the same ones.

use pyo3::prelude::*;
use std::fmt::Display;

/// A `schedlab.BadInput` with this message.
pub fn bad_input(message: impl Display) -> PyErr {
    raised("BadInput", message)
}

/// A `schedlab.Failed` with this message.
pub fn failed(message: impl Display) -> PyErr {
    raised("Failed", message)
}

fn raised(class: &str, message: impl Display) -> PyErr {
    let message = message.to_string();
    Python::attach(|py| {
        let made = py.import("schedlab.errors").and_then(|errors| errors.getattr(class)?.call1((message,)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}
