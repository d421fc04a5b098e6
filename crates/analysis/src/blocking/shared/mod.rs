//! Parts that several bounds share.

pub(crate) mod candidates;
pub mod ceilings;
pub mod contention;
pub mod fifo;
pub mod members;
