//! Scenario in, results out: the glue between a scenario and everything that reasons about it.
//!
//! [`Prepared`] is a scenario with everything decided that its runs share: tasks placed, overheads resolved.
//! [`analyze`] computes what theory guarantees, [`Prepared::simulate`] what a simulated machine does; [`batch`] asks
//! both questions of many random task sets. This crate decides nothing that a crate below decides.
//!
//! | folder | question |
//! |---|---|
//! | `reason` | in which words is it said? |
//! | `charge` | what does the machine take from tasks that share processors? |
//! | `caveats` | what does an answer leave out and rest on? |
//! | `prepare` | what is decided before anything runs? |
//! | `simulate` | what does a simulated machine do? |
//! | `verdict` | what does theory guarantee? |
//! | [`explain`] | how does a result come about? |
//! | [`advise`] | what else would keep the deadlines, and by which margin? |
//! | [`deploy`] | which settings of Linux's own schedulers are it, and what is proved of them? |
//! | [`memory`] | what do jobs wait for caches and the bus? |
//! | [`batch`] | what holds of many random task sets? |
//! | [`results`] | what do programs get? |

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]
// A default arm would take a new variant for a known one.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod advise;
pub mod batch;
mod caveats;
mod charge;
pub mod deploy;
pub mod explain;
pub mod memory;
mod prepare;
mod reason;
pub mod results;
mod simulate;
mod verdict;

pub use advise::spare::Spare;
pub use advise::{reach, sections, sensitivity};
pub use caveats::Caveats;
pub use explain::{staggered_events, windows};
pub use memory::modelled;
pub use prepare::accounting::OverheadOutcome;
pub use prepare::catalog::{Catalog, CatalogError};
pub use prepare::error::PrepareError;
pub use prepare::kernel_class::KernelParameters;
pub use prepare::kernel_refusal::KernelRefusal;
pub use prepare::overrides::Overrides;
pub use prepare::prepared::Prepared;
pub use prepare::resolve;
pub use prepare::supertasks::WeightedSupertask;
pub use reason::{in_words, Reason};
pub use schedlab_sim::Workspace;
pub use simulate::context::{context_of, HeaderProblem, OF_DECISIONS, OVERLONG_SECTIONS};
pub use simulate::simulation::Measures;
pub use verdict::analysis::{analyze, ScenarioAnalysis};
pub use verdict::evidence::{Evidence, LateJob, ListedJob};
pub use verdict::feasibility;
pub use verdict::findings::{ask, findings, Assumption, Finding};
pub use verdict::proof::concluded;
