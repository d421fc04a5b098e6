//! Results as plain values of Python.

use pyo3::prelude::*;
use pythonize::pythonize;
use serde::Serialize;

/// `result` as dictionaries, lists, texts and numbers; keys are in the order of the alphabet, as in JSON of other
/// programs.
pub(crate) fn plain<'py>(py: Python<'py>, result: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(result).expect("keys of results are text");
    Ok(pythonize(py, &value)?)
}
