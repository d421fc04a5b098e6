//! Effective priorities: from policies and protocols, and by inheritance.

use super::Engine;
use crate::behaviour::Source;
use schedlab_lock::LockProtocol;
use schedlab_model::{Event, JobId, JobState, Priority};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Recomputes the job's effective priority, and those of the jobs that it waits for.
    fn refresh_priority(&mut self, job: JobId) {
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
            self.jobs.set_effective(job, effective);
            self.record(Record::Priority { job, priority: effective });
            let cluster = self.cluster_of(job);
            self.tell(cluster, Event::PriorityChanged(job));
            next = self.inheritance.waits_for(job);
        }
    }

    /// Sets the job's base priority, for its policy or after an overrun.
    pub(super) fn set_base_priority(&mut self, job: JobId, priority: Priority) {
        self.jobs.set_base(job, priority);
        self.refresh_priority(job);
    }

    /// Lets the holder inherit the priority of the job that waits for it, as the protocol demands.
    pub(super) fn inherit(&mut self, holder: JobId, from: JobId) {
        self.inheritance.inherit(holder, from);
        self.refresh_priority(holder);
    }

    /// Sets a priority for the job that the protocol demands.
    pub(super) fn set_own_priority(&mut self, job: JobId, priority: Priority) {
        self.inheritance.set_own(job, priority);
        self.refresh_priority(job);
    }

    /// Gives the job its base priority again, without inheritance, as the protocol demands.
    pub(super) fn restore_priority(&mut self, job: JobId) {
        self.inheritance.restore(job);
        self.refresh_priority(job);
    }

    /// Notes that `job` waits for no other, whose priority may change with that.
    pub(super) fn stop_waiting(&mut self, job: JobId) {
        if let Some(former) = self.inheritance.stop_waiting(job) {
            self.refresh_priority(former);
        }
    }

    /// Removes all inheritance of `job`, which is gone: it waits for no other, and inherits from none.
    pub(super) fn disinherit(&mut self, job: JobId) {
        self.stop_waiting(job);
        self.inheritance.restore(job);
    }
}
