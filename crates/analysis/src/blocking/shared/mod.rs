//! Parts that several bounds share.

pub mod ceilings;
pub mod contention;
pub mod fifo;
pub mod members;
