//! Wait-free objects: no job waits, and none repeats anything.
//!
//! Block-or-not-2008, section 2.2: each operation is done after a bounded number of the job's own steps, whatever
//! others do. A program writes an operation as a section of the object, as long as the operation takes at most, with
//! what it does for others. So tasks are independent (section 4.2).
//!
//! In the model, the begin of an operation and its commit take O(1), and no job is blocked.

use super::lock_free::LOCK_FREE;
use crate::contract::{LockError, LockProtocol, LockSetup, Protocol, Reply, Section, Turn};
use alloc::boxed::Box;
use schedlab_model::{JobId, LockingClass, ResourceId, Scheme};

/// Entry of "wait-free" in the list of protocols: attempts on objects, as lock-free ones are.
pub(crate) const WAIT_FREE: Protocol = Protocol {
    name: Scheme::WaitFree.name(),
    summary: "no locks: an operation takes as long as it says, whatever others do (block-or-not-2008)",
    class: LockingClass::WaitFree,
    make: |setup| Ok(Box::new(WaitFree::new(setup)?)),
    ..LOCK_FREE
};

/// Lets every attempt succeed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitFree;

impl WaitFree {
    /// Needs objects of one unit, and operations without nesting or suspension.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_flat("wait-free sharing")?;
        Ok(WaitFree)
    }
}

impl LockProtocol for WaitFree {
    fn request(&mut self, _: Section, _: &mut Turn<'_>) -> Reply {
        Reply::Attempt
    }

    fn release(&mut self, Section { job, resource, .. }: Section, _: &mut Turn<'_>) {
        unreachable!("{job} does not hold {resource}: it commits")
    }

    fn commit(&mut self, _: JobId, _: ResourceId) -> bool {
        true
    }
}
