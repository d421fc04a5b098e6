//! Protocols under which a request executes on the processor of its resource.

pub(crate) mod dflp;
pub(crate) mod dpcp;
mod remote;
