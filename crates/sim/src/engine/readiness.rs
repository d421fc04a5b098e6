//! The way from a release to a job that may execute; and tasks that leave.

use super::Engine;
use crate::behaviour::Source;
use schedlab_lock::LockProtocol;
use schedlab_model::{at_mut, Event, Instant, JobId, TaskId, Work};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Marks the job as released: it becomes ready, unless the one before it is not complete.
    pub(super) fn mark_released(&mut self, job: JobId) {
        self.streams.of_mut(job.task).release(job.number);
        self.start_pending(job.task);
    }

    /// Makes the oldest arrived job live, if it is released and no other job of the task is live.
    #[inline]
    fn start_pending(&mut self, task: TaskId) {
        let stream = self.streams.of_mut(task);
        if !stream.has_released() {
            return;
        }
        if stream.is_live() {
            self.jobs.expect_successor(task);
            return;
        }
        let mut pending = stream.take_first();
        self.progress[task.index()].exchange(&mut pending.steps, false);
        self.begin_job(JobId::new(task, pending.number), pending.arrival, pending.cost);
    }

    /// Makes `job` live, with the given arrival; it becomes ready at this instant.
    pub(super) fn begin_job(&mut self, job: JobId, arrival: Instant, cost: Work) {
        let stream = self.streams.of_mut(job.task);
        stream.begin_job();
        let (absolute_deadline, has_successor) = (stream.deadline(arrival), stream.has_released());
        self.install(job, arrival, absolute_deadline, cost, Some(has_successor));
    }

    /// Installs a job that its stream already counts as live. `waited` is `None` for a job whose turn comes with its
    /// arrival: it waits for no other, and has no successor yet. Else it tells whether a successor has been released.
    #[inline(always)]
    pub(super) fn install(
        &mut self,
        job: JobId,
        arrival: Instant,
        absolute_deadline: Instant,
        cost: Work,
        waited: Option<bool>,
    ) {
        self.jobs.begin(job, arrival, absolute_deadline, waited.unwrap_or(false));
        self.budgets.begin_job(job.task);
        let progress = at_mut(&mut self.progress, job.task.index());
        match WHOLE {
            true => progress.begin(cost),
            false => progress.begin_plainly(cost),
        }
        self.streams.become_ready(job.task, waited.is_none());
    }

    /// Makes all jobs ready that become so at this instant, by job id.
    #[inline]
    pub(super) fn make_ready(&mut self) {
        self.streams.sort_ready();
        for index in 0.. {
            let Some(task) = self.streams.ready(index) else { break };
            let entry = self.jobs.of_task(task);
            // The id is built from this task, so that the entry of the job is looked up once.
            let (job, cluster) = (JobId::new(task, entry.id.number), entry.cluster);
            let priority = self.clusters.priority(cluster, job, &self.jobs);
            self.jobs.become_ready(task, priority);
            self.record(Record::Ready { job, priority, cluster });
            if WHOLE {
                self.tell_locks(Event::Ready(job));
                self.apply_effects();
                if !at_mut(&mut self.progress, task.index()).start() {
                    continue; // It is held.
                }
            }
            self.tell_policy(cluster, Event::Ready(job));
        }
        self.streams.clear_ready();
    }

    /// Continues a task whose live job is gone: the next job may start, or the task may leave.
    pub(super) fn after_job(&mut self, task: TaskId) {
        let stream = self.streams.of(task);
        if stream.are_waiting() {
            self.start_pending(task);
        } else if stream.is_to_leave(self.now) {
            self.leave_if_done(task);
        }
    }

    /// Ends the arrivals of the task, which leaves once its jobs are gone.
    pub(crate) fn leave_now(&mut self, task: TaskId) {
        self.streams.leave_at(task, self.now);
    }

    /// Records that the task has left, if it has no job any more, and notifies its cluster.
    pub(super) fn leave_if_done(&mut self, task: TaskId) {
        if self.streams.of_mut(task).leave() {
            self.record(Record::Leave { task });
            let cluster = self.jobs.of_task(task).cluster;
            self.tell(cluster, Event::Left(task));
        }
    }
}
