//! What a policy is made for, and what may be wrong with it.

mod affinity;
mod error;
mod supertask;
mod throttling;
mod weight;

pub use affinity::Affinity;
pub use error::SetupError;
pub use supertask::{ComponentScheduling, Supertask, SupertaskError};
pub use throttling::Throttling;
pub use weight::{Weight, WeightError};

use schedlab_model::{ClusterId, CpuId, Platform, Task};

/// What a policy is made for: one cluster of a platform.
#[derive(Clone, Copy, Debug)]
pub struct ClusterSetup<'a> {
    /// Which cluster.
    pub cluster: ClusterId,
    /// Its processors.
    pub cpus: &'a [CpuId],
    /// The whole machine.
    pub platform: &'a Platform,
    /// The tasks of the scenario, those of other clusters included.
    pub tasks: &'a [Task],
    /// How chosen tasks are assigned to processors. Only Pfair policies read it.
    pub affinity: Affinity,
    /// Tasks that compete as one. Only Pfair policies read it; for the others their components are tasks like any.
    pub supertasks: &'a [Supertask],
    /// How much of each period a processor may run threads. Only the model of `SCHED_FIFO` reads it.
    pub throttling: Option<Throttling>,
}
