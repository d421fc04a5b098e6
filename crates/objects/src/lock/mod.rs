//! Which thread goes first? Queue locks, and what is built around one.

pub(crate) mod array;
pub(crate) mod mcs;
pub(crate) mod mutex;
pub(crate) mod queue_lock;
pub(crate) mod robust;
pub(crate) mod ticket;
