//! Spin locks ordered by priority: the most urgent of those that spin goes first, ties first come, first served.
//!
//! A. Wieder and B. B. Brandenburg, "On spin locks in AUTOSAR: blocking analysis of FIFO, unordered, and
//! priority-ordered spin locks", RTSS 2013. Besides the order it is the MSRP: jobs spin and hold without being
//! preempted, and the resources of one processor follow the stack resource policy. A's base priority counts, so that
//! two jobs never tie.
//!
//! C holds the resource from 0 on. B asks at 1 and A, more urgent, at 2; A goes first:
//!
//! ```text
//! P0  ..aaAA....   lower case: spins
//! P1  .bbbbbBB..
//! P2  CCCC......
//! ```
//!
//! In the model, a request for a free global resource takes O(1), a request that waits O(w) for w waiting jobs, and
//! a release O(w). A request may wait for any number of more urgent requests, since these go first whenever they
//! come.

use super::msrp::{Msrp, MSRP};
use crate::contract::{GrantOrder, Protocol};
use crate::shared::wait_queue::ByBase;
use alloc::boxed::Box;
use schedlab_model::LockingClass;

/// Entry of "spin-priority" in the list of protocols.
pub(crate) const SPIN_PRIORITY: Protocol = Protocol {
    name: "spin-priority",
    summary: "spinning, not preempted, the most urgent first (Wieder, Brandenburg 2013)",
    grants: GrantOrder::ByBase,
    class: LockingClass::SpinPriority,
    make: |setup| Ok(Box::new(Msrp::<ByBase>::named("spinning by priority", setup)?)),
    ..MSRP
};
