//! Analyses as plain values.

use crate::batch::{threads_of, watched};
use crate::conclusion::{answer, kind};
use crate::errors::{bad_input, no_such};
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use pythonize::pythonize;
use schedlab_analysis::blocking::Blocking;
use schedlab_analysis::interference::Tightest;
use schedlab_analysis::Test;
use schedlab_batch::{advise, each, Control};
use schedlab_lab::advise::{Change, Way};
use schedlab_lab::explain::{demands, explain, Part};
use schedlab_lab::sensitivity::{critical_scaling, slacks, Factor};
use schedlab_lab::{
    analyze, ask, findings, in_words, Catalog, Evidence, Finding, ListedJob, PrepareError, Prepared,
    ScenarioAnalysis,
};
use schedlab_model::{ClusterId, Duration, TaskId};
use schedlab_policy::Scope;
use serde_json::{json, Value};

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
        let found = self.watch(py, || report_of(self, tests.as_deref(), explain))?;
        Ok(pythonize(py, &found.map_err(bad_input)?)?)
    }

    /// Every scheduler, placement, priority rule and protocol that applies, ranked, on `threads` threads (0: one for each processor).
    #[pyo3(signature = (threads = 0))]
    fn advise<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let work = |control: &Control| advise(&self.scenario, &self.catalog, threads_of(threads), control);
        let found = watched(py, None, work)?;
        self.failure.take().map_or(Ok(()), Err)?;
        let found = found.map_err(|_| bad_input("advising was stopped"))?;
        let way = |way: &Way| {
            json!({
                "scheduler": way.candidate.scheduler,
                "placement": way.candidate.placement,
                "priorities": way.candidate.priorities,
                "protocol": way.candidate.protocol,
                "schemes": way.candidate.schemes.as_ref().map(ToString::to_string),
                "changes": way.changes,
                "schedulable": way.proved,
                "margin_percent": way.margin.percent(),
                "margin_at_best_percent": way.margin_at_best.percent(),
                "rank": way.rank,
                "test": way.test,
                "reason": way.reason,
                "in_a_real_run": way.in_a_real_run,
            })
        };
        let change = |change: &Change| {
            json!({
                "kind": change.kind.as_ref(),
                "what": change.what,
                "margin_percent": change.margin.map(Factor::percent),
            })
        };
        let report = json!({
            "as_it_is": found.as_it_is,
            "single_changes": found.single_changes.iter().map(change).collect::<Vec<_>>(),
            "ways": found.ways.iter().map(way).collect::<Vec<_>>(),
        });
        Ok(pythonize(py, &report)?)
    }
}

/// An analysis, or what is wrong with the scenario.
type AnalysisOrError<'py> = (Option<Bound<'py, PyAny>>, Option<String>);

/// As `Scenario.analyze` of each of `scenarios` under its own scheduler, on `threads` threads (0: one for each processor).
#[pyfunction]
pub(crate) fn analyze_many<'py>(
    py: Python<'py>,
    scenarios: Vec<Py<PyScenario>>,
    tests: Option<Vec<String>>,
    threads: usize,
) -> PyResult<Vec<AnalysisOrError<'py>>> {
    for scenario in &scenarios {
        scenario.get().check_tests(tests.as_deref())?;
    }
    let mut found: Vec<Result<Value, String>> = vec![Ok(Value::Null); scenarios.len()];
    let pieces = 0..scenarios.len() as u64;
    let work = |_: &mut (), at: u64, place: &mut [Result<Value, String>]| {
        place[0] = report_of(scenarios[at as usize].get(), tests.as_deref(), false);
        Ok::<(), ()>(())
    };
    let all = py.detach(|| each(pieces, &mut found, 1, threads_of(threads), &Control::default(), work));
    all.expect("each piece has a place for what is wrong with it");
    scenarios.iter().find_map(|scenario| scenario.get().failure.take()).map_or(Ok(()), Err)?;
    let convert = |found| match found {
        Ok(value) => Ok((Some(pythonize(py, &value)?), None)),
        Err(message) => Ok((None, Some(message))),
    };
    found.into_iter().map(convert).collect()
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
}

/// What is said of a scenario.
fn report_of(given: &PyScenario, tests: Option<&[String]>, explain: bool) -> Result<Value, String> {
    let PyScenario { scenario, catalog, .. } = given;
    match Prepared::for_analysis(scenario, catalog) {
        Ok(prepared) => {
            let found = match added(catalog, tests) {
                Some(own) => by_tests(&prepared, &own),
                None => report(&prepared, tests, explain),
            };
            found.map_err(|error| error.to_string())
        }
        // Not bad input, but what the scheduler can do.
        Err(error) if error.is_lack_of_room() || matches!(error, PrepareError::Locking(_)) => Ok(json!({
            "scheduler": scenario.scheduler_name(), "error": error.to_string(), "placement": null, "verdicts": [], "evidence": [], "explanation": null, "blocking": null, "more_blocking": [],
        })),
        Err(error) => Err(error.to_string()),
    }
}

/// The tests asked, if they are all added ones: nothing else is then looked at.
fn added(catalog: &Catalog, tests: Option<&[String]>) -> Option<Vec<&'static Test>> {
    let find = |name: &String| catalog.added_tests().iter().copied().find(|test| test.name == name);
    tests?.iter().map(find).collect::<Option<Vec<_>>>().filter(|own| !own.is_empty())
}

/// What these tests alone say.
fn by_tests(prepared: &Prepared, tests: &[&'static Test]) -> Result<Value, PrepareError> {
    let mut verdicts = Vec::new();
    for test in tests {
        verdicts.extend(ask(prepared, test)?.map(|found| verdict(&found, prepared)));
    }
    Ok(json!({
        "scheduler": prepared.scheduler.name, "error": null, "placement": null, "verdicts": verdicts, "evidence": [], "explanation": null, "blocking": null, "more_blocking": [],
    }))
}

fn report(prepared: &Prepared, tests: Option<&[String]>, explain: bool) -> Result<Value, PrepareError> {
    let analysis = analyze(prepared)?;
    let always = ["overheads", "blocking", "scheduler"];
    let wanted = |finding: &Finding| {
        tests.is_none_or(|names| {
            always.contains(&finding.test) || names.iter().any(|name| name == finding.test)
        })
    };
    let verdicts: Vec<Value> = findings(prepared, &analysis)
        .iter()
        .filter(|f| wanted(f))
        .map(|found| verdict(found, prepared))
        .collect();
    let clusters = || prepared.tasks.iter().map(|task| task.cluster.0).collect::<Vec<_>>();
    let placement = (prepared.scheduler.scope != Scope::Global).then(clusters);
    let more = analysis.analysis.iter().flat_map(|found| &found.more_blocking);
    Ok(json!({
        "scheduler": prepared.scheduler.name,
        "error": null,
        "placement": placement,
        "verdicts": verdicts,
        "evidence": analysis.evidence.iter().map(|found| evidence(found, prepared)).collect::<Vec<_>>(),
        "explanation": explain.then(|| explanation(prepared, &analysis)),
        "blocking": analysis.analysis.as_ref().and_then(|found| found.blocking.as_ref()).map(|found| blocking(found, prepared)),
        "more_blocking": more.map(|found| blocking(found, prepared)).collect::<Vec<_>>(),
    }))
}

/// A simulated late job, and what led to it.
fn evidence(found: &Evidence, prepared: &Prepared) -> Value {
    let name = |id: schedlab_model::JobId| &prepared.scenario.tasks[id.task.index()].name;
    let job = |job: &ListedJob| {
        json!({
            "task": job.id.task.0,
            "job": job.id.number,
            "arrival_ns": job.arrival.as_ns(),
            "release_ns": job.release.as_ns(),
            "cost_ns": job.cost.as_ns(),
        })
    };
    json!({
        "cluster": found.cluster.0,
        "rule": found.rule,
        "task": found.late.task.0,
        "name": name(found.late),
        "job": found.late.number,
        "absolute_deadline_ns": found.absolute_deadline.as_ns(),
        "late_by_ns": found.late_by.map(Duration::as_ns),
        "jobs": found.jobs.iter().map(job).collect::<Vec<_>>(),
    })
}

/// What bounds are made of, and how far costs may grow.
fn explanation(prepared: &Prepared, analysis: &ScenarioAnalysis) -> Value {
    let slacks = slacks(prepared);
    let tasks: Vec<Value> = explain(prepared, analysis)
        .into_iter()
        .map(|one| {
            let part = |part: &Part| json!({ "what": part.what, "length_ns": part.length.as_ns() });
            json!({
                "task": one.task.0,
                "name": prepared.scenario.tasks[one.task.index()].name,
                "bound_ns": one.bound.as_ns(),
                "parts": one.parts.iter().map(part).collect::<Vec<_>>(),
            })
        })
        .collect();
    let demand = |(cluster, found): (ClusterId, Tightest)| {
        let part = |(task, demand): &(TaskId, u128)| json!({ "task": task.0, "name": prepared.scenario.tasks[task.index()].name, "demand_ns": *demand as u64 });
        json!({
            "cluster": cluster.0,
            "within_ns": found.within,
            "demand_ns": found.demand as u64,
            "exceeds": found.demand > u128::from(found.within),
            "parts": found.by.iter().map(part).collect::<Vec<_>>(),
        })
    };
    json!({
        "demands": demands(prepared).into_iter().map(demand).collect::<Vec<_>>(),
        "critical_scaling_percent": critical_scaling(prepared).percent(),
        "slack_ns": slacks.iter().map(|slack| slack.map(Duration::as_ns)).collect::<Vec<_>>(),
        "bounds": tasks,
    })
}

/// Blocking by task, in nanoseconds; null where it is not bounded. A method that does not prove that deadlines are met stopped
/// before its terms were bounds: `is_bound` says so.
fn blocking(found: &Blocking, prepared: &Prepared) -> Value {
    let column = |of: fn(&schedlab_analysis::blocking::Terms) -> Option<u64>| -> Vec<Option<u64>> {
        found.terms.iter().map(of).collect()
    };
    json!({
        "protocol": found.protocol,
        "method": found.method,
        "source": found.source,
        "assumptions": texts(found.assumptions),
        "is_bound": found.not_a_bound.is_none(),
        "reason": found.not_a_bound.as_ref().map(|why| in_words(why, &prepared.scenario)),
        "remote_ns": column(|terms| terms.remote),
        "local_ns": column(|terms| Some(terms.local)),
        "total_ns": column(|terms| terms.total()),
    })
}

fn texts(assumptions: &[impl ToString]) -> Vec<String> {
    assumptions.iter().map(ToString::to_string).collect()
}

fn verdict(finding: &Finding, prepared: &Prepared) -> Value {
    let bounds = |bounds: &Option<Vec<Option<Duration>>>| {
        bounds.as_ref().map(|list| list.iter().map(|bound| bound.map(Duration::as_ns)).collect::<Vec<_>>())
    };
    json!({
        "test": finding.test,
        "source": finding.source,
        "kind": kind(finding.guarantee),
        "answer": answer(finding.answer),
        "reason": finding.reason.in_words(&prepared.scenario),
        "assumptions": texts(&finding.assumptions),
        "response_time_bounds_ns": bounds(&finding.response_times),
        "tardiness_bounds_ns": bounds(&finding.tardiness),
    })
}
