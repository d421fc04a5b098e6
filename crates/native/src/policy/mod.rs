//! Policies written in Python, used as any other policy.

mod adapter;
mod decisions;
mod views;

pub(crate) use adapter::{scheduler_of, Raised};
pub(crate) use decisions::PyDecisions;
pub(crate) use views::{PyEvent, PyJob, PyJobId, PyJobs};
