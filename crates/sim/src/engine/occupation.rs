//! Jobs on their processors: what they receive there, how they spin, and how they leave.

use super::Engine;
use crate::behaviour::{Behaviour, Source};
use crate::processors::Activity;
use schedlab_lock::LockProtocol;
use schedlab_model::{at_mut, CpuId, Event, Instant, JobId};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Credits the scheduled job with what it received until now, and stops it.
    #[inline(always)]
    pub(crate) fn account(&mut self, cpu: CpuId) {
        let Some((job, received)) = self.processors.received(cpu, self.now) else { return };
        self.jobs.stop(job, self.now);
        at_mut(&mut self.progress, job.task.index()).receive(received);
        self.budgets.spend(job.task, received);
    }

    /// Notes that something happens on this very processor, which then needs no interrupt to react at this instant.
    #[inline(always)]
    pub(super) fn happen_on(&mut self, cpu: CpuId) {
        if self.has_overheads() {
            self.overheads.happen(cpu, self.now);
        }
    }

    /// True if the job that executes on `cpu` until now has nothing left to do.
    pub(super) fn would_complete(&mut self, cpu: CpuId, job: JobId) -> bool {
        self.account(cpu);
        self.progress[job.task.index()].behaviour().ends_here()
    }

    /// Takes the job off its processor.
    #[inline(always)]
    pub(super) fn leave_cpu(&mut self, cpu: CpuId, job: JobId) {
        self.account(cpu);
        let cluster = self.processors.vacate(cpu);
        self.jobs.vacate(job);
        self.inform(cluster, Event::Undispatched { job, cpu });
        self.processors.end_await(job);
    }

    /// Stops what the scheduled job does on `cpu`; a reload in progress ends early, with its record.
    pub(super) fn stop_activity(&mut self, cpu: CpuId) {
        match self.processors.activity(cpu) {
            Activity::Reloading(kind) => {
                self.record(Record::OverheadEnd { cpu, kind });
                self.processors.idle(cpu);
            }
            Activity::Executing => {
                self.account(cpu);
                self.processors.idle(cpu);
            }
            Activity::Spinning => self.processors.idle(cpu),
            Activity::Idle | Activity::Overhead(_) => {}
        }
    }

    /// Lets the scheduled job wait on its processor until it is granted its request or, at `until`, asks again.
    pub(super) fn spin(&mut self, cpu: CpuId, until: Instant) {
        if until > self.now {
            self.processors.begin(cpu, Activity::Spinning, self.now);
            self.processors.end_at(cpu, until);
        } else {
            self.processors.idle(cpu);
            self.processors.look_soon(cpu);
        }
    }
}
