//! When a protocol is asked, and what it answers with.

use super::effects::{Effect, Effects};
use schedlab_model::{Band, Instant, JobId, Jobs, Priority};

/// The moment at which a protocol is asked or told something, and where it says what it wants done.
#[derive(Debug)]
pub struct Turn<'a> {
    /// When.
    pub now: Instant,
    /// All jobs.
    pub jobs: &'a Jobs,
    /// What is to be done.
    pub out: &'a mut Effects,
}

impl Turn<'_> {
    /// `holder` inherits from `from`.
    pub fn inherit(&mut self, holder: JobId, from: JobId) {
        self.out.push(Effect::Inherit { holder, from });
    }

    /// `job` is more urgent than all that are not boosted; among the boosted, a smaller `point` goes first.
    pub fn boost(&mut self, job: JobId, point: u64) {
        let point = point.min(Priority::MAX_POINT);
        self.set_priority(job, Priority::in_band(Band::Boosted, point, job));
    }

    /// The own priority of `job`, before inheritance, is `priority`.
    pub fn set_priority(&mut self, job: JobId, priority: Priority) {
        self.out.push(Effect::SetPriority(job, priority));
    }

    /// `job` has its base priority and inherits nothing.
    pub fn restore(&mut self, job: JobId) {
        self.out.push(Effect::Restore(job));
    }

    /// `job` can be preempted again, or no longer.
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

    /// `job` goes on where its task belongs.
    pub fn go_home(&mut self, job: JobId) {
        let home = self.jobs.task(job.task).cluster;
        if self.jobs.get(job).cluster != home {
            self.out.push(Effect::Move(job, home));
        }
    }
}
