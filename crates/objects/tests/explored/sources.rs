//! The sources of the locks, compiled once more with the atomics of `crate::sync`.

use crate::sync;

#[path = "../../src/array.rs"]
mod array;
#[path = "../../src/claims.rs"]
mod claims;
#[path = "../../src/latch.rs"]
mod latch;
#[path = "../../src/mcs.rs"]
mod mcs;
#[path = "../../src/padded.rs"]
mod padded;
#[path = "../../src/queue_lock.rs"]
mod queue_lock;
#[path = "../../src/ring.rs"]
mod ring;
#[path = "../../src/stop_the_world.rs"]
mod stop_the_world;
#[path = "../../src/ticket.rs"]
mod ticket;

pub use array::ArrayLock;
#[allow(unused_imports, reason = "not every test uses them")]
pub use claims::{Claim, Claims, Entry};
#[allow(unused_imports, reason = "not every test uses it")]
pub use latch::Latch;
pub use mcs::{McsLock, Node};
pub use queue_lock::QueueLock;
pub use ring::Ring;
#[allow(unused_imports, reason = "not every test uses it")]
pub use stop_the_world::StopTheWorld;
pub use ticket::TicketLock;
