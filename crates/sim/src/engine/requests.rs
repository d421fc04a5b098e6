//! Requests of running jobs, and what follows from the answers.

use super::Engine;
use crate::phase::{Doing, Phase};
use crate::processors::Activity;
use schedlab_lock::{LockProtocol, Request, Section};
use schedlab_model::{CpuId, Instant, JobId, JobSource, Step};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink, SuspendReason};

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// The requests of running jobs, by processor.
    pub(super) fn make_requests(&mut self) {
        self.locks.sort_requests();
        while let Some(cpu) = self.locks.next_request() {
            if let Some(job) = self.processors.job_on(cpu).get() {
                self.make_request(cpu, job);
            }
        }
    }

    fn make_request(&mut self, cpu: CpuId, job: JobId) {
        let Some(Step::Request(resource, units)) = self.progress[job.slot()].behaviour.step() else {
            unreachable!("a request is the next step")
        };
        let phase = core::mem::replace(&mut self.progress[job.slot()].phase, Phase::GoesOn);
        // What is asked again was recorded before.
        if phase != Phase::AsksAgain {
            self.record(Record::Request { job, resource, units });
        }
        self.jobs.ask(job, resource);
        let answer = self.with_locks(|locks, turn| locks.request(Section { job, resource, units }, turn));
        match answer {
            Request::Granted => {
                self.acquire(job);
                self.progress[job.slot()].behaviour.advance();
                self.apply_effects();
                self.go_on_or_look(cpu);
            }
            Request::Spin => {
                self.record(Record::Spin { job, resource });
                self.progress[job.slot()].phase = Phase::Spins;
                self.processors.begin(cpu, Activity::Spinning, self.now);
                self.apply_effects();
            }
            Request::SpinUntil(at) => {
                self.record(Record::Spin { job, resource });
                self.ask_again(cpu, job, at);
            }
            Request::NotBefore(at) => {
                if at > self.now {
                    self.record(Record::Delay { job, resource });
                }
                self.ask_again(cpu, job, at);
            }
            Request::RunBy(_) => {
                self.progress[job.slot()].phase = Phase::AwaitsGrant;
                self.suspend(cpu, job, SuspendReason::Resource(resource));
                self.apply_effects();
            }
            Request::Attempt => {
                self.jobs.ask_no_more(job);
                self.record(Record::Attempt { job, resource });
                self.progress[job.slot()].doing = Doing::Attempt;
                self.progress[job.slot()].behaviour.advance();
                self.apply_effects();
                self.processors.look_soon(cpu);
            }
            Request::Suspend => {
                self.progress[job.slot()].phase = Phase::AwaitsGrant;
                self.suspend(cpu, job, SuspendReason::Resource(resource));
                self.apply_effects();
            }
        }
    }

    /// The processor looks at its link. If that is all that is left to do, and its job stays, it goes on at once.
    fn go_on_or_look(&mut self, cpu: CpuId) {
        let look = self.look_at(cpu);
        if self.is_more_to_do() || self.must_switch(look) {
            self.processors.look_soon(cpu);
        } else {
            self.keep(cpu);
        }
    }

    /// The job keeps its processor, and asks again at `at`; if that is now, after the decision of this instant.
    fn ask_again(&mut self, cpu: CpuId, job: JobId, at: Instant) {
        self.progress[job.slot()].phase = Phase::SpinsUntil(at);
        self.apply_effects();
        // An effect may have granted the request already.
        if self.progress[job.slot()].phase.is_spinning() {
            self.spin(cpu, at);
        }
    }
}
