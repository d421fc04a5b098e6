//! Bounds for jobs that repeat operations which others overtook.

pub(crate) mod beside_locks;
pub mod lock_free;
pub mod tardiness;
