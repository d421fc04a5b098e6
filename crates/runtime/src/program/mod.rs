//! Scenarios, and programs of one's own, as real-time tasks: a scenario says what the tasks are, code what they do.

#![forbid(unsafe_code)]

mod app;
pub mod by_kernel;
mod error;
pub mod fair_server;
pub mod findings;
pub mod kernel_trace;
pub mod lanes;
pub mod results;
pub mod system;
pub mod trace;
pub mod whole_file;
pub mod workload;

pub use app::{App, Finished};
pub use error::AppError;
