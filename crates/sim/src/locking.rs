//! Requests, grants, and what protocols do to jobs.

use crate::engine::Engine;
use crate::phase::{Doing, Phase};
use crate::processors::Activity;
use schedlab_lock::{Effect, LockProtocol, Request, Section, Turn};
use schedlab_model::{CpuId, Event, Instant, JobId, JobSource, JobState, ResourceId, Step};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink, SuspendReason};

/// The protocol of task sets that share nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLocks;

impl LockProtocol for NoLocks {
    fn request(&mut self, Section { job, resource, .. }: Section, _: &mut Turn<'_>) -> Request {
        panic!("{job} requests {resource}, but the task set was said to share nothing");
    }

    fn release(&mut self, Section { job, resource, .. }: Section, _: &mut Turn<'_>) {
        panic!("{job} releases {resource}, but the task set was said to share nothing");
    }
}

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Asks or tells the protocol something.
    #[inline(always)]
    fn with_locks<T>(&mut self, ask: impl FnOnce(&mut L, &mut Turn<'_>) -> T) -> T {
        self.locks.ask(self.now, &self.jobs, ask)
    }

    /// Tells the protocol of `event`.
    #[inline(always)]
    pub(crate) fn tell_locks(&mut self, event: Event) {
        self.with_locks(|locks, turn| locks.note(event, turn));
    }

    /// Tells the protocol that `section` ends, and does what it wants.
    pub(crate) fn end_section(&mut self, section: Section) {
        self.with_locks(|locks, turn| locks.release(section, turn));
        self.apply_effects();
    }

    /// The requests of running jobs, by processor.
    pub(crate) fn make_requests(&mut self) {
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
                self.processors.look_soon(cpu);
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

    /// The job keeps its processor, and asks again at `at`; if that is now, after the decision of this instant.
    fn ask_again(&mut self, cpu: CpuId, job: JobId, at: Instant) {
        self.progress[job.slot()].phase = Phase::SpinsUntil(at);
        self.apply_effects();
        // An effect may have granted the request already.
        if self.progress[job.slot()].phase.is_spinning() {
            self.spin(cpu, at);
        }
    }

    /// The scheduled job waits on its processor, until it is granted what it wants or has to ask again.
    pub(crate) fn spin(&mut self, cpu: CpuId, until: Instant) {
        if until > self.now {
            self.processors.begin(cpu, Activity::Spinning, self.now);
            self.processors.set_end(cpu, until);
        } else {
            self.processors.idle(cpu);
            self.processors.look_soon(cpu);
        }
    }

    /// The attempt of `job` on a lock-free object ends: its operation is done, or it starts anew.
    pub(crate) fn end_attempt(&mut self, job: JobId, resource: ResourceId) {
        if self.locks.commit(job, resource) {
            self.record(Record::Commit { job, resource });
            self.progress[job.slot()].doing = Doing::ItsOwn;
            self.progress[job.slot()].behaviour.advance();
        } else {
            self.record(Record::Retry { job, resource });
            self.progress[job.slot()].behaviour.retry();
        }
    }

    /// The job holds what the step under its cursor asks for, and goes on after it.
    fn acquire(&mut self, job: JobId) {
        let state = &mut self.progress[job.slot()];
        let Some(Step::Request(resource, units)) = state.behaviour.step() else {
            unreachable!("a request is the next step")
        };
        state.held += 1;
        self.jobs.ask_no_more(job);
        self.jobs.set_holder(resource, Some(job));
        self.record(Record::Acquire { job, resource, units });
    }

    /// True if the request of `job`, which waits for a grant and is given up, is withdrawn.
    pub(crate) fn withdraw(&mut self, job: JobId) -> bool {
        let Some(Step::Request(resource, units)) = self.progress[job.slot()].behaviour.step() else {
            return false;
        };
        self.is_withdrawn(Section { job, resource, units })
    }

    /// True if `section`, which a job that is given up asks for, is withdrawn.
    pub(crate) fn is_withdrawn(&mut self, section: Section) -> bool {
        self.given_up.may_withdraw() && self.with_locks(|locks, turn| locks.withdraw(section, turn))
    }

    /// Carries out what the protocol wants, in order; effects that this causes come after.
    #[inline]
    pub(crate) fn apply_effects(&mut self) {
        if self.locks.begin_effects() {
            self.apply_all_effects();
        }
    }

    fn apply_all_effects(&mut self) {
        while let Some(effect) = self.locks.next_effect() {
            self.apply_effect(effect);
        }
    }

    fn apply_effect(&mut self, effect: Effect) {
        match effect {
            Effect::Grant(job, _) => self.grant(job),
            Effect::Retry(job) => self.retry(job),
            Effect::Inherit { holder, from } => {
                self.locks.inheritance_mut().inherit(holder, from);
                self.refresh_priority(holder);
            }
            Effect::SetPriority(job, priority) => {
                self.locks.inheritance_mut().set_own(job, priority);
                self.refresh_priority(job);
            }
            Effect::Restore(job) => {
                self.locks.inheritance_mut().restore(job);
                self.refresh_priority(job);
            }
            Effect::SetPreemptable(job, preemptable) => self.set_preemptable(job, preemptable),
            Effect::Move(job, cluster) => self.move_job(job, cluster),
            Effect::Serve { server, client } => self.serve(server, client),
            Effect::Hold(job) => self.hold(job),
            Effect::Admit(job) => self.admit(job),
        }
    }

    /// `job` waits for no other from now on.
    fn stop_waiting(&mut self, job: JobId) {
        if let Some(former) = self.locks.inheritance_mut().stop_waiting(job) {
            self.refresh_priority(former);
        }
    }

    /// `job` is gone: it waits for no other, and inherits from none.
    pub(crate) fn disinherit(&mut self, job: JobId) {
        self.stop_waiting(job);
        self.locks.inheritance_mut().restore(job);
    }

    fn retry(&mut self, job: JobId) {
        self.stop_waiting(job);
        self.make_resumed(job);
    }

    fn grant(&mut self, job: JobId) {
        self.acquire(job);
        self.stop_waiting(job);
        let state = &mut self.progress[job.slot()];
        if state.phase.is_spinning() {
            state.phase = Phase::GoesOn;
            state.behaviour.advance();
            if let Some(cpu) = self.jobs.get(job).scheduled_on {
                if self.processors.activity(cpu) == Activity::Spinning {
                    self.processors.idle(cpu);
                }
                self.processors.look_soon(cpu);
            }
        } else {
            self.resume(job);
        }
    }

    /// Recomputes the job's effective priority, and those of the jobs that it waits for.
    pub(crate) fn refresh_priority(&mut self, job: JobId) {
        let mut next = Some(job);
        while let Some(job) = next {
            let entry = self.jobs.get(job);
            if entry.state == JobState::Absent {
                return;
            }
            let effective_of = |other: JobId| self.jobs.get(other).effective;
            let effective = self.locks.inheritance().effective(job, entry.base, effective_of);
            if effective == entry.effective {
                return;
            }
            self.jobs.slot_mut(job.task).effective = effective;
            self.record(Record::Priority { job, priority: effective });
            let cluster = self.cluster_of(job);
            self.tell(cluster, Event::PriorityChanged(job));
            next = self.locks.inheritance().waits_for(job);
        }
    }

    /// Enters or leaves a non-preemptive section; a preemption that was delayed happens at the end of the outermost.
    pub(crate) fn set_preemptable(&mut self, job: JobId, preemptable: bool) {
        let entry = self.jobs.slot_mut(job.task);
        if preemptable {
            assert!(entry.np_depth > 0, "{job} leaves a non-preemptive section that it is not in");
            entry.np_depth -= 1;
            let outermost = entry.np_depth == 0;
            let cpu = entry.scheduled_on.filter(|_| outermost);
            self.record(Record::NpExit { job });
            if let Some(cpu) = cpu {
                self.processors.look_soon(cpu);
            }
        } else {
            entry.np_depth += 1;
            self.record(Record::NpEnter { job });
        }
    }
}
