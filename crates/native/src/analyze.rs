//! Analyses as plain values.

use crate::batch::{threads_of, watched};
use crate::errors::{bad_input, no_such};
use crate::plain::plain;
use crate::reach::of_all;
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use schedlab_batch::{advise, Control};
use schedlab_lab::results::{analysis_of, AnalysisResult};

#[pymethods]
impl PyScenario {
    /// What each test that speaks of the scheduler says, or only `tests`.
    #[pyo3(signature = (tests, explain = false))]
    fn analyze<'py>(
        &self,
        py: Python<'py>,
        tests: Option<Vec<String>>,
        explain: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_tests(tests.as_deref())?;
        let found = self.watch(py, || self.analyzed(tests.as_deref(), explain))?;
        plain(py, &found.map_err(bad_input)?)
    }

    /// Every scheduler, placement, priority rule and protocol that applies, ranked, on `threads` threads (0: one for
    /// each processor).
    #[pyo3(signature = (threads = 0))]
    fn advise<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let work = |control: &Control| advise(&self.scenario, &self.catalog, threads_of(threads), control);
        let found = watched(py, None, work)?;
        self.failure.take().map_or(Ok(()), Err)?;
        plain(py, &found.map_err(|_| bad_input("advising was stopped"))?)
    }
}

/// An analysis, or what is wrong with the scenario.
type AnalysisOrError<'py> = (Option<Bound<'py, PyAny>>, Option<String>);

/// As `Scenario.analyze` of each of `scenarios` under its own scheduler, on `threads` threads (0: one for each
/// processor).
#[pyfunction]
pub(crate) fn analyze_many<'py>(
    py: Python<'py>,
    scenarios: Vec<Py<PyScenario>>,
    tests: Option<Vec<String>>,
    threads: usize,
) -> PyResult<Vec<AnalysisOrError<'py>>> {
    let tests = tests.as_deref();
    let found = of_all(py, &scenarios, tests, threads, |given| Some(given.analyzed(tests, false)))?;
    let convert = |found| match found {
        Ok(analysis) => Ok((Some(plain(py, &analysis)?), None)),
        Err(message) => Ok((None, Some(message))),
    };
    found.into_iter().map(|one| convert(one.expect("each piece was done"))).collect()
}

impl PyScenario {
    pub(crate) fn check_tests(&self, tests: Option<&[String]>) -> PyResult<()> {
        for name in tests.into_iter().flatten() {
            if self.catalog.test(name).is_none() {
                let known: Vec<&str> = self.catalog.tests().map(|test| test.name).collect();
                return Err(no_such("test", name, known));
            }
        }
        Ok(())
    }

    fn analyzed(&self, tests: Option<&[String]>, explain: bool) -> Result<AnalysisResult, String> {
        analysis_of(&self.scenario, &self.catalog, tests, explain)
    }
}
