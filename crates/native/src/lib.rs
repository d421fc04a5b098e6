//! The Python module `schedlab._native`: converts values between Python and Rust, decides nothing.

#![forbid(unsafe_code)]

mod crosscheck;
mod errors;
mod policy;

use pyo3::prelude::*;

/// What the Python package is made of; `schedlab` re-exports its public part.
#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use super::policy::{PyDecisions, PyEvent, PyJob, PyJobId, PyJobs};

    #[pymodule_export]
    use super::crosscheck::{
        busy_windows, completions, devi_anderson_x, global_edf_test, pack, uniprocessor_test,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
