//! Calls a policy written in Python, and checks what any policy owes the engine.

use super::decisions::PyDecisions;
use super::views::{PyEvent, PyJob, PyJobs};
use crate::errors::{bad_input, failed, invariant, is_bad_input};
use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;
use schedlab_model::{ClusterId, CpuId, Event, Instant, Invariant, JobId, JobState, Jobs, Priority};
use schedlab_policy::{ClusterSetup, Decision, Decisions, Policy, Scheduler, Scope, SetupError};
use std::sync::{Arc, Mutex};

/// First exception of the policies of a scenario, until it is raised. They may run on several threads.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        self.0.lock().expect("no thread panics with it").get_or_insert(error);
    }

    /// Takes the exception, to raise it.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().expect("no thread panics with it").take()
    }

    /// True if a policy raised an exception, so that going on is useless.
    pub(crate) fn is_there(&self) -> bool {
        self.0.lock().expect("no thread panics with it").is_some()
    }
}

/// Makes a scheduler, of whose order nothing is known, of a class derived from `schedlab.Policy`; `failure` keeps the
/// exceptions of its policies.
pub(crate) fn scheduler_of(class: &Bound<'_, PyAny>, failure: &Raised) -> PyResult<Scheduler> {
    let mut name: String = class.getattr("name")?.extract()?;
    if name.is_empty() {
        name = class.getattr("__name__")?.extract()?;
    }
    let scope = match class.getattr("scope")?.extract::<String>()?.as_str() {
        "global" => Scope::Global,
        "clustered" => Scope::Clustered,
        "partitioned" => Scope::Partitioned,
        other => {
            let allowed = "global, clustered or partitioned";
            return Err(bad_input(format!("{name}: scope is \"{other}\", not {allowed}")));
        }
    };
    let names: Vec<String> = class.getattr("promises")?.extract()?;
    let promises = names.iter().map(|promise| invariant(promise)).collect::<Result<Vec<_>, _>>();
    let promises = promises.map_err(|problem| bad_input(format!("{name}: promises: {problem}")))?;
    let said: Option<String> = class.getattr("__doc__")?.extract()?;
    let first = said.as_deref().and_then(|text| text.trim().lines().next()).unwrap_or_default();
    let description = if first.is_empty() { "a policy in Python" } else { first };
    let python = PythonScheduler {
        class: class.clone().unbind(),
        name: name.clone(),
        // A policy's promises are static; a class is used a few times in a process at most.
        promises: Vec::leak(promises),
        failure: failure.clone(),
    };
    Ok(Scheduler::of_policy(&name, scope, description, move |setup| python.policy(setup)))
}

/// Makes the policies of a class.
struct PythonScheduler {
    class: Py<PyAny>,
    name: String,
    promises: &'static [Invariant],
    failure: Raised,
}

impl PythonScheduler {
    /// Makes a policy for one cluster.
    fn policy(&self, setup: &ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> {
        let numbers: Vec<u16> = setup.cpus.iter().map(|cpu| cpu.0).collect();
        let made = Python::attach(|py| self.class.call1(py, (numbers, setup.tasks.len())));
        let object = made.map_err(|error| {
            self.failure.keep(named(&self.name, "__init__(cpus, tasks)", error));
            SetupError::Own("the policy in Python cannot be made")
        })?;
        Ok(Box::new(PythonPolicy {
            object,
            name: self.name.clone(),
            cluster: setup.cluster,
            clusters: setup.platform.clusters.len(),
            cpus: setup.cpus.to_vec(),
            links: vec![None; setup.cpus.len()],
            announced: vec![None; setup.cpus.len()],
            promises: self.promises,
            failure: self.failure.clone(),
        }))
    }
}

/// Returns the exception of `call` of a policy, with the policy's name. A policy that exits has failed: passed on,
/// `SystemExit` would end the process as if it had succeeded. An exception without a line of Python means that the
/// method could not even be called.
fn named(name: &str, call: &str, error: PyErr) -> PyErr {
    Python::attach(|py| {
        let said = if error.is_instance_of::<PySystemExit>(py) {
            format!("{name}: the policy raised SystemExit")
        } else if error.traceback(py).is_none() && !is_bad_input(py, &error) {
            format!("{name}: {call} cannot be called: {}", error.value(py))
        } else {
            return error;
        };
        let made = failed(said);
        made.set_cause(py, Some(error));
        made
    })
}

/// By place among the cluster's processors: the linked job.
type Links = Vec<Option<JobId>>;

/// A policy whose decisions Python makes. After an exception it decides nothing more.
struct PythonPolicy {
    object: Py<PyAny>,
    name: String,
    cluster: ClusterId,
    /// Number of clusters.
    clusters: usize,
    cpus: Vec<CpuId>,
    links: Links,
    /// Links that the engine knows.
    announced: Links,
    promises: &'static [Invariant],
    failure: Raised,
}

impl PythonPolicy {
    /// Calls Python by `made`, and returns the result of `call`; `default` once the policy has failed.
    fn attempt<T>(&self, call: &str, default: T, made: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        if self.failure.is_there() {
            return default;
        }
        match Python::attach(made) {
            Ok(value) => value,
            Err(error) => {
                self.failure.keep(named(&self.name, call, error));
                default
            }
        }
    }

    /// Returns the links that Python wants, and its other decisions.
    fn ask(&self, py: Python<'_>, now: Instant, jobs: &Jobs) -> PyResult<(Links, Vec<Decision>)> {
        let wishes = PyDecisions {
            cpus: self.cpus.clone(),
            links: self.links.clone(),
            jobs: jobs.live().filter(|job| job.cluster == self.cluster).copied().collect(),
            others: Vec::new(),
        };
        let wishes = Bound::new(py, wishes)?;
        let seen = PyJobs::of(jobs, self.cluster, None);
        let decided = self.object.bind(py).call_method1("decide", (now.as_ns(), seen, &wishes));
        decided.map_err(|error| match is_bad_input(py, &error) {
            true => bad_input(format!("{}.decide at {now}: {}", self.name, error.value(py))),
            false => error,
        })?;
        let mut said = wishes.borrow_mut();
        let owed = self.verify(&said.links, jobs).and_then(|()| {
            said.others.iter().try_for_each(|decision| self.verify_decision(now, decision, jobs))
        });
        owed.map_err(|problem| bad_input(format!("{}.decide at {now}: {problem}", self.name)))?;
        Ok((std::mem::take(&mut said.links), std::mem::take(&mut said.others)))
    }

    /// Checks a decision for what any policy owes the engine: live jobs, times to come, budgets and clusters that
    /// exist.
    fn verify_decision(&self, now: Instant, decision: &Decision, jobs: &Jobs) -> Result<(), String> {
        const MOST_TIMERS: u32 = 1 << 20;
        let job = match *decision {
            Decision::Timer(key, _) if key.0 >= MOST_TIMERS => {
                return Err(format!("timer {} is too many; allowed: keys below {MOST_TIMERS}", key.0));
            }
            Decision::Timer(key, Some(at)) if at <= now => {
                return Err(format!("timer {} is set to {at}; allowed: a later time than now", key.0));
            }
            Decision::Timer(..) => return Ok(()),
            Decision::Budget(job, Some(work)) if work.is_zero() => {
                return Err(format!("the budget of {job} is 0; allowed: a positive number, or None"));
            }
            Decision::Move(_, cluster) if cluster.index() >= self.clusters => {
                return Err(format!("there is no cluster {}; there are {}", cluster.0, self.clusters));
            }
            Decision::SetPriority(job, _) | Decision::Budget(job, _) | Decision::Abort(job) => job,
            Decision::Move(job, _) => job,
        };
        let is_live = job.task.index() < jobs.capacity()
            && jobs.of_task(job.task).id == job
            && jobs.of_task(job.task).state != JobState::Absent;
        if is_live {
            Ok(())
        } else {
            Err(format!("{job} is not a live job"))
        }
    }

    /// Checks links for what any policy owes the engine: only ready jobs of the cluster, none twice.
    fn verify(&self, links: &[Option<JobId>], jobs: &Jobs) -> Result<(), String> {
        for (place, job) in links.iter().enumerate() {
            let (Some(id), cpu) = (*job, self.cpus[place]) else { continue };
            if id.task.index() >= jobs.capacity() {
                return Err(format!("{id} is linked to {cpu}, but there is no such task"));
            }
            let job = jobs.of_task(id.task);
            if job.id != id || job.state != JobState::Ready || job.cluster != self.cluster {
                return Err(format!("{id} is linked to {cpu}, but is not a ready job of the cluster"));
            }
            if links[..place].contains(&Some(id)) {
                return Err(format!("{id} is linked to two processors"));
            }
        }
        Ok(())
    }
}

impl Policy for PythonPolicy {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        let point = self.attempt("priority(job)", 0, |py| {
            let shown = PyJob::of(jobs.get(job), jobs);
            let said = self.object.bind(py).call_method1("priority", (shown,))?;
            let point = said.extract().ok().filter(|point| *point <= Priority::MAX_POINT);
            let allowed = "a whole number from 0 to 2^62 - 1";
            point.ok_or_else(|| bad_input(format!("{}.priority: {said:?}; allowed: {allowed}", self.name)))
        });
        Priority::new(point, job)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        if let Event::Completed(job) | Event::Suspended(job) | Event::Aborted(job) = event {
            for link in self.links.iter_mut().filter(|link| **link == Some(job)) {
                *link = None;
            }
        }
        self.attempt("note(now, event, jobs)", (), |py| {
            let seen = PyJobs::of(jobs, self.cluster, event.job());
            self.object.bind(py).call_method1("note", (now.as_ns(), PyEvent::from(event), seen)).map(drop)
        });
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        let asked = |py: Python<'_>| self.ask(py, now, jobs).map(Some);
        if let Some((links, others)) = self.attempt("decide(now, jobs, out)", None, asked) {
            self.links = links;
            others.into_iter().for_each(|wish| out.push(wish));
        }
        for (place, link) in self.links.iter().enumerate() {
            if self.announced[place] != *link {
                self.announced[place] = *link;
                out.look(self.cpus[place]);
            }
        }
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        let place = self.cpus.iter().position(|known| *known == cpu)?;
        self.links[place]
    }

    fn promises(&self) -> &'static [Invariant] {
        self.promises
    }
}
