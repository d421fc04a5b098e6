//! Who waits: locking protocols as pure state machines.
//!
//! A protocol knows no clock, thread, file or randomness, and no scheduling policy: both only share the
//! table of jobs. Consequences go out as [`Effects`], which the engine carries out.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod effects;
mod inheritance;
mod semaphore;

pub use effects::{Effect, Effects};
pub use inheritance::Inheritance;
pub use semaphore::Semaphores;

use alloc::boxed::Box;
use schedlab_model::{Event, Instant, JobId, Jobs, ResourceId};

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a job that was not granted its request must not go on"]
pub enum Request {
    /// The job holds the units now.
    Granted,
    /// The job waits on its processor until [`Effect::Grant`].
    Spin,
    /// The job gives up its processor until [`Effect::Grant`].
    Suspend,
}

/// Decides who holds which resource, and at which priority.
pub trait LockProtocol {
    /// `job`, which executes, asks for `units` of `resource`.
    fn request(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request;

    /// `job` gives `units` of `resource` back.
    fn release(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    );

    /// Takes note of `event`, before the policy does: may hold back a job that becomes ready
    /// ([`Effect::Hold`]) and withdraws an aborted waiter or holder.
    fn note(&mut self, _now: Instant, _event: Event, _jobs: &Jobs, _out: &mut Effects) {}
}

impl<L: LockProtocol + ?Sized> LockProtocol for Box<L> {
    fn request(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        (**self).request(now, job, resource, units, jobs, out)
    }

    fn release(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) {
        (**self).release(now, job, resource, units, jobs, out);
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        (**self).note(now, event, jobs, out);
    }
}
