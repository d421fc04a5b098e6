//! Costs of the kernel and the caches.

pub(crate) mod cache;
pub(crate) mod calls;
pub(crate) mod noise;
