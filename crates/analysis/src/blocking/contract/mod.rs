//! Input and output of every blocking bound, and the type of a method.

pub(crate) mod case;
pub(crate) mod derive;
pub mod method;
pub(crate) mod sharing;
pub(crate) mod terms;
pub(crate) mod ticks;
