//! Placement by the first of several ways that leaves no task over: on single processors, whose neighbours clustered
//! schedulers join, then in clusters as wholes.

use super::{Bins, Packing, Pin, PlacementError, TaskPlaces};
use schedlab_model::{ClusterId, CpuId, Platform, Task, TaskId};

/// The ways in which a task set may be placed.
#[derive(Clone, Copy, Debug)]
pub struct PlacementWays {
    /// The packing that is tried first.
    pub named: Packing,
    /// The packing that is tried last, if tasks are left over.
    pub filling: Option<Packing>,
    /// True if clusters as wholes may take what single processors leave over.
    pub whole: bool,
}

/// Tasks placed on processors, or in clusters.
#[derive(Clone, Debug)]
pub struct InBins {
    /// The tasks of each bin.
    pub placed: TaskPlaces,
    /// True if each bin is a cluster, false if it is a processor.
    pub are_clusters: bool,
}

impl PlacementWays {
    /// Packs `tasks` by the first of the ways that leaves no task over, or else returns the best effort of `named`.
    ///
    /// Tasks are placed on processors first, then in clusters as wholes, which may have room where no processor has.
    pub fn place(&self, tasks: &[Task], platform: &Platform, pins: &[Pin]) -> Result<InBins, PlacementError> {
        let by = |packing: Packing, are_clusters: bool| {
            let bins = match are_clusters {
                true => Bins::Clusters(&platform.clusters),
                false => Bins::Processors(platform.processors()),
            };
            Ok(InBins { placed: packing.place_pinned(tasks, bins, pins)?, are_clusters })
        };
        let on_processors = by(self.named, false)?;
        if on_processors.placed.fits() {
            return Ok(on_processors);
        }
        let best_effort = if self.whole { by(self.named, true)? } else { on_processors };
        match self.filling {
            Some(filling) if !best_effort.placed.fits() => {
                let filled = by(filling, self.whole)?;
                Ok(if filled.placed.fits() { filled } else { best_effort })
            }
            Some(_) | None => Ok(best_effort),
        }
    }
}

impl InBins {
    /// Returns the cluster of a bin.
    pub fn cluster_of(&self, bin: usize, platform: &Platform) -> ClusterId {
        let bin = bin as u16;
        if self.are_clusters {
            ClusterId(bin)
        } else {
            platform.cluster_of(CpuId(bin))
        }
    }

    /// Returns the tasks of each cluster, in the order of their ids.
    pub fn by_cluster(&self, platform: &Platform) -> Vec<Vec<TaskId>> {
        let mut clusters = vec![Vec::new(); platform.clusters.len()];
        for (bin, tasks) in self.placed.bins.iter().enumerate() {
            clusters[self.cluster_of(bin, platform).index()].extend_from_slice(tasks);
        }
        clusters.iter_mut().for_each(|tasks| tasks.sort_unstable());
        clusters
    }
}
