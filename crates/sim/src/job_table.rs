//! The live job of each task, as policies and protocols read it: all may read, and each change has a name here.
//!
//! | changes | what they change |
//! |---|---|
//! | `begin`, `expect_successor`, `lift_deadline` | which job is live, and its deadline |
//! | `become_ready`, `suspend`, `resume`, `end` | its state |
//! | `occupy`, `run`, `execute`, `stop`, `receive`, `vacate`, `complete` | where it is, and what it received |
//! | `set_base`, `set_effective`, `move_to`, `enter_np`, `leave_np` | its priorities, its cluster, its sections |
//! | `ask`, `ask_no_more`, `set_holder`, `forget` | what it asks for and holds |

use core::ops::Deref;
use schedlab_model::{
    ClusterId, CpuId, Instant, Job, JobId, JobState, Jobs, Priority, ResourceId, Task, TaskId, Work,
};

/// The table of jobs, which is the engine's.
#[derive(Default)]
pub(crate) struct JobTable(Jobs);

impl Deref for JobTable {
    type Target = Jobs;

    #[inline(always)]
    fn deref(&self) -> &Jobs {
        &self.0
    }
}

/// Which job is live, and its state.
impl JobTable {
    /// No job of these tasks is live, in the same memory.
    pub(crate) fn renew(&mut self, tasks: &[Task]) {
        self.0.renew(tasks);
    }

    /// `job`, which arrived then, is live.
    #[inline(always)]
    pub(crate) fn begin(&mut self, job: JobId, arrival: Instant, absolute_deadline: Instant, followed: bool) {
        let entry = self.0.of_task_mut(job.task);
        entry.id = job;
        entry.arrival = arrival;
        entry.absolute_deadline = absolute_deadline;
        entry.received = Work::ZERO;
        entry.np_depth = 0;
        entry.has_successor = followed;
    }

    /// The next job of `task` waits for the live one to end.
    pub(crate) fn expect_successor(&mut self, task: TaskId) {
        self.0.of_task_mut(task).has_successor = true;
    }

    /// The job has no deadline.
    pub(crate) fn lift_deadline(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).absolute_deadline = Instant::NEVER;
    }

    /// The live job of `task` becomes ready, with this priority.
    #[inline(always)]
    pub(crate) fn become_ready(&mut self, task: TaskId, priority: Priority) {
        let entry = self.0.of_task_mut(task);
        entry.state = JobState::Ready;
        entry.base = priority;
        entry.effective = priority;
    }

    /// The job cannot execute until it is resumed.
    #[inline]
    pub(crate) fn suspend(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).state = JobState::Suspended;
    }

    /// The job can execute again.
    #[inline]
    pub(crate) fn resume(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).state = JobState::Ready;
    }

    /// The job, which occupies no processor, is gone.
    #[inline(always)]
    pub(crate) fn end(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).state = JobState::Absent;
    }
}

/// Where a job is, and what it receives there.
impl JobTable {
    /// The job begins to occupy `cpu`.
    #[inline(always)]
    pub(crate) fn occupy(&mut self, job: JobId, cpu: CpuId) {
        let entry = self.0.of_task_mut(job.task);
        entry.scheduled_on = Some(cpu);
        entry.last_cpu = Some(cpu);
    }

    /// The same, and it executes from now on.
    #[inline(always)]
    pub(crate) fn run(&mut self, job: JobId, cpu: CpuId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.scheduled_on = Some(cpu);
        entry.last_cpu = Some(cpu);
        entry.executing = true;
        entry.accounted = now;
    }

    /// The job executes from now on.
    #[inline(always)]
    pub(crate) fn execute(&mut self, job: JobId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.executing = true;
        entry.accounted = now;
    }

    /// The job executes no longer.
    #[inline(always)]
    pub(crate) fn stop(&mut self, job: JobId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.received += entry.since_accounted(now);
        entry.accounted = now;
        entry.executing = false;
    }

    /// The job, which executed until now, is about to let go of its processor.
    #[inline(always)]
    pub(crate) fn receive(&mut self, job: JobId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.received += entry.since_accounted(now);
    }

    /// The job lets go of its processor.
    #[inline(always)]
    pub(crate) fn vacate(&mut self, job: JobId) {
        let entry = self.0.of_task_mut(job.task);
        entry.scheduled_on = None;
        entry.executing = false;
    }

    /// The job, which executed until now, lets go of its processor and is gone.
    #[inline(always)]
    pub(crate) fn complete(&mut self, job: JobId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.received += entry.since_accounted(now);
        entry.scheduled_on = None;
        entry.executing = false;
        entry.state = JobState::Absent;
    }
}

/// Its priorities, its cluster, and its sections.
impl JobTable {
    pub(crate) fn set_base(&mut self, job: JobId, priority: Priority) {
        self.0.of_task_mut(job.task).base = priority;
    }

    pub(crate) fn set_effective(&mut self, job: JobId, priority: Priority) {
        self.0.of_task_mut(job.task).effective = priority;
    }

    /// The job belongs to that cluster from now on.
    pub(crate) fn move_to(&mut self, job: JobId, cluster: ClusterId) {
        self.0.of_task_mut(job.task).cluster = cluster;
    }

    /// The job enters a non-preemptive section.
    #[inline(always)]
    pub(crate) fn enter_np(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).np_depth += 1;
    }

    /// The job leaves a non-preemptive section: what is known of it then.
    #[inline(always)]
    pub(crate) fn leave_np(&mut self, job: JobId) -> &Job {
        let entry = self.0.of_task_mut(job.task);
        assert!(entry.np_depth > 0, "{job} leaves a non-preemptive section that it is not in");
        entry.np_depth -= 1;
        entry
    }

    /// The job asks for `resource`.
    pub(crate) fn ask(&mut self, job: JobId, resource: ResourceId) {
        self.0.ask(job, resource);
    }

    /// The job asks for nothing any more.
    pub(crate) fn ask_no_more(&mut self, job: JobId) {
        self.0.ask_no_more(job);
    }

    /// `resource` has this holder from now on.
    #[inline]
    pub(crate) fn set_holder(&mut self, resource: ResourceId, holder: Option<JobId>) {
        self.0.set_holder(resource, holder);
    }

    /// The job is gone: it asks for nothing and holds nothing.
    pub(crate) fn forget(&mut self, job: JobId) {
        self.0.forget(job);
    }
}
