//! What lies in memory that processes map?

pub(crate) mod arena;
pub(crate) mod placed;
