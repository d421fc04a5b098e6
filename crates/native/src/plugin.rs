//! Turns a user's own scheduler, locking protocol or test into a Python module that schedlab finds.
//!
//! Such a module holds the whole library. It gives the scenario in a text with its own entry in the catalogue: a value
//! that can do all that any scenario can. Its batches know the entry, too. `schedlab new policy NAME` makes a crate
//! that uses this; see `schedlab.core.plugins`.

use crate::batch::{judge_sets_with, Batch};
use crate::errors::bad_input;
use crate::scenario::PyScenario;
use crate::table::ArrowTable;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use schedlab_analysis::Test;
use schedlab_lab::Catalog;
use schedlab_lock::Protocol;
use schedlab_policy::Scheduler;

/// Version of the interface between schedlab and installed plugins.
pub const INTERFACE: u32 = 7;

/// Gives `module` the functions `describe()` and `scenario(toml)`: the scenario under this scheduler.
pub fn register(module: &Bound<'_, PyModule>, scheduler: Scheduler, description: &str) -> PyResult<()> {
    let name = scheduler.name.clone();
    let catalog = Catalog::shipped().with_scheduler(scheduler).map_err(bad_input)?;
    register_functions(module, name.clone(), description.to_owned(), catalog, move |given| {
        let scenario = given.catalog.under(given.scenario.clone(), &name).map_err(bad_input)?;
        Ok(given.with(scenario))
    })
}

/// Gives `module` the functions `describe()` and `scenario(toml)`: the scenario for which this test can be run.
pub fn register_test(module: &Bound<'_, PyModule>, test: &'static Test) -> PyResult<()> {
    let catalog = Catalog::shipped().with_test(test).map_err(bad_input)?;
    register_functions(module, test.name.to_owned(), test.source.to_owned(), catalog, Ok)
}

/// Gives `module` the functions `describe()` and `scenario(toml)`: the scenario under this locking protocol.
pub fn register_protocol(module: &Bound<'_, PyModule>, protocol: Protocol) -> PyResult<()> {
    let catalog = Catalog::shipped().with_protocol(protocol).map_err(bad_input)?;
    let (name, summary) = (protocol.name, protocol.summary);
    register_functions(module, name.to_owned(), summary.to_owned(), catalog, move |given| {
        let scenario = given.catalog.sharing(given.scenario.clone(), name).map_err(bad_input)?;
        Ok(given.with(scenario))
    })
}

fn register_functions(
    module: &Bound<'_, PyModule>,
    name: String,
    description: String,
    catalog: Catalog,
    choose: impl Fn(PyScenario) -> PyResult<PyScenario> + Send + Sync + 'static,
) -> PyResult<()> {
    let py = module.py();
    let known = catalog.clone();
    let describe =
        move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyDict>> {
            let about = PyDict::new(arguments.py());
            about.set_item("name", &name)?;
            about.set_item("description", &description)?;
            about.set_item("interface", INTERFACE)?;
            Ok(about.unbind())
        };
    let scenario =
        move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyScenario>> {
            let (text,): (String,) = arguments.extract()?;
            Py::new(arguments.py(), choose(PyScenario::parse_with(&text, known.clone())?)?)
        };
    let sets = move |given: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<ArrowTable>> {
        let (batch,): (Batch,) = given.extract()?;
        Py::new(given.py(), judge_sets_with(given.py(), batch, catalog.clone())?)
    };
    module.add("judge_sets", PyCFunction::new_closure(py, Some(c"judge_sets"), None, sets)?)?;
    module.add("describe", PyCFunction::new_closure(py, Some(c"describe"), None, describe)?)?;
    module.add("scenario", PyCFunction::new_closure(py, Some(c"scenario"), None, scenario)?)
}
