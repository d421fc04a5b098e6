//! The sources of the locks, compiled once more with the atomics of `crate::sync`.

use crate::sync;

#[path = "../../src/array.rs"]
mod array;
#[path = "../../src/bell.rs"]
mod bell;
#[path = "../../src/buffer/mod.rs"]
mod buffer;
#[path = "../../src/due.rs"]
mod due;
#[path = "../../src/grabs.rs"]
mod grabs;
#[path = "../../src/heap.rs"]
mod heap;
#[path = "../../src/large/mod.rs"]
mod large;
#[path = "../../src/latch.rs"]
mod latch;
#[path = "../../src/locked.rs"]
mod locked;
#[path = "../../src/mcs.rs"]
mod mcs;
#[path = "../../src/object.rs"]
mod object;
#[path = "../../src/padded.rs"]
mod padded;
#[path = "../../src/part.rs"]
mod part;
#[path = "../../src/queue/mod.rs"]
mod queue;
#[path = "../../src/queue_lock.rs"]
mod queue_lock;
#[path = "../../src/ring.rs"]
mod ring;
#[path = "../../src/robust.rs"]
mod robust;
#[path = "../../src/sequential.rs"]
mod sequential;
#[path = "../../src/shared.rs"]
mod shared;
#[path = "../../src/stop_the_world.rs"]
mod stop_the_world;
#[path = "../../src/ticket.rs"]
mod ticket;
#[path = "../../src/words.rs"]
mod words;

#[allow(unused_imports, reason = "not every test uses it")]
pub use array::ArrayLock;
#[allow(unused_imports, reason = "not every test uses it")]
pub use bell::Bell;
#[allow(unused_imports, reason = "not every test uses it")]
pub use due::Due;
#[allow(unused_imports, reason = "not every test uses it")]
pub use grabs::{Entry, Grab, Grabs};
#[allow(unused_imports, reason = "not every test uses it")]
pub use large::{LockFree, WaitFree};
#[allow(unused_imports, reason = "not every test uses it")]
pub use latch::Latch;
#[allow(unused_imports, reason = "not every test uses it")]
pub use mcs::{McsLock, Node};
#[allow(unused_imports, reason = "not every test uses it")]
pub use object::{BufferUser, ContainerUser, Kind, Scheme, Shape};
#[allow(unused_imports, reason = "not every test uses it")]
pub use part::Part;
#[allow(unused_imports, reason = "not every test uses it")]
pub use queue::LockFreeQueue;
#[allow(unused_imports, reason = "not every test uses it")]
pub use queue_lock::QueueLock;
#[allow(unused_imports, reason = "not every test uses it")]
pub use ring::Ring;
#[allow(unused_imports, reason = "not every test uses it")]
pub use robust::{DeadTask, RobustLock, Surroundings, Together};
#[allow(unused_imports, reason = "not every test uses it")]
pub use sequential::{Answer, Memory, Request, Sequential, Stale};
#[allow(unused_imports, reason = "not every test uses it")]
pub use stop_the_world::StopTheWorld;
#[allow(unused_imports, reason = "not every test uses it")]
pub use ticket::TicketLock;
#[allow(unused_imports, reason = "not every test uses it")]
pub use words::Words;
