//! Bounds for the resources of one processor.

pub mod npcs;
pub mod pcp;
pub mod pip;
pub mod posix;
pub mod srp;
