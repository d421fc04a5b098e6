//! Protocols for operations on objects that no job holds.

pub(crate) mod by_scheme;
pub(crate) mod lock_free;
pub(crate) mod wait_free;
