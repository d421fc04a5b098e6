//! Objects that real threads and processes share: queue locks with first-come, first-served order, and what they
//! protect, with or without locks.
//!
//! | lock | waits on | memory | between processes |
//! |---|---|---|---|
//! | [`TicketLock`] | one counter, in all caches | two cache lines | yes |
//! | [`ArrayLock`] (T. Anderson 1990) | a place of its own | a cache line per place | yes |
//! | [`McsLock`] (Mellor-Crummey, Scott 1991) | its own node | one word, a node per waiter | at the same address |
//!
//! A [`Shape`] describes one of the objects: a buffer, a queue or a heap, each under a lock, lock-free or wait-free.
//!
//! Each lock has a raw interface that separates joining the queue from waiting, so that a runtime can record a request
//! before it spins. [`Mutex`] has guards around a ticket lock or an array lock.
//!
//! [`FastSections`] are sections that a thread enters without a call of the engine, a [`Latch`] is where a thread
//! sleeps, a [`TimerSignal`] interrupts a thread that executes, [`StopTheWorld`] stops all processors but one, [`Ring`]
//! takes the records of one writer, and [`Region`] gives out memory inside an object that processes map.
//!
//! Files are in folders by question: `lock` (which thread goes first), `object` (what tasks share), `waiting` (where
//! one thread waits for another, or notifies it), `mapped` (what lies in memory that processes map). The files beside
//! this one are used by all folders.
//!
//! Tests run the sources under loom and shuttle, too. The objects' histories also run under Miri, which looks for
//! undefined behaviour; Miri does not know files that processes map.
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

mod lock;
mod mapped;
mod object;
mod padded;
mod part;
mod waiting;
mod words;

pub use lock::array::{ArrayLock, Position};
pub use lock::mcs::{McsLock, Node};
pub use lock::mutex::{Guard, Mutex};
pub use lock::queue_lock::QueueLock;
pub use lock::robust::{DeadTask, Surroundings, Together};
pub use lock::ticket::{Ticket, TicketLock};
pub use mapped::arena::{NotABlock, Region};
pub use mapped::placed::{NoAccess, Placed};
pub use object::alone::Alone;
pub use object::sequential::{Answer, Request};
pub use object::{
    BadShape, BufferUser, ContainerUser, Kind, Scheme, Shape, MOST_BLOCK, MOST_SIZE, MOST_TASKS,
};
pub use padded::Padded;
pub use waiting::due::Due;
pub use waiting::fast_sections::{Entry, FastSection, FastSections};
pub use waiting::latch::Latch;
pub use waiting::ring::Ring;
pub use waiting::stop_the_world::StopTheWorld;
pub use waiting::timer_signal::TimerSignal;
pub use words::Words;
