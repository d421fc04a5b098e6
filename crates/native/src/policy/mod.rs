//! A policy written in Python, as any other policy.

mod adapter;
mod decisions;
mod views;

pub use adapter::{scheduler_of, Failure};
pub use decisions::PyDecisions;
pub use views::{PyEvent, PyJob, PyJobId, PyJobs};
