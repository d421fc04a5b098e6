//! The sources of the locks, compiled once more with the atomics of `crate::sync`.

use crate::sync;

#[path = "../../src/lock"]
mod lock {
    pub(crate) mod array;
    pub(crate) mod mcs;
    pub(crate) mod queue_lock;
    pub(crate) mod robust;
    pub(crate) mod ticket;
}
#[path = "../../src/waiting"]
mod waiting {
    pub(crate) mod due;
    pub(crate) mod fast_sections;
    pub(crate) mod latch;
    pub(crate) mod ring;
    pub(crate) mod stop_the_world;
    pub(crate) mod timer_signal;
}
#[path = "../../src/object/mod.rs"]
mod object;
#[path = "../../src/padded.rs"]
mod padded;
#[path = "../../src/part.rs"]
mod part;
#[path = "../../src/words.rs"]
mod words;

#[allow(unused_imports, reason = "not every test uses it")]
pub use lock::array::ArrayLock;
#[allow(unused_imports, reason = "not every test uses it")]
pub use lock::mcs::{McsLock, Node};
#[allow(unused_imports, reason = "not every test uses it")]
pub use lock::queue_lock::QueueLock;
#[allow(unused_imports, reason = "not every test uses it")]
pub use lock::robust::{DeadTask, RobustLock, Surroundings, Together};
#[allow(unused_imports, reason = "not every test uses it")]
pub use lock::ticket::TicketLock;
#[allow(unused_imports, reason = "not every test uses it")]
pub use object::large::{LockFree, WaitFree};
#[allow(unused_imports, reason = "not every test uses it")]
pub use object::queue::LockFreeQueue;
#[allow(unused_imports, reason = "not every test uses it")]
pub use object::sequential::{Answer, Memory, Request, Sequential, Stale};
#[allow(unused_imports, reason = "not every test uses it")]
pub use object::{BufferUser, ContainerUser, Kind, Scheme, Shape};
#[allow(unused_imports, reason = "not every test uses it")]
pub use part::Part;
#[allow(unused_imports, reason = "not every test uses it")]
pub use waiting::due::Due;
#[allow(unused_imports, reason = "not every test uses it")]
pub use waiting::fast_sections::{Entry, FastSection, FastSections};
#[allow(unused_imports, reason = "not every test uses it")]
pub use waiting::latch::Latch;
#[allow(unused_imports, reason = "not every test uses it")]
pub use waiting::ring::Ring;
#[allow(unused_imports, reason = "not every test uses it")]
pub use waiting::stop_the_world::StopTheWorld;
#[allow(unused_imports, reason = "not every test uses it")]
pub use waiting::timer_signal::TimerSignal;
#[allow(unused_imports, reason = "not every test uses it")]
pub use words::Words;
