//! Scenario in, results out: the glue between a scenario and everything that reasons about it.
//!
//! [`Prepared`] is a scenario with everything decided that its runs share: tasks placed, overheads resolved.
//! [`analyze`] says what theory guarantees, [`Prepared::simulate`] what a simulated machine does; [`batch`] asks
//! the same of many random task sets. Nothing is decided here that a crate below decides.

#![forbid(unsafe_code)]

mod accounting;
pub mod advise;
mod analysis;
pub mod batch;
mod catalog;
mod context;
mod error;
mod evidence;
pub mod explain;
pub mod feasibility;
mod findings;
mod kernel;
mod kernel_refusal;
mod lock_overheads;
mod machine;
pub mod memory;
pub mod modelled;
mod pfair;
mod prepare;
mod prepared;
mod priority_points;
pub mod processors;
mod promises;
mod reason;
pub mod resolve;
mod scheduler;
pub mod sensitivity;
mod simulation;
mod source;
mod spare;
pub mod staggered_events;
mod supertasks;
pub mod windows;

pub use accounting::OverheadOutcome;
pub use analysis::{analyze, ScenarioAnalysis};
pub use catalog::{Catalog, CatalogError};
pub use context::{context_of, HeaderProblem, OVERLONG_SECTIONS};
pub use error::PrepareError;
pub use evidence::{Evidence, LateJob, ListedJob};
pub use findings::{all_tests, ask, conclude, findings, Assumption, Conclusion, Finding};
pub use kernel::{KernelLock, KernelParameters};
pub use kernel_refusal::KernelRefusal;
pub use prepared::Prepared;
pub use reason::{told, Reason};
pub use simulation::Measures;
pub use spare::Spare;
pub use supertasks::WeightedSupertask;
