//! What a trace says.
//!
//! Everything here reads [`schedlab_trace`] records, whatever produced them, and nothing else but a
//! [`Context`] of a few plain facts: [`invariants`] judge a trace, [`metrics`] measure it, [`mod@why`] explains
//! one job, [`schedule`] draws it, [`export`] hands it to other tools. All are folds over the records in
//! order, so a trace need not fit into memory; metrics can sit in the simulator directly, without a trace.

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

pub mod compared;
pub mod context;
pub mod deadlock;
pub mod export;
pub mod files;
pub mod invariants;
pub mod lines;
pub mod measured;
pub mod metrics;
pub mod scene;
pub mod schedule;
pub mod why;

pub use context::Context;
pub use files::{TraceFile, TraceFileError, TraceWriter};
