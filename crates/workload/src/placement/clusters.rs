//! Clusters as groups of processors: tasks are placed on processors first, then neighbours are joined.
//!
//! The end of section 3.3 of chronos-scalability-2011: with two quad-core processors and two clusters, the
//! tasks of cores 0 to 3 go to cluster A, those of cores 4 to 7 to cluster B.

use super::Placement;
use schedlab_model::{Cluster, ClusterId, Platform, Task, TaskId};

/// Which task belongs to which cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    /// The tasks of each cluster: those of its processors one after the other, in the order of placement.
    pub bins: Vec<Vec<TaskId>>,
}

impl Clusters {
    /// Joins the processors of each cluster of `platform`.
    ///
    /// Panics if the platform has a processor that the placement does not know.
    pub fn grouping(placement: &Placement, platform: &Platform) -> Self {
        let of = |cluster: &Cluster| {
            cluster.cpus.iter().flat_map(|cpu| placement.bins[cpu.index()].iter().copied()).collect()
        };
        Clusters { bins: platform.clusters.iter().map(of).collect() }
    }

    /// Puts each placed task into its cluster; tasks on no processor stay as they are.
    pub fn assign(&self, tasks: &mut [Task]) {
        for (cluster, bin) in self.bins.iter().enumerate() {
            for task in bin {
                tasks[task.index()].cluster = ClusterId(cluster as u16);
            }
        }
    }
}
