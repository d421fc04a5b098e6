//! Bounds where a job repeats what others overtook.

pub mod lock_free;
pub mod tardiness;
