//! Bounds where a request executes on the processor of its resource.

pub mod dflp;
pub mod dpcp;
