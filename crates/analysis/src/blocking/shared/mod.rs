//! What several bounds are made of.

pub mod ceilings;
pub mod contention;
pub mod fifo;
pub mod members;
