//! Unordered spin locks: any of the jobs that spin may go first.
//!
//! A. Wieder and B. B. Brandenburg, "On spin locks in AUTOSAR: blocking analysis of FIFO, unordered, and
//! priority-ordered spin locks", RTSS 2013: locks built of a test-and-set instruction, say. Besides the order it is the
//! MSRP. A bound has to hold for every order; here it is the most unfair one, last come, first served, under which a
//! job may starve:
//!
//! ```text
//! P0  AAAA......
//! P1  .bbbbbBB..   lower case: spins
//! P2  ..ccCC....
//! ```
//!
//! In the model, a request for a free global resource takes O(1), a request that waits O(w) for w waiting jobs, and
//! a release O(w).

use super::msrp::{Msrp, MSRP};
use crate::contract::{GrantOrder, Protocol};
use crate::shared::wait_queue::Newest;
use alloc::boxed::Box;
use schedlab_model::LockingClass;

/// Entry of "spin-unordered" in the list of protocols.
pub(crate) const SPIN_UNORDERED: Protocol = Protocol {
    name: "spin-unordered",
    summary: "spinning, not preempted, in any order: the newest first (Wieder, Brandenburg 2013)",
    grants: GrantOrder::Any,
    class: LockingClass::SpinUnordered,
    make: |setup| Ok(Box::new(Msrp::<Newest>::named("unordered spinning", setup)?)),
    ..MSRP
};
