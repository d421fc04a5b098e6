//! Results as plain values of Python.

use crate::errors::bad_input;
use pyo3::prelude::*;
use pythonize::pythonize;
use serde::Serialize;
use serde_json::Value;

/// A result that Python gets as dictionaries, lists, texts and numbers; keys are in the order of the alphabet, as in
/// JSON of other programs.
pub(crate) struct Plain(Value);

/// `result` as plain values.
pub(crate) fn plain(result: &impl Serialize) -> Plain {
    Plain(serde_json::to_value(result).expect("keys of results are text"))
}

impl<'py> IntoPyObject<'py> for Plain {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize(py, &self.0)?)
    }
}

/// A result, or an exception with the reason why there is none.
#[derive(IntoPyObject)]
pub(crate) enum PlainOrError {
    Found(Plain),
    Wrong(PyErr),
}

impl<T: Serialize> From<Result<T, String>> for PlainOrError {
    fn from(found: Result<T, String>) -> Self {
        match found {
            Ok(result) => PlainOrError::Found(plain(&result)),
            Err(message) => PlainOrError::Wrong(bad_input(message)),
        }
    }
}
