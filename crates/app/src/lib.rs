//! Programs of one's own as real-time tasks: a scenario says what the tasks are, the program what they do.
//!
//! ```no_run
//! use schedlab_app::{each_job, App, Duration, TaskSpec, Work};
//!
//! let mut app = App::new("P-EDF", "msrp", 2)?;
//! let buffer = app.resource("buffer");
//! let ms = 1_000_000;
//! let camera = TaskSpec::new("camera", Work::from_ns(2 * ms), Duration::from_ns(10 * ms));
//! let camera = app.task(camera, each_job(move |job| {
//!     job.lock(buffer);
//!     // ... for at most 100 microseconds
//!     job.unlock(buffer);
//! }));
//! app.uses(camera, buffer, Work::from_ns(100_000))?;
//! let finished = app.run(Some(Duration::from_ns(5_000 * ms)))?;
//! println!("{} jobs, {} late", finished.outcome.summary.jobs_completed, finished.outcome.summary.jobs_missed);
//! # Ok::<(), schedlab_app::AppError>(())
//! ```

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
