//! How a job ends: it is complete, gone, or late.

use super::Engine;
use crate::behaviour::Source;
use schedlab_lock::LockProtocol;
use schedlab_model::{ClusterId, CpuId, Event, JobId, TaskId};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// The job needs nothing: a rare case, kept apart from the loop.
    #[cold]
    pub(super) fn complete_at_once(&mut self, cpu: CpuId, job: JobId) {
        self.complete(cpu, job);
    }

    /// The job, which has received all its cost, is done.
    #[inline(always)]
    pub(super) fn complete(&mut self, cpu: CpuId, job: JobId) {
        if WHOLE && self.progress[job.task.index()].hands_back() {
            return self.end_abort(job);
        }
        self.account(cpu);
        let cluster = self.processors.vacate(cpu);
        self.complete_off(cpu, job, cluster);
    }

    /// The same of a job that has let go of `cpu`, a processor of `cluster`.
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

    /// The same of a job of whose completion its policy and its stream know already. It executed until now.
    #[inline(always)]
    pub(super) fn complete_known(&mut self, job: JobId) {
        self.record(Record::Complete { job });
        let is_late = self.jobs.of_task(job.task).absolute_deadline < self.now;
        self.jobs.complete(job, self.now);
        if is_late {
            self.miss(job);
        }
    }

    /// The job is gone.
    pub(super) fn end_abort(&mut self, job: JobId) {
        self.record(Record::Abort { job });
        // It will not be complete at its deadline, whether that has passed or not.
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

    /// The live job of `task` is gone. True if something may follow at once.
    #[inline(always)]
    fn end_live(&mut self, task: TaskId) -> bool {
        self.streams.of_mut(task).end_job(self.now)
    }

    /// At the end: who is unfinished and past its deadline has missed it.
    pub(super) fn settle_unfinished(&mut self, task: TaskId) {
        let live = self.jobs.of_task(task);
        let (live_id, deadline) = (live.id, live.absolute_deadline);
        // Live, but perhaps not ready: the job before it may have completed at this very instant.
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
