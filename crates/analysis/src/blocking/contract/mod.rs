//! What every bound reads, what it says, and what a method is.

pub(crate) mod case;
pub(crate) mod derive;
pub mod method;
pub(crate) mod sharing;
pub(crate) mod terms;
pub(crate) mod ticks;
