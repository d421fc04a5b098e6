//! Jobs and events as a policy in Python sees them at one instant.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use schedlab_model::{ClusterId, Event, Instant, Job, JobId, JobState, Jobs, TaskId};

/// Id of a job: the task's index and the job's number, both from zero. Prints as `T3J7`.
#[pyclass(frozen, eq, ord, hash, name = "JobId", module = "schedlab", from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PyJobId(pub JobId);

#[pymethods]
impl PyJobId {
    #[new]
    fn new(task: u32, number: u32) -> Self {
        PyJobId(JobId::new(TaskId(task), number))
    }

    /// The task's index.
    #[getter]
    fn task(&self) -> u32 {
        self.0.task.0
    }

    /// The job's number.
    #[getter]
    fn number(&self) -> u32 {
        self.0.number
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }
}

/// A live job, as it was when the policy was called.
#[pyclass(frozen, name = "Job", module = "schedlab", from_py_object)]
#[derive(Clone, Copy)]
pub(crate) struct PyJob {
    /// Id of the job.
    #[pyo3(get)]
    id: PyJobId,
    /// "ready" or "suspended".
    #[pyo3(get)]
    state: &'static str,
    /// Arrival of the job.
    #[pyo3(get)]
    arrival_ns: u64,
    /// Absolute deadline of the job.
    #[pyo3(get)]
    absolute_deadline_ns: u64,
    /// Bound on the cost of the job.
    #[pyo3(get)]
    wcet_ns: u64,
    /// Period of the job's task.
    #[pyo3(get)]
    period_ns: u64,
    /// Relative deadline of the job's task.
    #[pyo3(get)]
    relative_deadline_ns: u64,
    /// Effective priority point of the job: smaller is more urgent.
    #[pyo3(get)]
    priority_point: u64,
    /// Cluster to which the job belongs.
    #[pyo3(get)]
    cluster: u16,
    /// Processor where the job, or its task's job before, executed last.
    #[pyo3(get)]
    last_cpu: Option<u16>,
    /// Processor that the job occupies.
    #[pyo3(get)]
    scheduled_on: Option<u16>,
    /// True if the job may be preempted at once.
    #[pyo3(get)]
    preemptable: bool,
    pub(super) job: Job,
}

impl PyJob {
    pub(super) fn of(job: &Job, jobs: &Jobs) -> Self {
        let task = jobs.task(job.id.task);
        PyJob {
            id: PyJobId(job.id),
            state: match job.state {
                JobState::Absent => "absent",
                JobState::Ready => "ready",
                JobState::Suspended => "suspended",
            },
            arrival_ns: job.arrival.as_ns(),
            absolute_deadline_ns: job.absolute_deadline.as_ns(),
            wcet_ns: job.wcet.as_ns(),
            period_ns: task.period.as_ns(),
            relative_deadline_ns: task.relative_deadline.as_ns(),
            priority_point: job.effective.point(),
            cluster: job.cluster.0,
            last_cpu: job.last_cpu.map(|cpu| cpu.0),
            scheduled_on: job.scheduled_on.map(|cpu| cpu.0),
            preemptable: job.is_preemptable(),
            job: *job,
        }
    }
}

#[pymethods]
impl PyJob {
    /// The service received until `now`, the instant of the call that gave this job.
    fn service_ns(&self, now: u64) -> u64 {
        self.job.service(Instant::from_ns(now.max(self.job.accounted.as_ns()))).as_ns()
    }

    /// Time to the absolute deadline less the worst-case work still to do; may be negative.
    fn laxity_ns(&self, now: u64) -> i128 {
        self.job.laxity_ns(Instant::from_ns(now.max(self.job.accounted.as_ns())))
    }

    fn __repr__(&self) -> String {
        format!("<Job {} {}>", self.job.id, self.state)
    }
}

/// The live jobs of a cluster, as they were when the policy was called.
#[pyclass(frozen, name = "Jobs", module = "schedlab")]
pub(crate) struct PyJobs {
    jobs: Vec<PyJob>,
}

impl PyJobs {
    /// Live jobs of `cluster`, and `subject`, which may be about to become ready.
    pub(super) fn of(jobs: &Jobs, cluster: ClusterId, subject: Option<JobId>) -> Self {
        let wanted =
            |job: &&Job| Some(job.id) == subject || (job.state != JobState::Absent && job.cluster == cluster);
        let tasks = (0..jobs.capacity() as u32).map(TaskId);
        PyJobs {
            jobs: tasks.map(|id| jobs.of_task(id)).filter(wanted).map(|job| PyJob::of(job, jobs)).collect(),
        }
    }
}

#[pymethods]
impl PyJobs {
    /// Live jobs that may execute, by task.
    fn ready(&self) -> Vec<PyJob> {
        self.jobs.iter().filter(|job| job.job.state == JobState::Ready).copied().collect()
    }

    /// All live jobs, by task.
    fn live(&self) -> Vec<PyJob> {
        self.jobs.clone()
    }

    fn __len__(&self) -> usize {
        self.jobs.len()
    }

    fn __contains__(&self, id: PyJobId) -> bool {
        self.jobs.iter().any(|job| job.job.id == id.0)
    }

    fn __getitem__(&self, id: PyJobId) -> PyResult<PyJob> {
        let found = self.jobs.iter().find(|job| job.job.id == id.0);
        found.copied().ok_or_else(|| PyKeyError::new_err(id.0.to_string()))
    }
}

/// An event.
#[pyclass(frozen, name = "Event", module = "schedlab")]
pub(crate) struct PyEvent {
    /// "ready", "completed", "suspended", "resumed", "priority_changed", "aborted", "dispatched",
    /// "undispatched", "timer", "budget_exhausted", "joined" or "left".
    #[pyo3(get)]
    kind: &'static str,
    /// Job to which the event happened, if any.
    #[pyo3(get)]
    job: Option<PyJobId>,
    /// Processor on which the event happened, if any.
    #[pyo3(get)]
    cpu: Option<u16>,
    /// Timer that came due, if any.
    #[pyo3(get)]
    timer: Option<u32>,
    /// Task that joined or left, if any.
    #[pyo3(get)]
    task: Option<u32>,
    event: Event,
}

impl From<Event> for PyEvent {
    fn from(event: Event) -> Self {
        let of =
            |kind| PyEvent { kind, job: event.job().map(PyJobId), cpu: None, timer: None, task: None, event };
        match event {
            Event::Ready(_) => of("ready"),
            Event::Completed(_) => of("completed"),
            Event::Suspended(_) => of("suspended"),
            Event::Resumed(_) => of("resumed"),
            Event::PriorityChanged(_) => of("priority_changed"),
            Event::Aborted(_) => of("aborted"),
            Event::BudgetExhausted(_) => of("budget_exhausted"),
            Event::Dispatched { cpu, .. } => PyEvent { cpu: Some(cpu.0), ..of("dispatched") },
            Event::Undispatched { cpu, .. } => PyEvent { cpu: Some(cpu.0), ..of("undispatched") },
            Event::Timer(key) => PyEvent { timer: Some(key.0), ..of("timer") },
            Event::Joined(task) => PyEvent { task: Some(task.0), ..of("joined") },
            Event::Left(task) => PyEvent { task: Some(task.0), ..of("left") },
        }
    }
}

#[pymethods]
impl PyEvent {
    fn __repr__(&self) -> String {
        format!("<Event {:?}>", self.event)
    }
}
