//! Clusters as groups of processors: tasks are placed on processors first, then neighbours are joined.
//!
//! The end of section 3.3 of chronos-scalability-2011: with two quad-core processors and two clusters, the
//! tasks of cores 0 to 3 go to cluster A, those of cores 4 to 7 to cluster B.

use super::Placement;
use schedlab_model::{ClusterId, Task, TaskId};

/// Which task belongs to which cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    /// The tasks of each cluster: those of its processors one after the other, in the order of placement.
    pub bins: Vec<Vec<TaskId>>,
}

impl Clusters {
    /// Joins each `size` processors that follow each other; the last cluster may be smaller, as in
    /// `Platform::clustered`. Panics if `size` is zero.
    pub fn grouping(placement: &Placement, size: u16) -> Self {
        assert!(size > 0, "a cluster has processors");
        Clusters { bins: placement.bins.chunks(size.into()).map(|cpus| cpus.concat()).collect() }
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
