//! How are ready jobs ordered? Each file is an answer.
//!
//! An order maps a job to its priority point; smaller is more urgent, and ties are broken by job id.

mod dm;
mod edf;
mod fifo;
mod fl;
mod fp;
mod gel;
mod rm;

pub use dm::DM;
pub use edf::EDF;
pub use fifo::FIFO;
pub use fl::FL;
pub use fp::FP;
pub use gel::GEL;
pub use rm::RM;

use schedlab_model::{Job, Task};

/// An order of jobs that does not change while a job is live.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Its name in schedulers' names.
    pub name: &'static str,
    /// The priority point of a job of a task, in a cluster of so many processors: smaller is more urgent. At most 2^62 - 1.
    pub point: fn(&Job, &Task, u32) -> u64,
}

/// Every order. A new one is one file and one line here.
pub const ALL: &[Order] = &[EDF, RM, DM, FP, FIFO, FL, GEL];
