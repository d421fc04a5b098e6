//! PIP: the priority inheritance protocol, nested and transitive.
//!
//! L. Sha, R. Rajkumar and J. P. Lehoczky, "Priority inheritance protocols: an approach to real-time
//! synchronization", IEEE Transactions on Computers 39(9), 1990, section III. A job that holds a resource is as urgent
//! as the most urgent job that waits for it. No middling job delays a holder, but a job can wait once for each
//! resource (chained blocking), and crossed nested requests deadlock.

use crate::effects::{Effect, Effects};
use crate::lock_error::LockError;
use crate::mutexes::Mutexes;
use crate::setup::LockSetup;
use crate::wait_queue::{ByPriority, Discipline};
use crate::{LockProtocol, Request};
use schedlab_model::{Event, Instant, JobId, Jobs, ResourceId};

/// Priority inheritance; `D` says who is served first.
#[derive(Clone, Debug)]
pub struct Pip<D = ByPriority> {
    mutexes: Mutexes<D>,
}

impl<D: Discipline> Pip<D> {
    /// Refuses resources of several units.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.usage()?;
        setup.demand_single_units("PIP")?;
        Ok(Pip { mutexes: Mutexes::new(setup.resources.len(), setup.tasks.len()) })
    }

    /// `mutex` goes to the next, who inherits from all that still wait for it.
    fn hand_over(&mut self, mutex: usize, jobs: &Jobs, out: &mut Effects) {
        if let Some(next) = self.mutexes.hand_over(mutex, jobs) {
            out.push(Effect::Grant(next, ResourceId(mutex as u32)));
            inherit(&self.mutexes, mutex, next, out);
        }
    }
}

/// `holder` inherits from all that wait for `mutex`.
fn inherit<D: Discipline>(mutexes: &Mutexes<D>, mutex: usize, holder: JobId, out: &mut Effects) {
    for from in mutexes.waiters(mutex) {
        out.push(Effect::Inherit { holder, from });
    }
}

impl<D: Discipline> LockProtocol for Pip<D> {
    fn request(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        _: u32,
        _: &Jobs,
        out: &mut Effects,
    ) -> Request {
        let mutex = resource.index();
        if self.mutexes.try_take(mutex, job) {
            return Request::Granted;
        }
        let holder = self.mutexes.holder(mutex).expect("it is not free");
        self.mutexes.wait(mutex, job);
        out.push(Effect::Inherit { holder, from: job });
        Request::Suspend
    }

    fn release(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        _: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) {
        let was_waited_for = self.mutexes.waiters(resource.index()).next().is_some();
        if was_waited_for {
            out.push(Effect::Restore(job));
        }
        self.hand_over(resource.index(), jobs, out);
        if was_waited_for {
            for mutex in self.mutexes.held_by(job) {
                inherit(&self.mutexes, mutex, job, out);
            }
        }
    }

    fn note(&mut self, _: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        if let Event::Aborted(job) = event {
            self.mutexes.withdraw(job);
            for mutex in 0..self.mutexes.len() {
                if self.mutexes.holder(mutex) == Some(job) {
                    self.hand_over(mutex, jobs, out);
                }
            }
        }
    }
}
