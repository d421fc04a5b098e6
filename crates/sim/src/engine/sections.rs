//! Critical sections: how they begin and end, and how a grant resumes the job that waited.

use super::Engine;
use crate::behaviour::{Behaviour, Source};
use crate::processors::Activity;
use schedlab_lock::{LockProtocol, Section};
use schedlab_model::{at_mut, CpuId, JobId, JobState, ResourceId, Work};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Gives the job what it asked for and advances to its next step; returns the execution in that step.
    #[inline(always)]
    pub(super) fn acquire(&mut self, Section { job, resource, units }: Section) -> Work {
        let left = at_mut(&mut self.progress, job.task.index()).enter_section();
        self.jobs.set_holder(resource, Some(job));
        self.record(Record::Acquire { job, resource, units });
        left
    }

    /// Grants the request of a job that waited.
    pub(super) fn grant(&mut self, job: JobId) {
        let wanted = self.progress[job.task.index()].behaviour().wanted();
        let (resource, units) = wanted.expect("a job is granted what it asks for");
        self.jobs.ask_no_more(job);
        self.acquire(Section { job, resource, units });
        self.stop_waiting(job);
        let state = &mut self.progress[job.task.index()];
        if state.phase().is_spinning() {
            state.stop_spinning();
            if let Some(cpu) = self.jobs.get(job).scheduled_on {
                if self.processors.activity(cpu) == Activity::Spinning {
                    self.processors.idle(cpu);
                }
                self.processors.look_soon(cpu);
            }
        } else {
            self.make_resumed(job);
        }
    }

    /// Lets a job that waited ask again. If it already may, what it asks for is free anew: its cluster decides which
    /// job is the first to ask.
    pub(super) fn go_on_to_ask(&mut self, job: JobId) {
        if self.jobs.get(job).state == JobState::Ready {
            let cluster = self.cluster_of(job);
            return self.clusters.touch(cluster);
        }
        self.stop_waiting(job);
        self.make_resumed(job);
    }

    /// Notifies the protocol that `section` ends, and carries out its effects. Returns true if something else may
    /// happen at this instant because of them.
    #[inline(always)]
    pub(super) fn end_section(&mut self, section: Section) -> bool {
        self.with_locks(|locks, turn| locks.release(section, turn));
        self.apply_effects_on(section.job)
    }

    /// Ends the attempt of `job` on a lock-free object: the operation is done, or the attempt starts anew.
    pub(super) fn end_attempt(&mut self, job: JobId, resource: ResourceId) {
        if self.locks.commit(job, resource) {
            self.record(Record::Commit { job, resource });
            self.progress[job.task.index()].end_attempt();
        } else {
            self.record(Record::Retry { job, resource });
            self.progress[job.task.index()].retry();
        }
    }

    /// Withdraws the request of `job`, which waits for a grant and is given up. Returns false if the protocol keeps it.
    pub(super) fn withdraw(&mut self, job: JobId) -> bool {
        let Some((resource, units)) = self.progress[job.task.index()].behaviour().wanted() else {
            return false;
        };
        self.is_withdrawn(Section { job, resource, units })
    }

    /// Withdraws the request for `section` of a job that is given up. Returns false if the protocol keeps it.
    pub(crate) fn is_withdrawn(&mut self, section: Section) -> bool {
        (!J::Behaviour::IS_TOLD || self.given_up.may_go_without)
            && self.with_locks(|locks, turn| locks.withdraw(section, turn))
    }

    /// True if the processor need not look at its link: its job executes and is linked there, without overheads. If the
    /// link changes at this instant, the processor reacts at once anyway.
    #[inline(always)]
    fn goes_on_linked(&self, cpu: CpuId, job: JobId) -> bool {
        !self.has_overheads() && self.processors.executes_where_linked(cpu, job)
    }

    /// Makes the job non-preemptive, or ends that; a delayed preemption happens at the end of the outermost section.
    /// Returns true if a processor has to look at its link because of it.
    #[inline(always)]
    pub(super) fn set_preemptable(&mut self, job: JobId, preemptable: bool) -> bool {
        if preemptable {
            let entry = self.jobs.leave_np(job);
            let (outermost, scheduled_on) = (entry.is_preemptable(), entry.scheduled_on);
            self.record(Record::NpExit { job });
            match scheduled_on {
                Some(cpu) if outermost && !self.goes_on_linked(cpu, job) => {
                    self.processors.look_soon(cpu);
                    true
                }
                Some(_) | None => false,
            }
        } else {
            self.jobs.enter_np(job);
            self.record(Record::NpEnter { job });
            false
        }
    }
}
