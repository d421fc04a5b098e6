//! MSRP: the multiprocessor stack resource policy.
//!
//! P. Gai, G. Lipari and M. Di Natale, "Minimizing memory utilization of real-time task sets in single and
//! multi-processor systems-on-a-chip", RTSS 2001. A job that requests a resource with users on several processors
//! spins without being preempted, first come, first served, and holds it without being preempted. The resources of
//! one processor follow the stack resource policy there.

use crate::effects::{Effect, Effects};
use crate::lock_error::LockError;
use crate::mutexes::Mutexes;
use crate::setup::LockSetup;
use crate::srp::Srp;
use crate::wait_queue::Fifo;
use crate::{LockProtocol, Request};
use alloc::vec::Vec;
use schedlab_model::{Event, Instant, JobId, Jobs, ResourceId};

/// Spinning between processors, the stack resource policy within each.
#[derive(Clone, Debug)]
pub struct Msrp {
    srp: Srp,
    /// By resource.
    is_local: Vec<bool>,
    global: Mutexes<Fifo>,
}

impl Msrp {
    /// Needs partitions, preemption levels, global resources of one unit and without nesting, and no suspension in
    /// sections.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        let is_local = setup.local(&usage);
        setup.demand_flat_globals(&usage, &is_local, "MSRP")?;
        setup.demand_single_globals(&is_local, "MSRP")?;
        Ok(Msrp {
            srp: Srp::for_locals(setup, "MSRP")?,
            global: Mutexes::new(is_local.len(), setup.tasks.len()),
            is_local,
        })
    }

    fn hand_over(&mut self, mutex: usize, jobs: &Jobs, out: &mut Effects) {
        if let Some(next) = self.global.hand_over(mutex, jobs) {
            out.push(Effect::Grant(next, ResourceId(mutex as u32)));
        }
    }
}

impl LockProtocol for Msrp {
    fn request(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        if self.is_local[resource.index()] {
            return self.srp.request(now, job, resource, units, jobs, out);
        }
        out.push(Effect::SetPreemptable(job, false));
        if self.global.try_take(resource.index(), job) {
            return Request::Granted;
        }
        self.global.wait(resource.index(), job);
        Request::Spin
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
        if self.is_local[resource.index()] {
            return self.srp.release(now, job, resource, units, jobs, out);
        }
        out.push(Effect::SetPreemptable(job, true));
        self.hand_over(resource.index(), jobs, out);
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        self.srp.note(now, event, jobs, out);
        if let Event::Aborted(job) = event {
            self.global.withdraw(job);
            for mutex in 0..self.global.len() {
                if self.global.holder(mutex) == Some(job) {
                    self.hand_over(mutex, jobs, out);
                }
            }
        }
    }
}
