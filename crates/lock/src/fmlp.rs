//! FMLP: the flexible multiprocessor locking protocol, with short and long resources and group locks.
//!
//! A. Block, H. Leontyev, B. B. Brandenburg and J. H. Anderson, "A flexible real-time locking protocol for
//! multiprocessors", RTCSA 2007. Resources whose requests nest, short with short and long with long, form a group
//! with one lock; a job waits at most once for each outermost request, first come, first served. For a short
//! group it spins and is not preempted. For a long group it suspends itself; the holder inherits the priorities of
//! those that wait for it, under partitioned scheduling only of those on its processor, and is not preempted then;
//! long groups of a single processor follow the stack resource policy there (see [`LocalGroups`]).

use crate::effects::{Effect, Effects};
use crate::groups::Groups;
use crate::local_groups::LocalGroups;
use crate::lock_error::LockError;
use crate::mutexes::Mutexes;
use crate::registry::{Ceilings, GrantOrder, Nesting, Preemption, Protocol, Reach, Waiting};
use crate::setup::LockSetup;
use crate::srp::Srp;
use crate::wait_queue::Fifo;
use crate::{LockProtocol, Request};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, Instant, JobId, Jobs, ResourceId};

/// "fmlp" in the list of protocols.
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
    make: |setup| {
        let length = |resource| setup.lengths.get(resource).copied().unwrap_or(Length::Short);
        let lengths: Vec<Length> = (0..setup.resources.len()).map(length).collect();
        Ok(Box::new(Fmlp::new(setup, &lengths)?))
    },
};

/// "fmlp-short" in the list of protocols.
pub(crate) const FMLP_SHORT: Protocol = Protocol {
    name: "fmlp-short",
    summary: "flexible multiprocessor locking, all resources short: FIFO spinning (Block et al. 2007)",
    waiting: Waiting::Spins,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Nobody,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    make: |setup| Ok(Box::new(Fmlp::new(setup, &vec![Length::Short; setup.resources.len()])?)),
};

/// "fmlp-long" in the list of protocols.
pub(crate) const FMLP_LONG: Protocol = Protocol {
    name: "fmlp-long",
    summary: "flexible multiprocessor locking, all resources long: FIFO suspension (Block et al. 2007)",
    waiting: Waiting::Suspends,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Inherited,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    make: |setup| Ok(Box::new(Fmlp::new(setup, &vec![Length::Long; setup.resources.len()])?)),
};

/// How jobs wait for a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// They spin.
    #[default]
    Short,
    /// They suspend themselves.
    Long,
}

/// Group locks.
#[derive(Clone, Debug)]
pub struct Fmlp {
    groups: Groups,
    /// By resource.
    length: Vec<Length>,
    is_partitioned: bool,
    local: Option<LocalGroups>,
    mutexes: Mutexes<Fifo>,
    /// By group: how deep its holder's requests nest.
    depth: Vec<u32>,
    /// By task: what its job waits for, if it does.
    wanted: Vec<ResourceId>,
}

impl Fmlp {
    /// Needs resources of one unit, no long request within a short one, and no suspension in sections.
    /// `length` by resource.
    pub fn new(setup: &LockSetup<'_>, length: &[Length]) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units("FMLP")?;
        setup.demand_no_suspension(&usage, "FMLP")?;
        let groups = Groups::new(&usage, length)?;
        let count = length.len();
        Ok(Fmlp {
            local: LocalGroups::new(setup, &usage, &groups, length)?,
            groups,
            length: length.to_vec(),
            is_partitioned: setup.platform.clusters.iter().all(|cluster| cluster.cpus.len() == 1),
            mutexes: Mutexes::new(count, setup.tasks.len()),
            depth: vec![0; count],
            wanted: vec![ResourceId(0); setup.tasks.len()],
        })
    }

    /// The stack resource policy, if `resource` follows it.
    fn srp_of(&mut self, resource: ResourceId) -> Option<&mut Srp> {
        let group = self.groups.of(resource);
        self.local.as_mut().filter(|local| local.holds(group)).map(|local| &mut local.srp)
    }

    /// True if the holder of `group` can be preempted.
    fn is_preemptable(&self, group: usize) -> bool {
        self.length[group] == Length::Long && !self.is_partitioned
    }

    /// `holder` inherits from those that wait for `group`.
    fn inherit(&self, group: usize, holder: JobId, jobs: &Jobs, out: &mut Effects) {
        let here = |job: JobId| jobs.get(job).cluster == jobs.get(holder).cluster;
        for from in self.mutexes.waiters(group).filter(|from| !self.is_partitioned || here(*from)) {
            out.push(Effect::Inherit { holder, from });
        }
    }

    /// `group` goes to the next.
    fn hand_over(&mut self, group: usize, jobs: &Jobs, out: &mut Effects) {
        self.depth[group] = 0;
        let Some(next) = self.mutexes.hand_over(group, jobs) else { return };
        self.depth[group] = 1;
        if self.length[group] == Length::Long {
            if self.is_partitioned {
                out.push(Effect::SetPreemptable(next, false));
            }
            self.inherit(group, next, jobs, out);
        }
        out.push(Effect::Grant(next, self.wanted[next.slot()]));
    }
}

impl LockProtocol for Fmlp {
    fn request(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        if let Some(srp) = self.srp_of(resource) {
            return srp.request(now, job, resource, units, jobs, out);
        }
        let group = self.groups.of(resource);
        if self.mutexes.holder(group) == Some(job) {
            self.depth[group] += 1;
            return Request::Granted;
        }
        let is_short = self.length[group] == Length::Short;
        let is_free = self.mutexes.try_take(group, job);
        if is_short || (is_free && !self.is_preemptable(group)) {
            out.push(Effect::SetPreemptable(job, false));
        }
        if is_free {
            self.depth[group] = 1;
            return Request::Granted;
        }
        self.mutexes.wait(group, job);
        self.wanted[job.slot()] = resource;
        if is_short {
            return Request::Spin;
        }
        let holder = self.mutexes.holder(group).expect("it is not free");
        self.inherit(group, holder, jobs, out);
        Request::Suspend
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
        if let Some(srp) = self.srp_of(resource) {
            return srp.release(now, job, resource, units, jobs, out);
        }
        let group = self.groups.of(resource);
        self.depth[group] -= 1;
        if self.depth[group] > 0 {
            return;
        }
        if self.length[group] == Length::Long {
            out.push(Effect::Restore(job));
        }
        if !self.is_preemptable(group) {
            out.push(Effect::SetPreemptable(job, true));
        }
        self.hand_over(group, jobs, out);
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        if let Some(local) = &mut self.local {
            local.srp.note(now, event, jobs, out);
        }
        if let Event::Aborted(job) = event {
            self.mutexes.withdraw(job, jobs);
            for group in 0..self.mutexes.len() {
                if self.mutexes.holder(group) == Some(job) {
                    self.hand_over(group, jobs, out);
                }
            }
        }
    }
}
