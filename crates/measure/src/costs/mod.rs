//! What the kernel and the caches cost.

pub(crate) mod cache;
pub(crate) mod calls;
pub(crate) mod noise;
