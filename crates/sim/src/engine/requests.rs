//! Requests of running jobs, and the handling of the answers.

use super::Engine;
use crate::behaviour::{Behaviour, Source};
use crate::processors::Activity;
use schedlab_lock::{LockProtocol, Reply, Section};
use schedlab_model::{CpuId, Instant, JobId, ResourceId, Work};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink, SuspendReason};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Makes the requests of running jobs, by processor.
    pub(super) fn make_requests(&mut self) {
        self.locks.sort_requests();
        while let Some(cpu) = self.locks.next_request() {
            let Some(job) = self.processors.job_on(cpu).get() else { continue };
            let asked = self.progress[job.task.index()].behaviour().wanted();
            let (resource, units) = asked.expect("a request is the next step");
            let wanted = Section { job, resource, units };
            let has_asked = self.progress[job.task.index()].ask();
            // The job's last request may have been refused, so what it asked for is cleared.
            self.jobs.ask_no_more(job);
            let is_granted =
                if has_asked { self.ask_protocol(cpu, wanted) } else { self.make_request(cpu, wanted) };
            if is_granted.is_none() {
                continue;
            }
            match self.has_to_look(cpu, job) {
                true => self.processors.look_soon(cpu),
                false => self.keep(cpu),
            }
        }
    }

    /// Records and makes the request `wanted` of the running job of `cpu`. Returns `None` if it is not granted. Else
    /// the job holds the resource: returns the execution in its next step, and whether something else may happen at
    /// this instant because of the request.
    #[inline(always)]
    pub(super) fn make_request(&mut self, cpu: CpuId, wanted: Section) -> Option<(Work, bool)> {
        let Section { job, resource, units } = wanted;
        self.record(Record::Request { job, resource, units });
        self.ask_protocol(cpu, wanted)
    }

    /// Asks the protocol for `wanted`, whose request is recorded; returns as `make_request`.
    #[inline(always)]
    fn ask_protocol(&mut self, cpu: CpuId, wanted: Section) -> Option<(Work, bool)> {
        let answer = self.with_locks(|locks, turn| locks.request(wanted, turn));
        if !matches!(answer, Reply::Granted) {
            self.do_without(cpu, wanted.job, wanted.resource, answer);
            return None;
        }
        let left = self.acquire(wanted);
        Some((left, self.apply_effects_on(wanted.job)))
    }

    /// Handles the answer to a request that is not granted.
    #[cold]
    fn do_without(&mut self, cpu: CpuId, job: JobId, resource: ResourceId, answer: Reply) {
        self.stop_activity(cpu);
        self.jobs.ask(job, resource);
        match answer {
            Reply::Granted => unreachable!("it was not"),
            Reply::Spin => {
                self.record(Record::Spin { job, resource });
                self.progress[job.task.index()].spin();
                self.processors.begin(cpu, Activity::Spinning, self.now);
                self.apply_effects();
            }
            Reply::SpinUntil(at) => {
                self.record(Record::Spin { job, resource });
                self.ask_again(cpu, job, at);
            }
            Reply::NotBefore(at) => {
                if at > self.now {
                    self.record(Record::Delay { job, resource });
                }
                self.ask_again(cpu, job, at);
            }
            Reply::RunByServer => {
                self.progress[job.task.index()].await_grant();
                self.suspend(cpu, job, SuspendReason::Resource(resource));
                self.apply_effects();
            }
            Reply::Attempt => {
                self.jobs.ask_no_more(job);
                self.record(Record::Attempt { job, resource });
                self.progress[job.task.index()].begin_attempt();
                self.apply_effects();
                self.processors.look_soon(cpu);
            }
            Reply::Suspend => {
                self.progress[job.task.index()].await_grant();
                self.suspend(cpu, job, SuspendReason::Resource(resource));
                self.apply_effects();
            }
        }
    }

    /// True if something else happens at this instant before `job`, which ran on `cpu` when it asked, may go on, or
    /// instead of that. Also true if the job no longer runs, because a look is due then.
    #[inline(always)]
    pub(super) fn has_to_look(&self, cpu: CpuId, job: JobId) -> bool {
        self.is_more_after_effects()
            || self.jobs.get(job).is_preemptable() && self.must_switch(self.look_at(cpu))
    }

    /// Lets the job keep its processor and ask again at `at`; if that is now, after the decision of this instant.
    fn ask_again(&mut self, cpu: CpuId, job: JobId, at: Instant) {
        self.progress[job.task.index()].spin_until(at);
        self.apply_effects();
        // An effect may have granted the request already.
        if self.progress[job.task.index()].phase().is_spinning() {
            self.spin(cpu, at);
        }
    }
}
