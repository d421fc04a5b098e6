//! What verdicts say together.

use crate::errors::bad_input;
use crate::plain::plain;
use pyo3::prelude::*;
use pythonize::depythonize;
use schedlab_lab::results::{conclusion_of, AnswerName, GuaranteeName};

/// Of verdicts given as kind, answer and test: by kind the strongest answer, and the tests that give it; `None` if no
/// test speaks of it.
#[pyfunction]
pub(crate) fn conclude<'py>(py: Python<'py>, verdicts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let given: Vec<(GuaranteeName, AnswerName, String)> = depythonize(verdicts).map_err(bad_input)?;
    plain(py, &conclusion_of(&given))
}
