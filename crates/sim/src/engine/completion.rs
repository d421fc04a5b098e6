//! Ends of jobs: complete, aborted or late.

use super::Engine;
use crate::behaviour::Source;
use schedlab_lock::LockProtocol;
use schedlab_model::{ClusterId, CpuId, Event, JobId, TaskId};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Completes a job that needs no execution: a rare case, kept apart from the loop.
    #[cold]
    pub(super) fn complete_at_once(&mut self, cpu: CpuId, job: JobId) {
        self.complete(cpu, job);
    }

    /// Completes the job, which has received all its cost.
    #[inline(always)]
    pub(super) fn complete(&mut self, cpu: CpuId, job: JobId) {
        if WHOLE && self.progress[job.task.index()].hands_back() {
            return self.end_abort(job);
        }
        self.account(cpu);
        let cluster = self.processors.vacate(cpu);
        self.complete_off(cpu, job, cluster);
    }

    /// Completes the job, which no longer occupies `cpu`, a processor of `cluster`.
    #[inline(always)]
    pub(super) fn complete_off(&mut self, cpu: CpuId, job: JobId, cluster: ClusterId) {
        self.record(Record::Complete { job });
        let entry = self.jobs.of_task(job.task);
        let (is_late, its_cluster) = (entry.absolute_deadline < self.now, entry.cluster);
        self.jobs.vacate(job);
        self.inform(cluster, Event::Undispatched { job, cpu });
        self.processors.end_await(job);
        self.jobs.end(job);
        let may_follow = self.end_live(job.task);
        if is_late {
            self.miss(job);
        }
        self.tell(its_cluster, Event::Completed(job));
        if may_follow {
            self.after_job(job.task);
        }
    }

    /// Completes a job that executed until now, and of whose completion its policy and its stream already know.
    #[inline(always)]
    pub(super) fn complete_known(&mut self, job: JobId) {
        self.record(Record::Complete { job });
        let is_late = self.jobs.of_task(job.task).absolute_deadline < self.now;
        self.jobs.complete(job, self.now);
        if is_late {
            self.miss(job);
        }
    }

    /// Ends an aborted job.
    pub(super) fn end_abort(&mut self, job: JobId) {
        self.record(Record::Abort { job });
        // The job will not be complete at its deadline, so it misses it, even if that is still to come.
        self.miss(job);
        if let Some(cpu) = self.jobs.get(job).scheduled_on {
            self.stop_activity(cpu);
            self.locks.forget_request(cpu);
            self.leave_cpu(cpu, job);
            self.processors.look_soon(cpu);
        }
        self.jobs.end(job);
        let may_follow = self.end_live(job.task);
        if WHOLE {
            self.jobs.forget(job);
            self.progress[job.task.index()].end();
            self.disinherit(job);
        }
        let cluster = self.cluster_of(job);
        self.tell(cluster, Event::Aborted(job));
        if may_follow {
            self.after_job(job.task);
        }
    }

    /// Removes the live job of `task` from its stream. Returns true if another job may start, or the task may leave.
    #[inline(always)]
    fn end_live(&mut self, task: TaskId) -> bool {
        self.streams.of_mut(task).end_job(self.now)
    }

    /// Records the misses of the task's jobs that are unfinished at the end and past their deadlines.
    pub(super) fn settle_unfinished(&mut self, task: TaskId) {
        let live = self.jobs.of_task(task);
        let (live_id, deadline) = (live.id, live.absolute_deadline);
        // The job is live, but perhaps not ready: the one before it may have completed at this very instant.
        if self.streams.of(task).is_live() && deadline <= self.now {
            self.miss(live_id);
        }
        for index in 0.. {
            let Some((number, deadline)) = self.streams.of(task).waiting(index) else { break };
            if deadline <= self.now {
                self.miss(JobId::new(task, number));
            }
        }
    }

    #[cold]
    fn miss(&mut self, job: JobId) {
        self.record(Record::Miss { job });
    }
}
