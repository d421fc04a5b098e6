//! The scenario file: everything that a number depends on, as text that a person writes.
//!
//! [`Scenario::read`] reads a file and reports every error with its place and with what is allowed;
//! [`Scenario::to_toml`] writes the canonical text, which goes into the header of every trace. [`OverheadProfile`]
//! holds what is known of a machine's overheads. [`schema`] gives the JSON Schemas, [`interchange`] speaks the formats
//! of other tools, [`launch`] the settings of Linux's own schedulers.
//!
//! | modules | question |
//! |---|---|
//! | `scenario`, `resource`, `workload`, `memory`, `words`, `quantity` | what does a scenario say, in which words? |
//! | `document`, `field`, `read`, `overheads`, `schema` | how is a file read, and which fields has it? |
//! | `check`, `concept`, `error`, `fault`, `unknown` | what is wrong with it, and what is allowed? |
//! | `import`, `foreign`, `loss` | whose file is it, and what of it has no place here? |
//! | `copies`, `overrides`, `scaled`, `what_if`, `supposed` | how is it changed? |
//! | `convert`, `data`, `locking`, `placement` | what do other crates get? |
//! | `write`, `export`, `interchange`, `launch`, `aspect` | as what is it written, and what is lost? |

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod aspect;
mod check;
mod concept;
mod convert;
mod converted;
mod copies;
mod data;
mod document;
mod error;
mod export;
mod fault;
mod field;
pub mod foreign;
mod import;
pub mod interchange;
pub mod launch;
mod locking;
mod loss;
mod memory;
mod origin;
mod overheads;
mod overrides;
mod placement;
mod quantity;
mod read;
mod reserved;
mod resource;
mod rests;
mod scaled;
mod scenario;
mod schema;
mod supposed;
mod unheeded;
mod unknown;
mod what_if;
mod words;
mod workload;
mod write;

pub use aspect::shortened;
pub use check::aborts::{breaks_under_aborts, protocols_under_aborts};
pub use check::MOST_TASKS;
pub use concept::missing_concept;
pub use convert::mutex_of;
pub use document::Loader;
pub use error::{Error, Errors, Location, Problem};
pub use export::Export;
pub use memory::MemorySpec;
pub use origin::Origin;
pub use overheads::{
    shipped, shipped_names, Charged, DecisionCosts, Kinds, Measured, OfObject, OfProtocol, OfScheduler,
    OverheadProfile, OverheadsChoice, Unknown, Value, LEAVING, NO_OVERHEADS,
};
pub use placement::{complete, packing, pins, place, PlaceError};
pub use quantity::{bytes, duration, Millionths, DURATION, LONGEST};
pub use read::{abort_handler, time_utility};
pub use reserved::{ReservedShare, FAIR_PERIOD, FAIR_SERVER};
pub use resource::{ObjectSpec, ResourceSpec};
pub use rests::RestsOn;
pub use scenario::{
    Clusters, Placement, PlatformSpec, Scenario, SchedulerSpec, ServerSpec, SupertaskSpec, TaskSpec,
};
pub use schema::{schema, Schema};
pub use supposed::{Supposed, WhatIf};
pub use unheeded::Unheeded;
pub use what_if::refuse_both;
pub use words::{computed_priorities, placement_words, priority_rules, OBSERVE};
pub use words::{
    Arrival, ComponentOrder, CostModel, DeadlineRule, Priorities, Split, UrgentPriority, Wcets, Weights,
};
pub use workload::Workload;
pub use write::{write_abort_handler, write_utility};
