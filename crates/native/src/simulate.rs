//! Simulations: without Python's lock, with progress, and with an ear for signals.

use crate::errors::bad_input;
use crate::measured;
use crate::policy::PythonScheduler;
use crate::scenario::PyScenario;
use crate::trace::PyTrace;
use pyo3::prelude::*;
use pythonize::pythonize;
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::{Instant, OrderClass};
use schedlab_policy::{find, Scheduler, Scope};
use schedlab_report::deadlock::Deadlocks;
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_report::TraceWriter;
use schedlab_scenario::Scenario;
use serde_json::json;
use std::fs::File;

/// Called with the share done, if anything.
type Progress = Option<Py<PyAny>>;

/// Tells Python how far a simulation is, and keeps what it answers.
struct Watcher {
    progress: Progress,
    horizon: u64,
    failure: Option<PyErr>,
}

impl Watcher {
    fn new(progress: Progress, scenario: &Scenario) -> Self {
        Watcher { progress, horizon: scenario.horizon.as_ns().max(1), failure: None }
    }

    /// False if the simulation is to stop.
    fn tell(&mut self, now: Instant) -> bool {
        let share = now.as_ns() as f64 / self.horizon as f64;
        let told = Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(progress) => progress.call1(py, (share,)).map(drop),
                None => Ok(()),
            }
        });
        self.failure = told.err();
        self.failure.is_none()
    }

    /// Says that all is done, if nothing went wrong.
    fn done(mut self) -> PyResult<()> {
        if self.failure.is_none() {
            let end = Instant::from_ns(self.horizon);
            self.tell(end);
        }
        self.failure.map_or(Ok(()), Err)
    }
}

/// `scenario` under the scheduler called `name`.
pub fn prepare(scenario: &Scenario, name: &str) -> PyResult<Prepared> {
    let scenario = scenario.clone().with_scheduler(name).map_err(bad_input)?;
    Prepared::new(&scenario).map_err(bad_input)
}

/// `scenario` under a scheduler that scenarios do not know; in its text stands one that divides the machine alike.
pub fn prepare_foreign(scenario: &Scenario, scheduler: Scheduler) -> PyResult<Prepared> {
    let stand_in = match scheduler.scope {
        Scope::Partitioned => "P-EDF",
        Scope::Clustered => "C-EDF",
        Scope::Global => "G-EDF",
    };
    let scenario = scenario.clone().with_scheduler(stand_in).map_err(bad_input)?;
    Prepared::with_scheduler(&scenario, scheduler).map_err(bad_input)
}

/// The whole trace of a simulation, in memory.
pub fn trace(py: Python<'_>, prepared: &Prepared, progress: Progress) -> PyResult<Vec<u8>> {
    let mut watcher = Watcher::new(progress, &prepared.scenario);
    let header = prepared.header();
    let run = || -> Result<Vec<u8>, PrepareError> {
        let mut writer = TraceWriter::new(Vec::new(), &header);
        prepared.simulate(&mut writer, &mut |now| watcher.tell(now))?;
        Ok(writer.finish().expect("memory takes what it is given"))
    };
    let bytes = py.detach(run).map_err(bad_input)?;
    watcher.done()?;
    Ok(bytes)
}

#[pymethods]
impl PyScenario {
    /// Simulates under the scheduler called `scheduler`, and keeps the trace.
    #[pyo3(signature = (scheduler, progress))]
    fn simulate(&self, py: Python<'_>, scheduler: &str, progress: Progress) -> PyResult<PyTrace> {
        let prepared = prepare(&self.0, scheduler)?;
        PyTrace::of_memory(trace(py, &prepared, progress)?)
    }

    /// The same, but the trace goes into a file as it comes to exist.
    #[pyo3(signature = (scheduler, path, progress))]
    fn simulate_into(&self, py: Python<'_>, scheduler: &str, path: &str, progress: Progress) -> PyResult<()> {
        let prepared = prepare(&self.0, scheduler)?;
        let mut watcher = Watcher::new(progress, &prepared.scenario);
        let header = prepared.header();
        let cannot = |error: std::io::Error| bad_input(format!("{path}: cannot be written: {error}"));
        let file = File::create(path).map_err(cannot)?;
        let run = || {
            let mut writer = TraceWriter::new(file, &header);
            let ended = prepared.simulate(&mut writer, &mut |now| watcher.tell(now));
            ended.map(|_| writer.finish())
        };
        py.detach(run).map_err(bad_input)?.map_err(cannot)?;
        watcher.done()
    }

    /// Simulates without a trace: metrics, and what `check` would say of the trace. Memory does not grow.
    #[pyo3(signature = (scheduler, check, progress))]
    fn measure<'py>(
        &self,
        py: Python<'py>,
        scheduler: &str,
        check: bool,
        progress: Progress,
    ) -> PyResult<Bound<'py, PyAny>> {
        let prepared = prepare(&self.0, scheduler)?;
        let mut watcher = Watcher::new(progress, &prepared.scenario);
        let context = prepared.context();
        let run = || -> Result<_, PrepareError> {
            let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
            let mut checker = check.then(|| Checker::new(&context));
            let mut deadlocks = Deadlocks::new(&context);
            let sinks = ((&mut metrics, &mut deadlocks), &mut checker);
            prepared.simulate(sinks, &mut |now| watcher.tell(now))?;
            Ok((metrics, deadlocks, checker.map(Checker::finish)))
        };
        let (metrics, deadlocks, verdict) = py.detach(run).map_err(bad_input)?;
        watcher.done()?;
        let checks = verdict.map_or_else(|| json!([]), |verdict| measured::checks(&verdict));
        let found = json!({
            "metrics": measured::metrics(&metrics, &deadlocks, &prepared.scheduler.name, &context),
            "checks": checks,
        });
        Ok(pythonize(py, &found)?)
    }

    /// Simulates under a policy written in Python, and keeps the trace.
    #[pyo3(signature = (policy, progress))]
    fn simulate_policy(&self, policy: Bound<'_, PyAny>, progress: Progress) -> PyResult<PyTrace> {
        let python = PythonScheduler::new(policy)?;
        let stand_in = find("G-EDF").map_err(bad_input)?;
        // Of its order nothing is known, whatever stands in for its policies.
        let scheduler = Scheduler {
            name: python.name.clone(),
            scope: python.scope,
            class: OrderClass::Unanalysed,
            ..stand_in
        };
        let prepared = prepare_foreign(&self.0, scheduler)?;
        let made = prepared.for_each_cluster(|setup| python.policy(setup));
        let policies = made.into_iter().collect::<PyResult<Vec<_>>>()?;
        let mut watcher = Watcher::new(progress, &prepared.scenario);
        let header = prepared.header().with("promises", &python.promises());
        let mut writer = TraceWriter::new(Vec::new(), &header);
        let watch = &mut |now| !python.has_failed() && watcher.tell(now);
        prepared.simulate_policies(policies, &mut writer, watch).map_err(bad_input)?;
        if let Some(error) = python.failure() {
            return Err(error);
        }
        watcher.done()?;
        PyTrace::of_memory(writer.finish().expect("memory takes what it is given"))
    }
}

/// The trace of the scenario in a text under a protocol that scenarios do not know; in its own text stands `none`.
pub fn trace_under_foreign_protocol(
    py: Python<'_>,
    scenario: &str,
    protocol: schedlab_lock::Protocol,
    progress: Progress,
) -> PyResult<Vec<u8>> {
    let scenario = Scenario::parse("scenario", scenario).map_err(bad_input)?;
    trace(py, &Prepared::with_protocol(&scenario, protocol).map_err(bad_input)?, progress)
}

/// The trace of a simulation under a scheduler from elsewhere: what installed schedulers call.
pub fn trace_of_foreign(
    py: Python<'_>,
    scenario: &str,
    scheduler: Scheduler,
    progress: Progress,
) -> PyResult<Vec<u8>> {
    let scenario = Scenario::parse("scenario", scenario).map_err(bad_input)?;
    trace(py, &prepare_foreign(&scenario, scheduler)?, progress)
}
