//! Simulations of prepared scenarios, and the context that readers of their traces need.

pub(crate) mod context;
mod promises;
pub(crate) mod simulation;
