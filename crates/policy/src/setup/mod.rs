//! Input from which a policy is made, and the errors in it.

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

/// Input from which a policy is made: one cluster of a platform.
#[derive(Clone, Copy, Debug)]
pub struct ClusterSetup<'a> {
    /// Id of the cluster.
    pub cluster: ClusterId,
    /// Processors of the cluster.
    pub cpus: &'a [CpuId],
    /// The whole machine.
    pub platform: &'a Platform,
    /// The tasks of the scenario, those of other clusters included.
    pub tasks: &'a [Task],
    /// Rule that assigns chosen tasks to processors. Only Pfair policies read it.
    pub affinity: Affinity,
    /// Tasks that compete as one. Only Pfair policies read it; other policies treat the components as ordinary tasks.
    pub supertasks: &'a [Supertask],
    /// Part of each period in which a processor may run threads. Only the model of `SCHED_FIFO` reads it.
    pub throttling: Option<Throttling>,
}
