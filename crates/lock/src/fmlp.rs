//! FMLP: the flexible multiprocessor locking protocol, with short and long resources and group locks.
//!
//! A. Block, H. Leontyev, B. B. Brandenburg and J. H. Anderson, "A flexible real-time locking protocol for
//! multiprocessors", RTCSA 2007. Resources whose requests nest, short with short and long with long, form a group
//! with one lock; a job waits at most once for each outermost request, first come, first served. For a short
//! group it spins and is not preempted. For a long group it suspends itself; the holder inherits the priorities of
//! those that wait for it, under partitioned scheduling only of those on its processor, and is not preempted then;
//! long groups of a single processor follow the stack resource policy there (see `fmlp/local_groups.rs`).
//!
//! In the model, a request for a free group takes O(1), a request that waits O(w) for w waiting jobs, and a release
//! O(w); each change of an inherited priority takes O(n) for n tasks. A request for a short group waits for O(m)
//! sections on m processors, and one for a long group for one outermost section of each other task at most: O(n).

mod local_groups;

use crate::contract::{
    Ceilings, Effect, GrantOrder, Length, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol,
    Reach, Reply, Turn, Waiting,
};
use crate::shared::groups::Groups;
use crate::shared::mutexes::Mutexes;
use crate::shared::queued::{Queued, Rules};
use crate::shared::scoped::Scoped;
use crate::shared::wait_queue::Fifo;
use crate::uniprocessor::srp::Srp;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use local_groups::local_groups;
use schedlab_model::{JobId, LockingClass};

/// Entry of "fmlp" in the list of protocols.
pub(crate) const FMLP: Protocol = Protocol {
    name: "fmlp",
    summary: "flexible multiprocessor locking: short resources spin, long ones suspend (Block et al. 2007)",
    waiting: Waiting::Spins,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Any,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::Fmlp,
    on_linux: OnLinux::Nothing,
    make: |setup| {
        let length = |resource| setup.lengths.get(resource).copied().unwrap_or(Length::Short);
        let lengths: Vec<Length> = (0..setup.resources.len()).map(length).collect();
        Ok(Box::new(Fmlp::new(setup, &lengths)?))
    },
};

/// Entry of "fmlp-short" in the list of protocols.
pub(crate) const FMLP_SHORT: Protocol = Protocol {
    name: "fmlp-short",
    summary: "flexible multiprocessor locking, all resources short: FIFO spinning (Block et al. 2007)",
    preemption: Preemption::Never,
    class: LockingClass::FmlpShort,
    make: |setup| Ok(Box::new(Fmlp::new(setup, &vec![Length::Short; setup.resources.len()])?)),
    ..FMLP
};

/// Entry of "fmlp-long" in the list of protocols.
pub(crate) const FMLP_LONG: Protocol = Protocol {
    name: "fmlp-long",
    summary: "flexible multiprocessor locking, all resources long: FIFO suspension (Block et al. 2007)",
    waiting: Waiting::Suspends,
    preemption: Preemption::Inherited,
    class: LockingClass::FmlpLong,
    make: |setup| Ok(Box::new(Fmlp::new(setup, &vec![Length::Long; setup.resources.len()])?)),
    ..FMLP
};

/// Rules by length: short groups spin and are not preempted; holders of long ones inherit, or are not preempted on a
/// processor of their own.
#[derive(Clone, Debug)]
pub(crate) struct ByLength {
    /// By resource, and so by group: its length.
    length: Vec<Length>,
    is_partitioned: bool,
}

impl ByLength {
    fn is_short(&self, group: usize) -> bool {
        self.length[group] == Length::Short
    }
}

impl Rules for ByLength {
    type Order = Fifo;
    const WAITING: Reply = Reply::Suspend;
    const TAKES_FREE: bool = true;

    fn waiting(&self, group: usize) -> Reply {
        if self.is_short(group) {
            Reply::Spin
        } else {
            Reply::Suspend
        }
    }

    fn asks(&mut self, job: JobId, group: usize, turn: &mut Turn<'_>) {
        if self.is_short(group) {
            turn.set_preemptable(job, false);
        }
    }

    fn waits(&mut self, _: JobId, group: usize, mutexes: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        self.inherit(mutexes.holder(group).expect("it is not free"), group, mutexes, turn);
    }

    fn holds(&mut self, job: JobId, group: usize, mutexes: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        if !self.is_short(group) && self.is_partitioned {
            turn.set_preemptable(job, false);
        }
        self.inherit(job, group, mutexes, turn);
    }

    fn releases(&mut self, job: JobId, group: usize, _: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        if !self.is_short(group) {
            turn.restore(job);
        }
        if self.is_short(group) || self.is_partitioned {
            turn.set_preemptable(job, true);
        }
    }
}

impl ByLength {
    /// Lets `holder` inherit from the jobs that wait for the long `group`, on its processor if that is a cluster.
    fn inherit(&self, holder: JobId, group: usize, mutexes: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        let cluster = turn.jobs.get(holder).cluster;
        let long = mutexes.waiters(group).filter(|_| !self.is_short(group));
        for from in long.filter(|from| !self.is_partitioned || turn.jobs.get(*from).cluster == cluster) {
            turn.out.push(Effect::Inherit { holder, from });
        }
    }
}

/// Group locks, and the stack resource policy for long groups of single processors.
pub(crate) type Fmlp = Scoped<Srp, Queued<ByLength>>;

impl Fmlp {
    /// Needs resources of one unit, no long request within a short one, and no suspension in sections.
    /// `length` by resource.
    pub(crate) fn new(setup: &LockSetup<'_>, length: &[Length]) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units("FMLP")?;
        setup.demand_no_suspension(&usage, "FMLP")?;
        let groups = Groups::new(&usage, length)?;
        let is_local = local_groups(setup, &usage, &groups, length);
        let local = match is_local.contains(&true) {
            true => Some(Srp::for_locals(setup, "FMLP")?),
            false => None,
        };
        let is_partitioned = setup.platform.clusters.iter().all(|cluster| cluster.cpus.len() == 1);
        let rules = ByLength { length: length.to_vec(), is_partitioned };
        Ok(Scoped::between(is_local, local, Queued::grouped(rules, Fifo, groups, setup)))
    }
}
