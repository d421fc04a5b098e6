//! Lock-free objects: no job waits; an operation that another one overtook is done again.
//!
//! P. Holman and J. H. Anderson, "Object sharing in Pfair-scheduled multiprocessor systems", ECRTS 2002; "Adapting
//! Pfair scheduling for symmetric multiprocessors", 2005, section IV.C. An operation reads the object, works on a copy
//! and commits by a compare-and-swap, which fails exactly if another operation on the object has committed since the
//! read; then the operation starts anew. A program writes an operation as a section of the object: its attempts take as
//! long as the section.
//!
//! An operation of another algorithm may change several words ([`schedlab_model::ObjectKind::fails`]). Here it makes
//! all its changes at once, at its section's end, as real runs do where no thread is stopped within. So one operation
//! fails one attempt in simulations, also on a queue. Bounds hold for what is between, too.
//!
//! In the model, the begin of an attempt and its commit take O(1). An attempt fails at most as often as other
//! operations on the object commit meanwhile.

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockProtocol, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach,
    Reply, Section, Turn, Waiting,
};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{JobId, LockingClass, ResourceId, Scheme};

/// Entry of "lock-free" in the list of protocols.
pub(crate) const LOCK_FREE: Protocol = Protocol {
    name: Scheme::LockFree.name(),
    summary: "no locks: an operation that another one overtook is done again (Holman, Anderson 2002)",
    waiting: Waiting::Never,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::None,
    preemption: Preemption::Any,
    nesting: Nesting::Never,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::LockFree,
    on_linux: OnLinux::InProgram,
    make: |setup| Ok(Box::new(LockFree::new(setup)?)),
};

/// Counts the commits of each object, and remembers which count each attempt has read.
#[derive(Clone, Debug)]
pub(crate) struct LockFree {
    /// By object: number of commits.
    commits: Vec<u64>,
    /// By task: number of commits that its attempt has read.
    read: Vec<u64>,
}

impl LockFree {
    /// Needs objects of one unit, and operations without nesting or suspension.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_flat("lock-free sharing")?;
        Ok(LockFree { commits: vec![0; setup.resources.len()], read: vec![0; setup.tasks.len()] })
    }
}

impl LockProtocol for LockFree {
    fn request(&mut self, Section { job, resource, .. }: Section, _: &mut Turn<'_>) -> Reply {
        self.read[job.task.index()] = self.commits[resource.index()];
        Reply::Attempt
    }

    fn release(&mut self, Section { job, resource, .. }: Section, _: &mut Turn<'_>) {
        unreachable!("{job} does not hold {resource}: it commits")
    }

    fn commit(&mut self, job: JobId, resource: ResourceId) -> bool {
        let commits = &mut self.commits[resource.index()];
        let read = &mut self.read[job.task.index()];
        let succeeds = *read == *commits;
        if succeeds {
            *commits += 1;
        }
        *read = *commits;
        succeeds
    }
}
