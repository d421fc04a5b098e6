//! Scenario in, results out: the glue between a scenario and everything that reasons about it.
//!
//! [`Prepared`] is a scenario with everything decided that its runs share: tasks placed, overheads resolved.
//! [`analyze`] says what theory guarantees, [`Prepared::simulate`] what a simulated machine does; [`batch`] asks
//! the same of many random task sets. Nothing is decided here that a crate below decides.

#![forbid(unsafe_code)]

pub mod advise;
mod analysis;
pub mod batch;
pub mod batch_locks;
mod context;
mod evidence;
pub mod explain;
pub mod feasibility;
mod findings;
mod lock_overheads;
mod pfair;
mod prepared;
mod promises;
pub mod resolve;
pub mod sensitivity;
mod simulation;
mod source;
pub mod staggered_events;
mod supertasks;
pub mod windows;

pub use analysis::{analyze, OverheadOutcome, ScenarioAnalysis};
pub use context::{context_of, HeaderProblem};
pub use evidence::{Evidence, ListedJob};
pub use findings::{all_tests, findings, Finding};
pub use prepared::{PrepareError, Prepared};
pub use supertasks::WeightedSupertask;
