//! Programs of one's own as real-time tasks: a scenario says what the tasks are, the program what they do.
//!
//! `examples/camera.rs` is a small program.

#![forbid(unsafe_code)]

mod app;
mod error;
pub mod fair_server;
pub mod kernel_trace;
pub mod lanes;
pub mod system;
pub mod trace;
pub mod whole_file;

pub use app::{App, Finished};
pub use error::AppError;
pub use schedlab_model::{Duration, Instant, ResourceId, TaskId, Work};
pub use schedlab_runtime::{each_job, Body, Context, Ending, Options, SharedObject};
pub use schedlab_scenario::{Scenario, TaskSpec};
