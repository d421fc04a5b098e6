//! Bounds where a job repeats what others overtook.

pub(crate) mod beside_locks;
pub mod lock_free;
pub mod tardiness;
