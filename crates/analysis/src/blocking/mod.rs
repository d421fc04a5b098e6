//! How long may less urgent work delay a job that shares resources?
//!
//! Every bound reads one neutral input, [`Sharing`]: each task's period, cluster and preemption level, and for each
//! resource how often one of its jobs requests it and how long it then holds it at most. [`derive`](derive()) reads it off the
//! tasks' programs. Bounds that count other tasks' requests in an interval also need bounds on response times:
//! see [`Sharing::jobs_within`]. A bound gives [`Terms`] for each task, in the unit of the input (nanoseconds, for
//! programs). Sums saturate: a term of `u64::MAX` means that nothing is bounded.

pub mod derive;
pub mod sharing;
pub mod terms;

pub use derive::{derive, Sections};
pub use sharing::{Request, Sharer, Sharing, SharingError};
pub use terms::Terms;
