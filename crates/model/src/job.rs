//! One activation of a task, and the table of those that are live.

use crate::ids::{ClusterId, CpuId, JobId, ResourceId, TaskId};
use crate::priority::Priority;
use crate::sharing::Sharing;
use crate::table::{at, at_mut};
use crate::task::Task;
use crate::time::{Instant, Work};
use alloc::borrow::ToOwned;
use alloc::vec::Vec;

/// State of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobState {
    /// The task has no job that may execute: none has arrived, or it is not released yet.
    #[default]
    Absent,
    /// The job may execute (and perhaps does: see [`Job::scheduled_on`]).
    Ready,
    /// The job waits, for a resource or by itself, without a processor.
    Suspended,
}

/// The live job of one task.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Id of the job.
    pub id: JobId,
    /// State of the job.
    pub state: JobState,
    /// Priority of the job by the scheduling policy alone.
    pub base: Priority,
    /// Priority of the job after inheritance, boosting and ceilings. Policies compare this one.
    pub effective: Priority,
    /// Arrival of the job.
    pub arrival: Instant,
    /// Absolute deadline of the job.
    pub absolute_deadline: Instant,
    /// Bound on the cost of the job.
    pub wcet: Work,
    /// Service received up to `accounted`; see [`Job::service`].
    pub received: Work,
    /// Time up to which `received` is counted, while the job executes.
    pub accounted: Instant,
    /// Cluster to which the job belongs now.
    pub cluster: ClusterId,
    /// Processor where the job, or its task's job before, executed last.
    pub last_cpu: Option<CpuId>,
    /// Processor that the job occupies now.
    pub scheduled_on: Option<CpuId>,
    /// True if the job receives service: it is scheduled, and no overhead occupies its processor.
    pub executing: bool,
    /// Number of nested non-preemptive sections that the job is in.
    pub np_depth: u32,
    /// True if the task's next job is released: it becomes ready when this one is complete.
    pub has_successor: bool,
}

impl Job {
    /// The service received until `now`.
    pub fn service(&self, now: Instant) -> Work {
        if self.executing {
            self.received + self.since_accounted(now)
        } else {
            self.received
        }
    }

    /// Returns the service since the job was accounted for, if it executed all that time.
    pub fn since_accounted(&self, now: Instant) -> Work {
        Work::done_in(now - self.accounted)
    }

    /// Time to the absolute deadline less the worst-case work still to do, in nanoseconds; may be negative.
    pub fn laxity_ns(&self, now: Instant) -> i128 {
        let to_go = i128::from(self.absolute_deadline.as_ns()) - i128::from(now.as_ns());
        to_go - (i128::from(self.wcet.as_ns()) - i128::from(self.service(now).as_ns()))
    }

    /// True if the job may be preempted at once.
    pub fn is_preemptable(&self) -> bool {
        self.np_depth == 0
    }
}

/// All tasks and the live job of each, for policies and protocols to read.
///
/// The capacity is fixed when the table is set up: one job per task. A task that joins later has its
/// place from the start.
#[derive(Clone, Debug, Default)]
pub struct Jobs {
    tasks: Vec<Task>,
    jobs: Vec<Job>,
    sharing: Sharing,
}

impl Jobs {
    /// A table for `tasks`, without live jobs. Panics beyond 2^32 tasks.
    pub fn new(tasks: Vec<Task>) -> Self {
        let mut table = Jobs { tasks, ..Jobs::default() };
        table.remove_all();
        table
    }

    /// Becomes a table for other `tasks`, without live jobs, in the same memory.
    pub fn renew(&mut self, tasks: &[Task]) {
        tasks.clone_into(&mut self.tasks);
        self.remove_all();
    }

    fn remove_all(&mut self) {
        assert!(u32::try_from(self.tasks.len()).is_ok(), "a task number has 32 bits");
        let absent = |(index, task): (usize, &Task)| {
            let id = JobId::new(TaskId(index as u32), 0);
            Job {
                id,
                state: JobState::Absent,
                base: Priority::new(Priority::MAX_POINT, id),
                effective: Priority::new(Priority::MAX_POINT, id),
                arrival: Instant::ZERO,
                absolute_deadline: Instant::NEVER,
                wcet: task.wcet,
                received: Work::ZERO,
                accounted: Instant::ZERO,
                cluster: task.cluster,
                last_cpu: None,
                scheduled_on: None,
                executing: false,
                np_depth: 0,
                has_successor: false,
            }
        };
        self.jobs.clear();
        self.jobs.extend(self.tasks.iter().enumerate().map(absent));
        self.sharing.renew(&self.tasks);
    }

    /// Number of tasks.
    pub fn capacity(&self) -> usize {
        self.tasks.len()
    }

    /// The task with this id.
    #[inline]
    pub fn task(&self, task: TaskId) -> &Task {
        &self.tasks[task.index()]
    }

    /// The live job `id`. Panics if the task's live job is another one: a stale id is a bug.
    #[inline]
    pub fn get(&self, id: JobId) -> &Job {
        let job = at(&self.jobs, id.task.index());
        debug_assert_eq!(job.id, id, "a stale job id");
        job
    }

    /// The live (or next) job of `task`.
    #[inline]
    pub fn of_task(&self, task: TaskId) -> &Job {
        at(&self.jobs, task.index())
    }

    /// The jobs that may execute or are suspended, by task.
    pub fn live(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(|job| job.state != JobState::Absent)
    }

    /// The entry of `task`, for the engine that owns the table.
    #[inline]
    pub fn of_task_mut(&mut self, task: TaskId) -> &mut Job {
        at_mut(&mut self.jobs, task.index())
    }

    /// The job that holds `resource`, which has one unit.
    pub fn holder(&self, resource: ResourceId) -> Option<JobId> {
        self.sharing.holder(resource)
    }

    /// Returns the resource for which `job` has asked and which it does not hold yet: it waits, or asks again as soon
    /// as it executes.
    pub fn wanted_by(&self, job: JobId) -> Option<ResourceId> {
        self.sharing.wanted_by(job)
    }

    /// Notes that `job` asks for `resource`, for the engine that owns the table.
    pub fn ask(&mut self, job: JobId, resource: ResourceId) {
        self.sharing.want(job, Some(resource));
    }

    /// Notes that `job` no longer asks for a resource, for the engine.
    pub fn ask_no_more(&mut self, job: JobId) {
        self.sharing.want(job, None);
    }

    /// Sets the holder of `resource`, for the engine.
    #[inline]
    pub fn set_holder(&mut self, resource: ResourceId, holder: Option<JobId>) {
        self.sharing.set_holder(resource, holder);
    }

    /// Forgets the requests and holdings of `job`, which has left, for the engine.
    pub fn forget(&mut self, job: JobId) {
        self.sharing.forget(job);
    }
}
