//! The live job of each task, as policies and protocols read it. Everyone may read it; each change has a name here.
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

/// The engine's table of jobs.
#[derive(Default)]
pub(crate) struct JobTable(Jobs);

impl Deref for JobTable {
    type Target = Jobs;

    #[inline(always)]
    fn deref(&self) -> &Jobs {
        &self.0
    }
}

/// Changes of the live job and its state.
impl JobTable {
    /// Removes all jobs, for these tasks, in the same memory.
    pub(crate) fn renew(&mut self, tasks: &[Task]) {
        self.0.renew(tasks);
    }

    /// Makes `job`, with its arrival and deadline, the live one of its task.
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

    /// Notes that the next job of `task` waits for the live one to end.
    pub(crate) fn expect_successor(&mut self, task: TaskId) {
        self.0.of_task_mut(task).has_successor = true;
    }

    /// Removes the deadline of the job.
    pub(crate) fn lift_deadline(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).absolute_deadline = Instant::NEVER;
    }

    /// Makes the live job of `task` ready, with this priority.
    #[inline(always)]
    pub(crate) fn become_ready(&mut self, task: TaskId, priority: Priority) {
        let entry = self.0.of_task_mut(task);
        entry.state = JobState::Ready;
        entry.base = priority;
        entry.effective = priority;
    }

    /// Suspends the job, which cannot execute until it is resumed.
    #[inline]
    pub(crate) fn suspend(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).state = JobState::Suspended;
    }

    /// Resumes the job, which can execute again.
    #[inline]
    pub(crate) fn resume(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).state = JobState::Ready;
    }

    /// Ends the job, which occupies no processor.
    #[inline(always)]
    pub(crate) fn end(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).state = JobState::Absent;
    }
}

/// Changes of a job's processor, and of what it receives there.
impl JobTable {
    /// Lets the job occupy `cpu`.
    #[inline(always)]
    pub(crate) fn occupy(&mut self, job: JobId, cpu: CpuId) {
        let entry = self.0.of_task_mut(job.task);
        entry.scheduled_on = Some(cpu);
        entry.last_cpu = Some(cpu);
    }

    /// Lets the job occupy `cpu` and execute from now on.
    #[inline(always)]
    pub(crate) fn run(&mut self, job: JobId, cpu: CpuId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.scheduled_on = Some(cpu);
        entry.last_cpu = Some(cpu);
        entry.executing = true;
        entry.accounted = now;
    }

    /// Lets the job execute from now on.
    #[inline(always)]
    pub(crate) fn execute(&mut self, job: JobId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.executing = true;
        entry.accounted = now;
    }

    /// Stops the job's execution, and accounts for it.
    #[inline(always)]
    pub(crate) fn stop(&mut self, job: JobId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.received += entry.since_accounted(now);
        entry.accounted = now;
        entry.executing = false;
    }

    /// Accounts for the job's execution until now; it is about to leave its processor.
    #[inline(always)]
    pub(crate) fn receive(&mut self, job: JobId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.received += entry.since_accounted(now);
    }

    /// Takes the job off its processor.
    #[inline(always)]
    pub(crate) fn vacate(&mut self, job: JobId) {
        let entry = self.0.of_task_mut(job.task);
        entry.scheduled_on = None;
        entry.executing = false;
    }

    /// Completes the job, which executed until now: accounts for that, and takes it off its processor.
    #[inline(always)]
    pub(crate) fn complete(&mut self, job: JobId, now: Instant) {
        let entry = self.0.of_task_mut(job.task);
        entry.received += entry.since_accounted(now);
        entry.scheduled_on = None;
        entry.executing = false;
        entry.state = JobState::Absent;
    }
}

/// Changes of a job's priorities, cluster and sections.
impl JobTable {
    pub(crate) fn set_base(&mut self, job: JobId, priority: Priority) {
        self.0.of_task_mut(job.task).base = priority;
    }

    pub(crate) fn set_effective(&mut self, job: JobId, priority: Priority) {
        self.0.of_task_mut(job.task).effective = priority;
    }

    /// Moves the job to another cluster.
    pub(crate) fn move_to(&mut self, job: JobId, cluster: ClusterId) {
        self.0.of_task_mut(job.task).cluster = cluster;
    }

    /// Lets the job enter a non-preemptive section.
    #[inline(always)]
    pub(crate) fn enter_np(&mut self, job: JobId) {
        self.0.of_task_mut(job.task).np_depth += 1;
    }

    /// Lets the job leave a non-preemptive section; returns its entry.
    #[inline(always)]
    pub(crate) fn leave_np(&mut self, job: JobId) -> &Job {
        let entry = self.0.of_task_mut(job.task);
        assert!(entry.np_depth > 0, "{job} leaves a non-preemptive section that it is not in");
        entry.np_depth -= 1;
        entry
    }

    /// Notes that the job asks for `resource`.
    pub(crate) fn ask(&mut self, job: JobId, resource: ResourceId) {
        self.0.ask(job, resource);
    }

    /// Notes that the job asks for nothing any more.
    pub(crate) fn ask_no_more(&mut self, job: JobId) {
        self.0.ask_no_more(job);
    }

    /// Sets the holder of `resource`.
    #[inline]
    pub(crate) fn set_holder(&mut self, resource: ResourceId, holder: Option<JobId>) {
        self.0.set_holder(resource, holder);
    }

    /// Removes everything that the job, which is gone, asks for and holds.
    pub(crate) fn forget(&mut self, job: JobId) {
        self.0.forget(job);
    }
}
