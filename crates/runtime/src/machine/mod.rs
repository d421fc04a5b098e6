//! What does the kernel give this process? Processors, priorities, memory, clocks and switches; or why it does not.

pub(crate) mod awake;
pub(crate) mod clock;
pub(crate) mod context_switches;
pub(crate) mod lease;
pub(crate) mod life;
pub(crate) mod not_native;
pub(crate) mod owner;
pub(crate) mod refusal;
pub(crate) mod room;
pub(crate) mod shared_object;
pub(crate) mod start;
pub(crate) mod stolen;
pub mod sys;
pub(crate) mod time_stamps;
