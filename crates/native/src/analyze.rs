//! Analyses as plain values.

use crate::errors::bad_input;
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use pythonize::pythonize;
use schedlab_analysis::blocking::Blocking;
use schedlab_analysis::{Answer, Guarantee};
use schedlab_lab::{all_tests, analyze, findings, Finding, PrepareError, Prepared};
use schedlab_model::Duration;
use schedlab_policy::Scope;
use serde_json::{json, Value};

#[pymethods]
impl PyScenario {
    /// What each test that speaks of the scheduler called `scheduler` says, or only `tests`.
    #[pyo3(signature = (scheduler, tests))]
    fn analyze<'py>(
        &self,
        py: Python<'py>,
        scheduler: &str,
        tests: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for name in tests.iter().flatten() {
            if !all_tests().any(|test| test.name == name) {
                let known: Vec<&str> = all_tests().map(|test| test.name).collect();
                return Err(bad_input(format!("unknown test \"{name}\"; known are {}", known.join(", "))));
            }
        }
        let scenario = self.0.clone().with_scheduler(scheduler).map_err(bad_input)?;
        let found = match Prepared::for_analysis(&scenario) {
            Ok(prepared) => py.detach(|| report(&prepared, tests.as_deref())).map_err(bad_input)?,
            // Not bad input, but what the scheduler can do.
            Err(error) if error.is_lack_of_room() || matches!(error, PrepareError::Locking(_)) => json!({
                "scheduler": scenario.scheduler.name, "error": error.to_string(), "placement": null, "verdicts": [], "blocking": null, "more_blocking": [],
            }),
            Err(error) => return Err(bad_input(error)),
        };
        Ok(pythonize(py, &found)?)
    }
}

fn report(prepared: &Prepared, tests: Option<&[String]>) -> Result<Value, PrepareError> {
    let analysis = analyze(prepared)?;
    let wanted = |finding: &Finding| {
        tests.is_none_or(|names| {
            ["overheads", "blocking"].contains(&finding.test) || names.iter().any(|name| name == finding.test)
        })
    };
    let verdicts: Vec<Value> =
        findings(prepared, &analysis).iter().filter(|f| wanted(f)).map(verdict).collect();
    let clusters = || prepared.tasks.iter().map(|task| task.cluster.0).collect::<Vec<_>>();
    let placement = (prepared.scheduler.scope != Scope::Global).then(clusters);
    let more = analysis.analysis.iter().flat_map(|found| &found.more_blocking);
    Ok(json!({
        "scheduler": prepared.scheduler.name,
        "error": null,
        "placement": placement,
        "verdicts": verdicts,
        "blocking": analysis.analysis.as_ref().and_then(|found| found.blocking.as_ref()).map(blocking),
        "more_blocking": more.map(blocking).collect::<Vec<_>>(),
    }))
}

/// Blocking by task, in nanoseconds; null where it is not bounded. A method that does not prove that deadlines are met stopped
/// before its terms were bounds: `is_bound` says so.
fn blocking(found: &Blocking) -> Value {
    let column = |of: fn(&schedlab_analysis::blocking::Terms) -> Option<u64>| -> Vec<Option<u64>> {
        found.terms.iter().map(of).collect()
    };
    json!({
        "protocol": found.protocol,
        "method": found.method,
        "source": found.source,
        "assumptions": found.assumptions,
        "is_bound": found.not_a_bound.is_none(),
        "reason": found.not_a_bound,
        "remote_ns": column(|terms| terms.remote),
        "local_ns": column(|terms| Some(terms.local)),
        "total_ns": column(|terms| terms.total()),
    })
}

fn verdict(finding: &Finding) -> Value {
    let bounds = |bounds: &Option<Vec<Option<Duration>>>| {
        bounds.as_ref().map(|list| list.iter().map(|bound| bound.map(Duration::as_ns)).collect::<Vec<_>>())
    };
    json!({
        "test": finding.test,
        "source": finding.source,
        "kind": match finding.guarantee {
            Guarantee::Hard => "hard",
            Guarantee::Soft => "soft",
        },
        "answer": match finding.answer {
            Answer::Schedulable => "schedulable",
            Answer::Unschedulable => "unschedulable",
            Answer::Unknown => "unknown",
        },
        "reason": finding.reason,
        "assumptions": finding.assumptions,
        "response_time_bounds_ns": bounds(&finding.response_times),
        "tardiness_bounds_ns": bounds(&finding.tardiness),
    })
}
