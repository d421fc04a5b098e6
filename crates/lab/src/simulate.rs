//! What a simulated machine does, and what readers of its traces have to know.

pub(crate) mod context;
mod promises;
pub(crate) mod simulation;
