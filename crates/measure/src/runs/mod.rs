//! Costs of the runtime in a run.

pub(crate) mod findings;
pub(crate) mod locking;
pub(crate) mod real;
pub(crate) mod sets;
