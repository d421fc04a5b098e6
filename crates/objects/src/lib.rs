//! Objects that real threads and processes share: queue locks with first-come, first-served order, and what they
//! protect, with or without locks.
//!
//! | lock | waits on | memory | between processes |
//! |---|---|---|---|
//! | [`TicketLock`] | one counter, in all caches | two cache lines | yes |
//! | [`ArrayLock`] (T. Anderson 1990) | a place of its own | a cache line per place | yes |
//! | [`McsLock`] (Mellor-Crummey, Scott 1991) | its own node | one word, a node per waiter | at the same address |
//!
//! A [`Shape`] is one of the objects: a buffer, a queue or a heap, each under a lock, lock-free or wait-free.
//!
//! Each lock has a raw interface that separates joining the queue from waiting, so that a runtime can record a request
//! before it spins. [`Mutex`] has guards around one of tickets or an array.
//!
//! [`Grabs`] are sections that a thread enters without asking, a [`Latch`] is what a thread sleeps at,
//! [`StopTheWorld`] stops all processors but one, [`Ring`] takes the records of one writer, [`Region`] gives out memory
//! inside an object that processes map.
//!
//! Tests run the sources under loom and shuttle, too. The objects' histories also run under Miri, which looks for
//! undefined behaviour. Files that processes map, Miri does not know.
//!
//! ```text
//! MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p schedlab-objects --test objects
//! ```
//!
//! A lock spins; it never enters the kernel. A thread that waits or holds must not be preempted for long: the
//! schedulers that use these locks run both without preemption (the FMLP's short requests, the MSRP).

#![no_std]

extern crate alloc;

#[macro_use]
mod sync;

mod arena;
mod array;
mod bell;
mod buffer;
mod due;
mod grabs;
mod heap;
mod large;
mod latch;
mod locked;
mod mcs;
mod mutex;
mod object;
mod padded;
mod part;
mod placed;
mod queue;
mod queue_lock;
mod ring;
mod robust;
mod sequential;
mod shared;
mod stop_the_world;
mod ticket;
mod whereabouts;
mod words;

pub use arena::{NotABlock, Region};
pub use array::{ArrayLock, Place};
pub use bell::Bell;
pub use due::Due;
pub use grabs::{Entry, Grab, Grabs};
pub use latch::Latch;
pub use mcs::{McsLock, Node};
pub use mutex::{Guard, Mutex};
pub use object::{
    BadShape, BufferUser, ContainerUser, Kind, Scheme, Shape, MOST_BLOCK, MOST_SIZE, MOST_TASKS,
};
pub use padded::Padded;
pub use placed::{NoAccess, Placed};
pub use queue_lock::QueueLock;
pub use ring::Ring;
pub use robust::{DeadTask, Surroundings, Together};
pub use sequential::{Answer, Request};
pub use stop_the_world::StopTheWorld;
pub use ticket::{Ticket, TicketLock};
pub use whereabouts::Whereabouts;
pub use words::Words;
