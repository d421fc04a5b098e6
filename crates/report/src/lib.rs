//! Reports on traces.
//!
//! All modules read [`schedlab_trace`] records, whatever produced them, and nothing else but a [`Context`] of a few
//! plain facts. All are folds over the records in order, so a trace need not fit into memory; metrics can sit in the
//! simulator directly, without a trace.
//!
//! | modules | question |
//! |---|---|
//! | [`files`] | where are a file's records? |
//! | [`lines`] | what does one record say? |
//! | [`scene`], `deadline` | what is going on, as far as the records so far tell? has a job a deadline? |
//! | [`invariants`], [`deadlock`] | does the trace keep its promises? do jobs wait in a circle? |
//! | [`metrics`], [`measured`] | how late, how often? the same as plain values |
//! | [`search`] | which job was the worst? when was one there? |
//! | [`mod@why`] | why did a job take as long as it did? |
//! | [`compared`] | what did jobs experience beside another schedule? |
//! | [`schedule`], [`export`] | how does it look, here and in other tools? |

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

pub mod compared;
pub mod context;
mod deadline;
pub mod deadlock;
pub mod export;
pub mod files;
pub mod invariants;
pub mod lines;
pub mod measured;
pub mod metrics;
pub mod scene;
pub mod schedule;
pub mod search;
pub mod why;

pub use context::Context;
pub use files::{TraceFile, TraceFileError, TraceWriter};
