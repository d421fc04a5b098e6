//! The sources of the locks, compiled once more with the atomics of `crate::sync`.

use crate::sync;

#[path = "../../src/array.rs"]
mod array;
#[path = "../../src/mcs.rs"]
mod mcs;
#[path = "../../src/padded.rs"]
mod padded;
#[path = "../../src/queue_lock.rs"]
mod queue_lock;
#[path = "../../src/ticket.rs"]
mod ticket;

pub use array::ArrayLock;
pub use mcs::{McsLock, Node};
pub use queue_lock::QueueLock;
pub use ticket::TicketLock;
