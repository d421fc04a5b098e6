//! Supertasks: those of a scenario with their weights, and weights of components given as numbers.

use crate::errors::bad_input;
use crate::plain::{plain, Plain};
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use schedlab_analysis::supertask::{least_weight, Component, ComponentRule, Demands, NoWeight, ServerQuanta};
use schedlab_lab::results::SupertaskResult;

#[pymethods]
impl PyScenario {
    /// The supertasks that the scheduler knows, with their weights and the guarantees that are missing.
    fn supertasks(&self, py: Python<'_>) -> PyResult<Plain> {
        let rows = match self.scenario.supertasks.is_empty() {
            true => Vec::new(),
            false => SupertaskResult::all(&self.prepare(py)?),
        };
        Ok(plain(&rows))
    }
}

/// The least weight of a supertask as quanta and slots, or `None` if not even 1 is enough. Components are cost, period
/// and relative deadline in nanoseconds, synchronous with quantum boundaries; under fixed priorities the first
/// component goes first.
#[pyfunction]
pub(crate) fn supertask_weight(
    components: Vec<(u64, u64, u64)>,
    edf: bool,
    quantum_ns: u64,
    delay_ns: u64,
    quantum_based: bool,
) -> PyResult<Option<(u64, u64)>> {
    let component = |(cost, period, relative_deadline)| Component {
        cost,
        period,
        relative_deadline,
        jitter: 0,
        at_boundaries: true,
    };
    let components: Vec<Component> = components.into_iter().map(component).collect();
    let order = if edf { ComponentRule::Edf } else { ComponentRule::FixedPriority };
    let quanta = ServerQuanta { quantum: quantum_ns, delay: delay_ns, quantum_based };
    let demands = Demands::new(&components, order, quanta).map_err(bad_input)?;
    match least_weight(&demands) {
        Ok(weight) => Ok(Some(weight)),
        Err(NoWeight::NotEvenOne) => Ok(None),
        Err(error @ NoWeight::TooLong) => Err(bad_input(error)),
    }
}
