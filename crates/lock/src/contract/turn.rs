//! A call to a protocol: its time, the jobs, and the effects with which the protocol answers.

use super::effects::{Effect, Effects};
use schedlab_model::{Band, Instant, JobId, Jobs, Priority};

/// Context of a call to a protocol: the time, the jobs, and the list that takes its effects.
#[derive(Debug)]
pub struct Turn<'a> {
    /// Time of the call.
    pub now: Instant,
    /// Table of all jobs.
    pub jobs: &'a Jobs,
    /// Effects of the call.
    pub out: &'a mut Effects,
}

impl Turn<'_> {
    /// Lets `holder` inherit from `from`.
    pub fn inherit(&mut self, holder: JobId, from: JobId) {
        self.out.push(Effect::Inherit { holder, from });
    }

    /// Boosts `job` above all that are not boosted; among the boosted, a smaller `point` goes first.
    pub fn boost(&mut self, job: JobId, point: u64) {
        let point = point.min(Priority::MAX_POINT);
        self.set_priority(job, Priority::in_band(Band::Boosted, point, job));
    }

    /// Sets the own priority of `job`, before inheritance.
    pub fn set_priority(&mut self, job: JobId, priority: Priority) {
        self.out.push(Effect::SetPriority(job, priority));
    }

    /// Resets `job` to its base priority, without inheritance.
    pub fn restore(&mut self, job: JobId) {
        self.out.push(Effect::Restore(job));
    }

    /// Sets whether `job` can be preempted.
    #[inline]
    pub fn set_preemptable(&mut self, job: JobId, preemptable: bool) {
        // The usual effect of all saves no registers for the rare case that there is no room.
        match self.out.is_full() {
            true => self.set_preemptable_apart(job, preemptable),
            false => self.out.push(Effect::SetPreemptable(job, preemptable)),
        }
    }

    #[cold]
    fn set_preemptable_apart(&mut self, job: JobId, preemptable: bool) {
        self.out.push(Effect::SetPreemptable(job, preemptable));
    }

    /// Moves `job` back to its home.
    pub fn go_home(&mut self, job: JobId) {
        let home = self.jobs.task(job.task).cluster;
        if self.jobs.get(job).cluster != home {
            self.out.push(Effect::Move(job, home));
        }
    }
}
