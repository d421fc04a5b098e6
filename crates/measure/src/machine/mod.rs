//! The machine, and whether threads may have it.

pub(crate) mod about;
pub(crate) mod alone;
pub(crate) mod caches;
pub(crate) mod topology;
