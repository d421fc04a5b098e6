//! What a Python policy sees: jobs and events as they are at one instant.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use schedlab_model::{ClusterId, CpuId, Event, Instant, Job, JobId, JobState, Jobs, TaskId};

/// Which job: the task's index and the job's number, both from zero. Prints as `T3J7`.
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

/// A live job, as it was when it was asked for.
#[pyclass(frozen, name = "Job", module = "schedlab", from_py_object)]
#[derive(Clone, Copy)]
pub(crate) struct PyJob {
    pub(super) job: Job,
    period_ns: u64,
    relative_deadline_ns: u64,
}

impl PyJob {
    pub(super) fn of(job: &Job, jobs: &Jobs) -> Self {
        let task = jobs.task(job.id.task);
        PyJob {
            job: *job,
            period_ns: task.period.as_ns(),
            relative_deadline_ns: task.relative_deadline.as_ns(),
        }
    }
}

#[pymethods]
impl PyJob {
    /// Which job.
    #[getter]
    fn id(&self) -> PyJobId {
        PyJobId(self.job.id)
    }

    /// "ready" or "suspended".
    #[getter]
    fn state(&self) -> &'static str {
        match self.job.state {
            JobState::Absent => "absent",
            JobState::Ready => "ready",
            JobState::Suspended => "suspended",
        }
    }

    /// When it was triggered.
    #[getter]
    fn arrival_ns(&self) -> u64 {
        self.job.arrival.as_ns()
    }

    /// When it ought to be complete.
    #[getter]
    fn absolute_deadline_ns(&self) -> u64 {
        self.job.absolute_deadline.as_ns()
    }

    /// Bound on its cost.
    #[getter]
    fn wcet_ns(&self) -> u64 {
        self.job.wcet.as_ns()
    }

    /// Its task's period.
    #[getter]
    fn period_ns(&self) -> u64 {
        self.period_ns
    }

    /// Its task's relative deadline.
    #[getter]
    fn relative_deadline_ns(&self) -> u64 {
        self.relative_deadline_ns
    }

    /// Its effective priority point: smaller is more urgent.
    #[getter]
    fn priority_point(&self) -> u64 {
        self.job.effective.point()
    }

    /// Where it belongs.
    #[getter]
    fn cluster(&self) -> u16 {
        self.job.cluster.0
    }

    /// Where it, or its task's job before, executed last.
    #[getter]
    fn last_cpu(&self) -> Option<u16> {
        self.job.last_cpu.map(|cpu| cpu.0)
    }

    /// The processor that it occupies.
    #[getter]
    fn scheduled_on(&self) -> Option<u16> {
        self.job.scheduled_on.map(|cpu| cpu.0)
    }

    /// True if it may be preempted at once.
    #[getter]
    fn preemptable(&self) -> bool {
        self.job.is_preemptable()
    }

    /// The service received until `now`, the instant of the call that gave this job.
    fn service_ns(&self, now: u64) -> u64 {
        self.job.service(Instant::from_ns(now.max(self.job.accounted.as_ns()))).as_ns()
    }

    /// Time to the absolute deadline less the worst-case work still to do; may be negative.
    fn laxity_ns(&self, now: u64) -> i128 {
        self.job.laxity_ns(Instant::from_ns(now.max(self.job.accounted.as_ns())))
    }

    fn __repr__(&self) -> String {
        format!("<Job {} {}>", self.job.id, self.state())
    }
}

/// The live jobs of a cluster, as they were when the policy was called.
#[pyclass(frozen, name = "Jobs", module = "schedlab")]
pub(crate) struct PyJobs {
    jobs: Vec<PyJob>,
}

impl PyJobs {
    /// Those of `cluster`, and `subject`, which may be about to become ready.
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
    /// Those that may execute, by task.
    fn ready(&self) -> Vec<PyJob> {
        self.jobs.iter().filter(|job| job.job.state == JobState::Ready).copied().collect()
    }

    /// All of them, by task.
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

/// Something that happened.
#[pyclass(frozen, name = "Event", module = "schedlab")]
pub(crate) struct PyEvent(pub(super) Event);

#[pymethods]
impl PyEvent {
    /// "ready", "completed", "suspended", "resumed", "priority_changed", "aborted", "dispatched",
    /// "undispatched", "timer", "budget_exhausted", "joined" or "left".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0 {
            Event::Ready(_) => "ready",
            Event::Completed(_) => "completed",
            Event::Suspended(_) => "suspended",
            Event::Resumed(_) => "resumed",
            Event::PriorityChanged(_) => "priority_changed",
            Event::Aborted(_) => "aborted",
            Event::Dispatched { .. } => "dispatched",
            Event::Undispatched { .. } => "undispatched",
            Event::Timer(_) => "timer",
            Event::BudgetExhausted(_) => "budget_exhausted",
            Event::Joined(_) => "joined",
            Event::Left(_) => "left",
        }
    }

    /// The job that it happened to, if any.
    #[getter]
    fn job(&self) -> Option<PyJobId> {
        match self.0 {
            Event::Ready(job)
            | Event::Completed(job)
            | Event::Suspended(job)
            | Event::Resumed(job)
            | Event::PriorityChanged(job)
            | Event::Aborted(job)
            | Event::BudgetExhausted(job)
            | Event::Dispatched { job, .. }
            | Event::Undispatched { job, .. } => Some(PyJobId(job)),
            Event::Timer(_) | Event::Joined(_) | Event::Left(_) => None,
        }
    }

    /// The processor that it happened on, if any.
    #[getter]
    fn cpu(&self) -> Option<u16> {
        match self.0 {
            Event::Dispatched { cpu: CpuId(cpu), .. } | Event::Undispatched { cpu: CpuId(cpu), .. } => {
                Some(cpu)
            }
            Event::Ready(_)
            | Event::Completed(_)
            | Event::Suspended(_)
            | Event::Resumed(_)
            | Event::PriorityChanged(_)
            | Event::Aborted(_)
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => None,
        }
    }

    /// The timer that came due, if any.
    #[getter]
    fn timer(&self) -> Option<u32> {
        match self.0 {
            Event::Timer(key) => Some(key.0),
            Event::Ready(_)
            | Event::Completed(_)
            | Event::Suspended(_)
            | Event::Resumed(_)
            | Event::PriorityChanged(_)
            | Event::Aborted(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => None,
        }
    }

    /// The task that joined or left, if any.
    #[getter]
    fn task(&self) -> Option<u32> {
        match self.0 {
            Event::Joined(task) | Event::Left(task) => Some(task.0),
            Event::Ready(_)
            | Event::Completed(_)
            | Event::Suspended(_)
            | Event::Resumed(_)
            | Event::PriorityChanged(_)
            | Event::Aborted(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::Timer(_)
            | Event::BudgetExhausted(_) => None,
        }
    }

    fn __repr__(&self) -> String {
        format!("<Event {:?}>", self.0)
    }
}

/// The job that an event is about, if the policy can still look at it.
pub(super) fn subject(event: Event) -> Option<JobId> {
    PyEvent(event).job().map(|job| job.0)
}
