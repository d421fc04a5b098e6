//! What a scheduler of one's own needs to become a Python module that schedlab finds.
//!
//! `schedlab new policy NAME` makes a crate that uses this; see `schedlab.plugins` for the other side.

use crate::analyze::said_by;
use crate::errors::bad_input;
use crate::simulate::{trace_of_foreign, trace_under_foreign_protocol};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyTuple};
use pythonize::pythonize;
use schedlab_analysis::Test;
use schedlab_lock::Protocol;
use schedlab_policy::Scheduler;

/// The version of the interface between schedlab and installed schedulers.
pub const INTERFACE: u32 = 1;

/// Gives `module` the functions `describe()` and `simulate(scenario, progress)`.
pub fn register(module: &Bound<'_, PyModule>, scheduler: Scheduler, description: &str) -> PyResult<()> {
    let name = scheduler.name.clone();
    let simulate = move |py: Python<'_>, scenario: &str, progress: Progress| {
        trace_of_foreign(py, scenario, scheduler.clone(), progress)
    };
    register_functions(module, name, description.to_owned(), simulate)
}

/// The same for a test: `describe()`, and `analyze(scenario)` in place of `simulate`.
pub fn register_test(module: &Bound<'_, PyModule>, test: &'static Test) -> PyResult<()> {
    register_description(module, test.name.to_owned(), test.source.to_owned())?;
    let analyze =
        move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyAny>> {
            let (scenario,): (String,) = arguments.extract()?;
            let py = arguments.py();
            let found = py.detach(|| said_by(test, &scenario)).map_err(bad_input)?;
            Ok(pythonize(py, &found)?.unbind())
        };
    module.add("analyze", PyCFunction::new_closure(module.py(), Some(c"analyze"), None, analyze)?)
}

/// The same for a locking protocol.
pub fn register_protocol(module: &Bound<'_, PyModule>, protocol: Protocol) -> PyResult<()> {
    let simulate = move |py: Python<'_>, scenario: &str, progress: Progress| {
        trace_under_foreign_protocol(py, scenario, protocol, progress)
    };
    register_functions(module, protocol.name.to_owned(), protocol.summary.to_owned(), simulate)
}

/// Called with the share done, if anything.
type Progress = Option<Py<PyAny>>;

fn register_functions(
    module: &Bound<'_, PyModule>,
    name: String,
    description: String,
    trace: impl Fn(Python<'_>, &str, Progress) -> PyResult<Vec<u8>> + Send + Sync + 'static,
) -> PyResult<()> {
    register_description(module, name, description)?;
    let py = module.py();
    let simulate =
        move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyBytes>> {
            let (scenario, progress): (String, Progress) = arguments.extract()?;
            let py = arguments.py();
            Ok(PyBytes::new(py, &trace(py, &scenario, progress)?).unbind())
        };
    module.add("simulate", PyCFunction::new_closure(py, Some(c"simulate"), None, simulate)?)
}

fn register_description(module: &Bound<'_, PyModule>, name: String, description: String) -> PyResult<()> {
    let py = module.py();
    let describe =
        move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyDict>> {
            let about = PyDict::new(arguments.py());
            about.set_item("name", &name)?;
            about.set_item("description", &description)?;
            about.set_item("interface", INTERFACE)?;
            Ok(about.unbind())
        };
    module.add("describe", PyCFunction::new_closure(py, Some(c"describe"), None, describe)?)
}
