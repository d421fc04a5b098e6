//! What a scheduler of one's own needs to become a Python module that schedlab finds.
//!
//! `schedlab new policy NAME` makes a crate that uses this; see `schedlab.plugins` for the other side.

use crate::simulate::trace_of_foreign;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyTuple};
use schedlab_policy::Scheduler;

/// The version of the interface between schedlab and installed schedulers.
pub const INTERFACE: u32 = 1;

/// Gives `module` the functions `describe()` and `simulate(scenario, progress)`.
pub fn register(module: &Bound<'_, PyModule>, scheduler: Scheduler, description: &str) -> PyResult<()> {
    let py = module.py();
    let (name, description) = (scheduler.name.clone(), description.to_owned());
    let describe =
        move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyDict>> {
            let about = PyDict::new(arguments.py());
            about.set_item("name", &name)?;
            about.set_item("description", &description)?;
            about.set_item("interface", INTERFACE)?;
            Ok(about.unbind())
        };
    let simulate =
        move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyBytes>> {
            let (scenario, progress): (String, Option<Py<PyAny>>) = arguments.extract()?;
            let py = arguments.py();
            let bytes = trace_of_foreign(py, &scenario, scheduler.clone(), progress)?;
            Ok(PyBytes::new(py, &bytes).unbind())
        };
    module.add("describe", PyCFunction::new_closure(py, Some(c"describe"), None, describe)?)?;
    module.add("simulate", PyCFunction::new_closure(py, Some(c"simulate"), None, simulate)?)
}
