//! PCP: the priority ceiling protocol.
//!
//! L. Sha, R. Rajkumar and J. P. Lehoczky, "Priority inheritance protocols: an approach to real-time
//! synchronization", IEEE Transactions on Computers 39(9), 1990, section IV. A job is granted a request only if its
//! priority is above the ceilings of all resources that others hold; else it waits for the holder of the one with
//! the highest ceiling, which inherits from it. On one processor a job waits at most once, and nothing deadlocks.
//!
//! In the model, a request takes O(h) for h held sections. A release takes O(w h), since each of w waiting jobs is
//! compared with the ceilings anew.

use crate::contract::{
    Ceilings, Effect, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Reply,
    Section, Turn, Waiting,
};
use crate::shared::denying::{Denial, Denied, Denying, LockTable};
use crate::shared::highest::highest;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Band, ClusterId, JobId, Jobs, LockingClass, Priority, ResourceId};

/// Entry of "pcp" in the list of protocols.
pub(crate) const PCP: Protocol = Protocol {
    name: "pcp",
    summary: "priority ceilings (Sha, Rajkumar, Lehoczky 1990)",
    waiting: Waiting::Suspends,
    reach: Reach::Local,
    ceilings: Ceilings::Priorities,
    grants: GrantOrder::ByEffective,
    preemption: Preemption::Inherited,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: true,
    class: LockingClass::Ceilings,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Pcp::new(setup)?)),
};

/// Denies requests by ceilings; the job whose ceiling denies a request inherits.
#[derive(Clone, Debug)]
pub struct PriorityCeilings {
    /// By resource: the priority of its most urgent user.
    ceiling: Vec<Option<Priority>>,
    /// By resource: the processor to which it belongs.
    site: Vec<ClusterId>,
    /// By resource: whether its holders are more urgent than all jobs that hold no such resource.
    is_boosted: Vec<bool>,
}

/// Priority ceilings on one processor.
pub(crate) type Pcp = Denying<PriorityCeilings>;

impl Pcp {
    /// Needs fixed priorities, resources of one unit, and each resource on one processor.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_local(&usage, "PCP")?;
        Self::with_boosted(setup, vec![false; setup.resources.len()], "PCP")
    }

    /// Makes the protocol for resources of which some have users on other processors; those in `is_boosted` go before
    /// the others.
    pub(crate) fn with_boosted(
        setup: &LockSetup<'_>,
        is_boosted: Vec<bool>,
        protocol: &'static str,
    ) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units(protocol)?;
        setup.demand_partitions(protocol)?;
        let mut ceiling = setup.priority_ceilings(&usage, protocol)?;
        for (ceiling, _) in ceiling.iter_mut().zip(&is_boosted).filter(|(_, is_boosted)| **is_boosted) {
            *ceiling = ceiling.map(boosted);
        }
        let ceilings = PriorityCeilings { ceiling, site: setup.sites(&usage), is_boosted };
        Ok(Denying::under(ceilings, setup, &usage))
    }
}

impl PriorityCeilings {
    /// The priority with which `job` asks for `resource`.
    fn priority(&self, job: JobId, resource: ResourceId, jobs: &Jobs) -> Priority {
        let job = jobs.get(job);
        if self.is_boosted[resource.index()] {
            boosted(job.base)
        } else {
            job.effective
        }
    }

    fn is_here(&self, one: ResourceId, other: ResourceId) -> bool {
        self.site[one.index()] == self.site[other.index()]
    }
}

/// Returns a priority as urgent as `base` among the boosted.
fn boosted(base: Priority) -> Priority {
    Priority::in_band(Band::Boosted, base.point(), base.tie())
}

impl Denial for PriorityCeilings {
    fn asks(&mut self, wanted: Section, turn: &mut Turn<'_>) -> Option<Reply> {
        let (job, index) = (turn.jobs.get(wanted.job), wanted.resource.index());
        if !self.is_boosted[index] {
            return None;
        }
        turn.set_priority(job.id, boosted(job.base));
        if job.cluster == self.site[index] {
            return None;
        }
        // It asks once it runs there: those that have been woken there and are more urgent ask before.
        turn.out.push(Effect::AskAgain(job.id));
        Some(Reply::Suspend)
    }

    /// Denies by the holder of the highest ceiling, unless the job is more urgent than that ceiling; or by the
    /// resource's holder.
    fn denies(&self, wanted: Section, table: &LockTable, jobs: &Jobs) -> Option<Denied> {
        let Section { job, resource, .. } = wanted;
        let by_others = table.holders.iter().filter(|held| held.job != job);
        let here = by_others.filter(|held| self.is_here(held.resource, resource));
        let ceiling = |held: Section| self.ceiling[held.resource.index()].expect("it has a user");
        match highest(here, ceiling) {
            Some(held) if !self.priority(job, resource, jobs).is_higher_than(ceiling(held)) => {
                Some(Denied::By(held.job))
            }
            _ => table.holders.holder(resource).map(Denied::By),
        }
    }

    /// Granting at once what a waiter asked for would let a less urgent one block a more urgent job that runs before
    /// it. Where requests execute boosted, on a processor of their own, nothing but other requests runs before it; a
    /// request that came meanwhile must not go before a more urgent one that waits: the most urgent has its lock at
    /// once.
    fn is_handed_over(&self, resource: ResourceId) -> bool {
        self.is_boosted[resource.index()]
    }

    fn releases(&mut self, given: Section, table: &LockTable, turn: &mut Turn<'_>) {
        if !table.waiting.is_empty() || self.is_boosted[given.resource.index()] {
            turn.restore(given.job);
        }
    }
}
