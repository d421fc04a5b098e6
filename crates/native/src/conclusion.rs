//! Conclusions from several verdicts.

use crate::errors::bad_input;
use crate::plain::{plain, Plain};
use pyo3::prelude::*;
use pythonize::depythonize;
use schedlab_lab::results::{conclusion_of, PlainVerdict};

/// Concludes from verdicts given as kind, answer, test and bounds on tardiness: by kind, the strongest answer and the
/// tests that give it; `None` if no test is of the kind.
#[pyfunction]
pub(crate) fn conclude(verdicts: &Bound<'_, PyAny>) -> PyResult<Plain> {
    let given: Vec<PlainVerdict> = depythonize(verdicts).map_err(bad_input)?;
    Ok(plain(&conclusion_of(&given)))
}
