//! Analyses as plain values.

use crate::batch::{left_alone, threads_of, watched};
use crate::errors::bad_input;
use crate::plain::{plain, Plain, PlainOrError};
use crate::reach::of_all;
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use schedlab_batch::{advise, advise_linux, Control};
use schedlab_lab::advise::linux::refusal_of;
use schedlab_lab::results::{analysis_of, AnalysisResult, AskedSteps};
use schedlab_scenario::Problem;
use std::sync::Arc;

#[pymethods]
impl PyScenario {
    /// Returns the verdicts of all tests for the scheduler, or only of `tests`; with `steps`, the computations of those
    /// that hand them out, or those of the task `task`.
    #[pyo3(signature = (tests, explain, steps=false, task=None))]
    fn analyze(
        &self,
        py: Python<'_>,
        tests: Option<Vec<String>>,
        explain: bool,
        steps: bool,
        task: Option<String>,
    ) -> PyResult<Plain> {
        self.check_tests(tests.as_deref())?;
        let given = self.with(self.scenario.clone());
        let asked = match (steps, task) {
            (false, _) => AskedSteps::None,
            (true, None) => AskedSteps::All,
            (true, Some(task)) => AskedSteps::OfTask(task),
        };
        let found = left_alone(py, move || given.analyzed(tests.as_deref(), explain, &asked))?;
        self.failure.take().map_or(Ok(()), Err)?;
        Ok(plain(&found.map_err(bad_input)?))
    }

    /// Returns all schedulers, placements, priority rules and protocols that apply, ranked, on `threads` threads (0:
    /// one for each processor).
    fn advise(&self, py: Python<'_>, threads: usize) -> PyResult<Plain> {
        let work = |control: &Control| advise(&self.scenario, &self.catalog, threads_of(threads), control);
        let found = watched(py, None, work)?;
        self.failure.take().map_or(Ok(()), Err)?;
        Ok(plain(&found.map_err(|_| bad_input("advising was stopped"))?))
    }

    /// Returns all ways to run the tasks as threads of stock Linux, ranked, on `threads` threads (0: one for each
    /// processor).
    fn advise_linux(&self, py: Python<'_>, threads: usize) -> PyResult<Plain> {
        let work =
            |control: &Control| advise_linux(&self.scenario, &self.catalog, threads_of(threads), control);
        let found = watched(py, None, work)?;
        self.failure.take().map_or(Ok(()), Err)?;
        Ok(plain(&found.map_err(|_| bad_input("advising was stopped"))?))
    }

    /// Returns the scenario on a kernel without other settings: with its default throttling, unless it states one.
    fn on_linux(&self) -> PyScenario {
        let scenario = self.scenario.clone().on_linux();
        PyScenario { scenario, catalog: Arc::clone(&self.catalog), failure: self.failure.clone() }
    }

    /// Returns what stock Linux lacks of the scenario, in words; None if it lacks nothing.
    #[getter]
    fn linux_refusal(&self) -> Option<String> {
        refusal_of(&self.scenario, &self.catalog)
    }
}

/// Analyses each of `scenarios` under its own scheduler, as `Scenario.analyze` does, on `threads` threads (0: one for
/// each processor). A scenario that is wrong has its error in its place.
#[pyfunction]
pub(crate) fn analyze_many(
    py: Python<'_>,
    scenarios: Vec<Py<PyScenario>>,
    tests: Option<Vec<String>>,
    threads: usize,
) -> PyResult<Vec<PlainOrError>> {
    let tests = tests.as_deref();
    let found = of_all(py, &scenarios, tests, threads, |given| {
        Some(given.analyzed(tests, false, &AskedSteps::None))
    })?;
    Ok(found.into_iter().map(|one| one.expect("each piece was done").into()).collect())
}

impl PyScenario {
    pub(crate) fn check_tests(&self, tests: Option<&[String]>) -> PyResult<()> {
        for name in tests.into_iter().flatten() {
            if self.catalog.test(name).is_none() {
                let known: Vec<&str> = self.catalog.tests().map(|test| test.name).collect();
                return Err(bad_input(Problem::unknown_name("test", name, known)));
            }
        }
        Ok(())
    }

    fn analyzed(
        &self,
        tests: Option<&[String]>,
        explain: bool,
        steps: &AskedSteps,
    ) -> Result<AnalysisResult, String> {
        analysis_of(&self.scenario, &self.catalog, tests, explain, steps)
    }
}
