//! Jobs that cannot execute for a while: they wait for a time or a grant, or a protocol holds them back.

use super::Engine;
use crate::behaviour::Source;
use crate::timers::Kind;
use schedlab_lock::LockProtocol;
use schedlab_model::{CpuId, Duration, Event, JobId};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink, SuspendReason};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    pub(super) fn suspend_itself(&mut self, cpu: CpuId, job: JobId, length: Duration) {
        let at = self.now + length;
        self.progress[job.task.index()].sleep_until(at);
        self.timers.push(at, Kind::Resume, job.task.0);
        self.suspend(cpu, job, SuspendReason::Itself);
    }

    /// Suspends the job, which gives up its processor until it is resumed.
    pub(crate) fn suspend(&mut self, cpu: CpuId, job: JobId, reason: SuspendReason) {
        self.record(Record::Suspend { job, reason });
        self.leave_cpu(cpu, job);
        self.jobs.suspend(job);
        let cluster = self.cluster_of(job);
        self.tell(cluster, Event::Suspended(job));
    }

    /// Resumes the job with the step after the one at which it was suspended.
    pub(super) fn resume(&mut self, job: JobId) {
        self.progress[job.task.index()].advance();
        self.make_resumed(job);
    }

    /// Resumes the job, which may execute again.
    pub(crate) fn make_resumed(&mut self, job: JobId) {
        self.progress[job.task.index()].wake();
        self.jobs.resume(job);
        self.record(Record::Resume { job });
        let cluster = self.cluster_of(job);
        self.tell(cluster, Event::Resumed(job));
    }

    /// Holds `job` back, so that it does not start or go on, as its protocol demands.
    pub(super) fn hold(&mut self, job: JobId) {
        let scheduled_on = self.jobs.get(job).scheduled_on;
        if let Some(cpu) = scheduled_on {
            if self.processors.ends().at(cpu) == self.now && self.would_complete(cpu, job) {
                return; // It completes at this very instant.
            }
            self.stop_activity(cpu);
            self.locks.forget_request(cpu);
            self.processors.look_soon(cpu);
        }
        self.record(Record::Suspend { job, reason: SuspendReason::HeldBack });
        if let Some(cpu) = scheduled_on {
            self.leave_cpu(cpu, job);
        }
        self.jobs.suspend(job);
        if self.progress[job.task.index()].hold() {
            let cluster = self.cluster_of(job);
            self.tell_policy(cluster, Event::Suspended(job));
        }
    }

    /// Admits a job that was held back.
    pub(super) fn admit(&mut self, job: JobId) {
        let Some(is_announced) = self.progress[job.task.index()].admit() else {
            assert!(self.jobs.get(job).scheduled_on.is_some(), "{job} is admitted but was not held");
            return; // It is about to complete.
        };
        self.jobs.resume(job);
        self.record(Record::Resume { job });
        let cluster = self.cluster_of(job);
        let event = if is_announced { Event::Resumed(job) } else { Event::Ready(job) };
        self.tell_policy(cluster, event);
    }
}
