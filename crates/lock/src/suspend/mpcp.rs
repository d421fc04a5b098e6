//! MPCP: the multiprocessor priority ceiling protocol, with suspension.
//!
//! R. Rajkumar, "Real-time synchronization protocols for shared memory multiprocessors", ICDCS 1990. A job that
//! requests a resource with users on several processors suspends itself until it is granted, the most urgent first;
//! within the section it is more urgent than every job outside of such sections, and among those as urgent as the
//! section's remote ceiling: the most urgent user on other processors; ties by job id. The resources of one
//! processor follow the immediate ceiling rule there.
//!
//! B and C share a resource. B's section goes on although the more urgent A arrives; C waits without its processor:
//!
//! ```text
//! P0  BBAAAAB..   B holds during [0, 2); A arrives at 1
//! P1  ..CCC....   C waits during [0, 2) and holds during [2, 4)
//! ```
//!
//! `mpcp-all` counts all users of the resource, those of the same processor as well, as resource-protocols-2020 does. A
//! shares R0 with C elsewhere, B shares R1 with D elsewhere; by urgency they are A, B, D, C. Among users elsewhere D is
//! the more urgent, so B goes first; among all users A is:
//!
//! ```text
//! mpcp      P0  ..ABBAAAB   A holds R0 from 2 on; B arrives at 1, waits for D and holds R1 during [3, 5)
//! mpcp-all  P0  ..AAAABBB
//!           P1  DDD......
//! ```
//!
//! In the model, a request for a free resource takes O(1), a request that waits O(w) for w waiting jobs, and a
//! release O(w). A request may wait for any number of more urgent requests, since these go first whenever they
//! come. Requests for local resources take O(h) for h held sections.

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Reply, Turn,
    Usage, Waiting,
};
use crate::shared::mutexes::Mutexes;
use crate::shared::queued::{Queued, Rules};
use crate::shared::scoped::Scoped;
use crate::shared::wait_queue::ByBase;
use crate::uniprocessor::ipcp::Ipcp;
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::{ClusterId, JobId, LockingClass, TaskId};

/// Entry of "mpcp" in the list of protocols.
pub(crate) const MPCP: Protocol = Protocol {
    name: "mpcp",
    summary: "multiprocessor priority ceilings: suspension by priority (Rajkumar 1990)",
    waiting: Waiting::Suspends,
    reach: Reach::Partitioned,
    ceilings: Ceilings::Priorities,
    grants: GrantOrder::ByBase,
    preemption: Preemption::Boosted,
    nesting: Nesting::Local,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::Mpcp,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Mpcp::new(setup)?)),
};

/// Entry of "mpcp-all" in the list of protocols.
pub(crate) const MPCP_ALL: Protocol = Protocol {
    name: "mpcp-all",
    summary:
        "the MPCP with ceilings of all users, not only of those elsewhere (as in resource-protocols-2020)",
    class: LockingClass::MpcpAllUsers,
    make: |setup| Ok(Box::new(Mpcp::with(setup, Users::All)?)),
    ..MPCP
};

/// Users whose urgency a holder gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Users {
    /// Urgency of the most urgent user on other processors.
    Elsewhere,
    /// Urgency of the most urgent user on any processor.
    All,
}

/// Suspension; holders are as urgent as their ceilings.
#[derive(Clone, Debug)]
pub(crate) struct Boosts {
    /// By resource and cluster: the priority point of the most urgent user that counts.
    point: Vec<Vec<u64>>,
}

impl Rules for Boosts {
    type Order = ByBase;
    const WAITING: Reply = Reply::Suspend;

    fn holds(&mut self, job: JobId, mutex: usize, _: &Mutexes<ByBase>, turn: &mut Turn<'_>) {
        let cluster = turn.jobs.get(job).cluster;
        turn.boost(job, self.point[mutex][cluster.index()]);
    }

    fn releases(&mut self, job: JobId, _: usize, _: &Mutexes<ByBase>, turn: &mut Turn<'_>) {
        turn.restore(job);
    }
}

/// Suspension between processors, immediate ceilings within each.
pub(crate) type Mpcp = Scoped<Ipcp, Queued<Boosts>>;

impl Mpcp {
    /// Needs partitions, fixed priorities, resources of one unit, global ones without nesting, and no suspension in
    /// sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        Self::with(setup, Users::Elsewhere)
    }

    fn with(setup: &LockSetup<'_>, users: Users) -> Result<Self, LockError> {
        setup.demand_partitions("MPCP")?;
        let local = Ipcp::for_locals(setup, "MPCP")?;
        let rules = Boosts { point: points(setup, &setup.usage()?, users)? };
        Scoped::of(local, Queued::single(rules, setup), setup, "MPCP")
    }
}

/// Returns levels as points: they are distinct, and only boosted jobs are compared by them.
fn points(setup: &LockSetup<'_>, usage: &Usage, users: Users) -> Result<Vec<Vec<u64>>, LockError> {
    let levels = setup.levels("MPCP")?;
    let ceiling = |needs: &[(TaskId, u32)], cluster: ClusterId| {
        let counts = |(task, _): &&(TaskId, u32)| match users {
            Users::Elsewhere => setup.tasks[task.index()].cluster != cluster,
            Users::All => true,
        };
        let counted = needs.iter().filter(counts);
        counted.map(|(task, _)| u64::from(levels[task.index()].0)).min().unwrap_or(u64::from(u32::MAX))
    };
    let clusters = setup.platform.clusters.len() as u16;
    let of_resource = |needs: &[(TaskId, u32)]| -> Vec<u64> {
        (0..clusters).map(|cluster| ceiling(needs, ClusterId(cluster))).collect()
    };
    Ok(usage.users.iter().map(|users| of_resource(&users.needs)).collect())
}
