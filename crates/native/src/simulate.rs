//! Simulations: without Python's lock, with progress, and with handling of signals.

use crate::errors::{bad_input, failed};
use crate::plain::{plain, Plain};
use crate::policy::Raised;
use crate::scenario::PyScenario;
use crate::trace::PyTrace;
use pyo3::prelude::*;
use schedlab_lab::results::MeasuredResult;
use schedlab_lab::{Measures, PrepareError, Prepared, Workspace};
use schedlab_model::Instant;
use schedlab_report::deadlock::Deadlocks;
use schedlab_report::files::reason;
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_report::TraceWriter;
use std::fs::File;
use std::io;

/// Callback that gets the share that is done, if there is one.
type Progress = Option<Py<PyAny>>;

/// Reports progress to Python, and keeps Python's answer.
struct Watcher {
    progress: Progress,
    horizon: u64,
    failure: Option<PyErr>,
    of_policy: Raised,
}

impl PyScenario {
    fn watcher(&self, progress: Progress) -> Watcher {
        let horizon = self.scenario.horizon.as_ns().max(1);
        Watcher { progress, horizon, failure: None, of_policy: self.failure.clone() }
    }
}

impl Watcher {
    /// Reports progress. Returns false if the simulation is to stop.
    fn tell(&mut self, now: Instant) -> bool {
        if self.of_policy.is_there() {
            return false;
        }
        let share = now.as_ns() as f64 / self.horizon as f64;
        let answer = Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(progress) => progress.call1(py, (share,)).map(drop),
                None => Ok(()),
            }
        });
        self.failure = answer.err();
        self.failure.is_none()
    }

    /// Reports that all is done, if nothing went wrong.
    fn done(mut self) -> PyResult<()> {
        if self.failure.is_none() {
            let end = Instant::from_ns(self.horizon);
            self.tell(end);
        }
        self.failure.map_or(Ok(()), Err)
    }
}

/// Simulates and writes the trace. Returns how the writing ended.
fn traced(
    prepared: &Prepared,
    out: &mut dyn io::Write,
    watcher: &mut Watcher,
) -> Result<io::Result<()>, PrepareError> {
    let mut writer = TraceWriter::new(out, &prepared.header());
    prepared.simulate_within(&mut Workspace::default(), &mut writer, &mut |now| watcher.tell(now))?;
    Ok(writer.finish().map(drop))
}

#[pymethods]
impl PyScenario {
    /// Simulates, and keeps the trace.
    fn simulate(&self, py: Python<'_>, progress: Progress) -> PyResult<PyTrace> {
        let prepared = self.prepare(py)?;
        let mut watcher = self.watcher(progress);
        let run = || -> Result<Vec<u8>, PrepareError> {
            let mut bytes = Vec::new();
            let ended = traced(&prepared, &mut bytes, &mut watcher)?;
            ended.expect("memory takes what it is given");
            Ok(bytes)
        };
        let bytes = self.watch(py, run)?.map_err(bad_input)?;
        watcher.done()?;
        PyTrace::of_memory(bytes)
    }

    /// Simulates, and writes the trace to the file `part` as it comes to exist, which becomes `path` afterwards.
    fn simulate_into(&self, py: Python<'_>, part: &str, path: &str, progress: Progress) -> PyResult<()> {
        let prepared = self.prepare(py)?;
        let mut watcher = self.watcher(progress);
        let cannot = |error: std::io::Error| failed(format!("{path}: cannot be written: {}", reason(&error)));
        let mut file = File::create(part).map_err(cannot)?;
        let run = || traced(&prepared, &mut file, &mut watcher);
        self.watch(py, run)?.map_err(bad_input)?.map_err(cannot)?;
        watcher.done()
    }

    /// Simulates without a trace: metrics, and the results that `check` would have for the trace. Memory does not grow.
    fn measure(&self, py: Python<'_>, check: bool, progress: Progress) -> PyResult<Plain> {
        let prepared = self.prepare(py)?;
        let mut watcher = self.watcher(progress);
        let context = self.watch(py, || prepared.context())?;
        let run = || -> Result<_, PrepareError> {
            let metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into())
                .with_utilities(&context.worths);
            let checker = check.then(|| prepared.checker());
            let mut measures = Measures { metrics, deadlocks: Deadlocks::new(&context), checker };
            prepared.measure(&mut measures, &mut Workspace::default(), &mut |now| watcher.tell(now))?;
            let Measures { metrics, deadlocks, checker } = measures;
            Ok((metrics, deadlocks, checker.map(Checker::finish)))
        };
        let (metrics, deadlocks, verdict) = self.watch(py, run)?.map_err(bad_input)?;
        watcher.done()?;
        let measured = MeasuredResult {
            metrics: metrics.result(&deadlocks, &prepared.scheduler.name, &context),
            checks: verdict.map_or_else(Vec::new, |verdict| verdict.results()),
        };
        Ok(plain(&measured))
    }
}
