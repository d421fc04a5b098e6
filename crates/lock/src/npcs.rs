//! NPCS: non-preemptive critical sections.
//!
//! A. K. Mok, "Fundamental design problems of distributed systems for the hard-real-time environment", PhD thesis, MIT,
//! 1983. Who holds a resource is not preempted, so on one processor no request is ever denied.

use crate::effects::{Effect, Effects};
use crate::holders::Holders;
use crate::lock_error::LockError;
use crate::registry::{Ceilings, GrantOrder, Nesting, Preemption, Protocol, Reach, Waiting};
use crate::setup::LockSetup;
use crate::{LockProtocol, Request};
use alloc::boxed::Box;
use schedlab_model::{Event, Instant, JobId, Jobs, ResourceId};

/// "npcs" in the list of protocols.
pub(crate) const NPCS: Protocol = Protocol {
    name: "npcs",
    summary: "non-preemptive critical sections",
    waiting: Waiting::Never,
    reach: Reach::Local,
    ceilings: Ceilings::None,
    grants: GrantOrder::None,
    preemption: Preemption::Nobody,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: true,
    make: |setup| Ok(Box::new(Npcs::new(setup)?)),
};

/// Non-preemptive sections, each resource on one processor.
#[derive(Clone, Debug)]
pub struct Npcs {
    holders: Holders,
}

impl Npcs {
    /// Needs each resource on one processor, and no suspension in sections.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units("NPCS")?;
        setup.demand_partitions("NPCS")?;
        setup.demand_local(&usage, "NPCS")?;
        setup.demand_no_suspension(&usage, "NPCS")?;
        Ok(Npcs { holders: Holders::new(setup.resources, usage.requests) })
    }
}

impl LockProtocol for Npcs {
    fn request(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        _: &Jobs,
        out: &mut Effects,
    ) -> Request {
        self.holders.take(job, resource, units);
        out.push(Effect::SetPreemptable(job, false));
        Request::Granted
    }

    fn release(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        _: &Jobs,
        out: &mut Effects,
    ) {
        self.holders.give(job, resource, units);
        out.push(Effect::SetPreemptable(job, true));
    }

    fn note(&mut self, _: Instant, event: Event, _: &Jobs, _: &mut Effects) {
        if let Event::Aborted(job) = event {
            self.holders.forget(job);
        }
    }
}
