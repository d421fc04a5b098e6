//! Requests, grants, and what protocols do to jobs.

use crate::cpu::Activity;
use crate::engine::Engine;
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
        ask(&mut self.locks, &mut Turn { now: self.now, jobs: &self.jobs, out: &mut self.effects })
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
        self.requests.sort_unstable_by(|a, b| b.cmp(a));
        while let Some(cpu) = self.requests.pop() {
            if let Some(job) = self.cpus[cpu.index()].job.get() {
                self.make_request(cpu, job);
            }
        }
    }

    fn make_request(&mut self, cpu: CpuId, job: JobId) {
        let Some(Step::Request(resource, units)) = self.tasks[job.slot()].behaviour.step() else {
            unreachable!("a request is the next step")
        };
        // What is asked again was recorded before.
        if self.tasks[job.slot()].asks_at.take().is_none() {
            self.record(Record::Request { job, resource, units });
        }
        let answer = self.with_locks(|locks, turn| locks.request(Section { job, resource, units }, turn));
        match answer {
            Request::Granted => {
                self.acquire(job);
                self.tasks[job.slot()].behaviour.advance();
                self.apply_effects();
                self.looks.insert(cpu);
            }
            Request::Spin => {
                self.record(Record::Spin { job, resource });
                self.tasks[job.slot()].spinning = true;
                self.cpus[cpu.index()].activity = Activity::Spinning;
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
                self.suspend(cpu, job, SuspendReason::Resource(resource));
                self.apply_effects();
            }
            Request::Attempt => {
                self.record(Record::Attempt { job, resource });
                self.tasks[job.slot()].attempts = true;
                self.tasks[job.slot()].behaviour.advance();
                self.apply_effects();
                self.looks.insert(cpu);
            }
            Request::Suspend => {
                self.suspend(cpu, job, SuspendReason::Resource(resource));
                self.apply_effects();
            }
        }
    }

    /// The job keeps its processor, and asks again at `at`; if that is now, after the decision of this instant.
    fn ask_again(&mut self, cpu: CpuId, job: JobId, at: Instant) {
        let state = &mut self.tasks[job.slot()];
        state.spinning = true;
        state.asks_at = Some(at);
        self.apply_effects();
        // An effect may have granted the request already.
        if self.tasks[job.slot()].spinning {
            self.spin(cpu, job);
        }
    }

    /// The scheduled job waits on its processor, until it is granted what it wants or has to ask again.
    pub(crate) fn spin(&mut self, cpu: CpuId, job: JobId) {
        let until = self.tasks[job.slot()].asks_at.unwrap_or(Instant::NEVER);
        if until > self.now {
            self.cpus[cpu.index()].activity = Activity::Spinning;
            self.ends.set(cpu, until);
        } else {
            self.idle(cpu);
            self.looks.insert(cpu);
        }
    }

    /// The attempt of `job` on a lock-free object ends: its operation is done, or it starts anew.
    pub(crate) fn end_attempt(&mut self, job: JobId, resource: ResourceId) {
        if self.locks.commit(job, resource) {
            self.record(Record::Commit { job, resource });
            self.tasks[job.slot()].attempts = false;
            self.tasks[job.slot()].behaviour.advance();
        } else {
            self.record(Record::Retry { job, resource });
            self.tasks[job.slot()].behaviour.retry();
        }
    }

    /// The job holds what the step under its cursor asks for, and goes on after it.
    fn acquire(&mut self, job: JobId) {
        let state = &mut self.tasks[job.slot()];
        let Some(Step::Request(resource, units)) = state.behaviour.step() else {
            unreachable!("a request is the next step")
        };
        state.held += 1;
        self.record(Record::Acquire { job, resource, units });
    }

    /// Carries out what the protocol wants, in order; effects that this causes come after.
    #[inline]
    pub(crate) fn apply_effects(&mut self) {
        if !self.applying_effects && !self.effects.is_empty() {
            self.apply_all_effects();
        }
    }

    fn apply_all_effects(&mut self) {
        self.applying_effects = true;
        while let Some(effect) = self.effects.pop_first() {
            self.apply_effect(effect);
        }
        self.applying_effects = false;
    }

    fn apply_effect(&mut self, effect: Effect) {
        match effect {
            Effect::Grant(job, _) => self.grant(job),
            Effect::Retry(job) => self.retry(job),
            Effect::Inherit { holder, from } => {
                self.inheritance.inherit(holder, from);
                self.refresh_priority(holder);
            }
            Effect::SetPriority(job, priority) => {
                self.inheritance.set_own(job, priority);
                self.refresh_priority(job);
            }
            Effect::Restore(job) => {
                self.inheritance.restore(job);
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
        if let Some(former) = self.inheritance.stop_waiting(job) {
            self.refresh_priority(former);
        }
    }

    fn retry(&mut self, job: JobId) {
        self.stop_waiting(job);
        self.make_resumed(job);
    }

    fn grant(&mut self, job: JobId) {
        self.acquire(job);
        self.stop_waiting(job);
        if core::mem::take(&mut self.tasks[job.slot()].spinning) {
            self.tasks[job.slot()].asks_at = None;
            self.tasks[job.slot()].behaviour.advance();
            if let Some(cpu) = self.jobs.get(job).scheduled_on {
                if self.cpus[cpu.index()].activity == Activity::Spinning {
                    self.idle(cpu);
                }
                self.looks.insert(cpu);
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
            let effective = self.inheritance.effective(job, entry.base, effective_of);
            if effective == entry.effective {
                return;
            }
            self.jobs.slot_mut(job.task).effective = effective;
            self.record(Record::Priority { job, priority: effective });
            let cluster = self.cluster_of(job);
            self.tell(cluster, Event::PriorityChanged(job));
            next = self.inheritance.waits_for(job);
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
                self.looks.insert(cpu);
            }
        } else {
            entry.np_depth += 1;
            self.record(Record::NpEnter { job });
        }
    }
}
