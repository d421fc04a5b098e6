//! IPCP: the immediate priority ceiling protocol, also called highest locker or ceiling priorities.
//!
//! B. W. Lampson and D. D. Redell, "Experience with processes and monitors in Mesa", Communications of the ACM 23(2),
//! 1980; the ceilings of Sha, Rajkumar and Lehoczky (1990). Who holds a resource is at once as urgent as its most
//! urgent user, so on one processor no request is ever denied unless jobs suspend themselves.

use crate::effects::{Effect, Effects};
use crate::holders::Holders;
use crate::lock_error::LockError;
use crate::registry::{Ceilings, GrantOrder, Nesting, Preemption, Protocol, Reach, Waiting};
use crate::setup::LockSetup;
use crate::{LockProtocol, Request};
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::{Event, Instant, JobId, Jobs, Priority, ResourceId};

/// "ipcp" in the list of protocols.
pub(crate) const IPCP: Protocol = Protocol {
    name: "ipcp",
    summary: "immediate priority ceilings, or highest locker",
    waiting: Waiting::Never,
    reach: Reach::Local,
    ceilings: Ceilings::Priorities,
    grants: GrantOrder::None,
    preemption: Preemption::Ceiling,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: true,
    make: |setup| Ok(Box::new(Ipcp::new(setup)?)),
};

/// Immediate ceilings, each resource on one processor.
#[derive(Clone, Debug)]
pub struct Ipcp {
    /// By resource: the priority of its most urgent user.
    ceiling: Vec<Option<Priority>>,
    holders: Holders,
}

impl Ipcp {
    /// Needs fixed priorities, resources of one unit, each on one processor, and no suspension in sections.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_partitions("IPCP")?;
        setup.demand_local(&usage, "IPCP")?;
        Self::for_locals(setup, "IPCP")
    }

    /// The same, for a protocol that treats resources that are not local by itself.
    pub(crate) fn for_locals(setup: &LockSetup<'_>, protocol: &'static str) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units(protocol)?;
        setup.demand_no_suspension(&usage, protocol)?;
        let ceiling = setup.priority_ceilings(&usage, protocol)?;
        Ok(Ipcp { ceiling, holders: Holders::new(setup.resources, usage.requests) })
    }

    /// The highest ceiling of what `job` holds, if it holds anything.
    fn ceiling_of(&self, job: JobId) -> Option<Priority> {
        let ceilings = self.holders.of(job).filter_map(|held| self.ceiling[held.resource.index()]);
        ceilings.reduce(Priority::higher_of)
    }
}

impl LockProtocol for Ipcp {
    fn request(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        self.holders.take(job, resource, units);
        let ceiling = self.ceiling_of(job).expect("it holds something");
        out.push(Effect::SetPriority(job, ceiling.higher_of(jobs.get(job).base)));
        Request::Granted
    }

    fn release(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) {
        self.holders.give(job, resource, units);
        out.push(match self.ceiling_of(job) {
            Some(ceiling) => Effect::SetPriority(job, ceiling.higher_of(jobs.get(job).base)),
            None => Effect::Restore(job),
        });
    }

    fn note(&mut self, _: Instant, event: Event, _: &Jobs, _: &mut Effects) {
        if let Event::Aborted(job) = event {
            self.holders.forget(job);
        }
    }
}
