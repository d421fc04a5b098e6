//! The parts of a comparison.

use crate::errors::bad_input;
use crate::plain::{plain, Plain};
use crate::scenario::PyScenario;
use crate::trace::PyTrace;
use pyo3::prelude::*;
use pythonize::depythonize;
use schedlab_account::{LongestResponseResult, OverBound};
use schedlab_lab::results::{delays_beside, ComparedScenarioResult, UtilizationResult};
use schedlab_model::Instant;
use schedlab_report::compared::{ObservedResult, Observer};
use schedlab_report::invariants::Checker;

#[pymethods]
impl PyTrace {
    /// Returns the metrics of the tasks; bins of response times hold those of the schedule `beside` it, too.
    fn observed(&self, beside: Option<PyRef<'_, PyTrace>>) -> PyResult<Plain> {
        Ok(plain(&self.seen(beside.as_deref())?))
    }

    /// Returns the metrics of the tasks beside their bounds: by task, a bound on response times and one on tardiness.
    /// The result also has the checked invariants, and the drawing up to `until_ns`.
    fn compared(&self, bounds: Vec<(Option<u64>, Option<u64>)>, until_ns: u64) -> PyResult<Plain> {
        let checked = self.play(Checker::new(&self.context))?.finish().results();
        let drawn = self.schedule(Instant::ZERO, Instant::from_ns(until_ns), None)?.drawing();
        Ok(plain(&self.seen(None)?.compared(bounds, checked, drawn)))
    }
}

impl PyTrace {
    fn seen(&self, beside: Option<&PyTrace>) -> PyResult<ObservedResult> {
        let others = beside.map(|other| other.play(Observer::new(&other.context)).map(Observer::responses));
        Ok(self.play(Observer::new(&self.context))?.finish(others.transpose()?.as_ref()))
    }
}

#[pymethods]
impl PyScenario {
    /// Returns the part of a comparison about the scenario itself; its utilization is given as a fraction in words, and
    /// rounded.
    fn compared(&self, exact: String, value: f64) -> Plain {
        let utilization = UtilizationResult { exact, value };
        let (version, source) = (env!("CARGO_PKG_VERSION"), self.overheads_source());
        plain(&ComparedScenarioResult::of(&self.scenario, version, source, utilization))
    }

    /// Returns the cache-related delays that the scenario's scheduler is charged, beside those of the overheads of
    /// `model`.
    fn delays_beside(&self, model: &PyScenario) -> Plain {
        plain(&delays_beside(&self.scenario, &model.scenario))
    }
}

/// Returns the tasks whose longest real response was above its bound, with the reasons. Tasks are given as the bound
/// and that response; `longest` has the account of each longest response, if the kernel was asked.
#[pyfunction]
pub(crate) fn over_bound(
    tasks: Vec<(Option<u64>, Option<u64>)>,
    longest: &Bound<'_, PyAny>,
) -> PyResult<Plain> {
    let longest: Option<Vec<Option<LongestResponseResult>>> = depythonize(longest).map_err(bad_input)?;
    Ok(plain(&OverBound::of(&tasks, longest.as_deref())))
}
