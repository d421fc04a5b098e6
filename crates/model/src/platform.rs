//! The machine: processors, clusters, quanta.

use crate::caches::SharedCache;
use crate::ids::{ClusterId, CpuId};
use crate::time::{Duration, Instant};
use alloc::vec::Vec;

/// Alignment of the processors' quantum boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// All processors reach their boundaries at the same time.
    #[default]
    Aligned,
    /// Boundaries are spread evenly: processor k of M is floor(k*Q/M) ns late.
    Staggered,
}

/// Time at which an arrival is noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReleasePoint {
    /// An arrival is noticed at once, by a timer.
    #[default]
    Timer,
    /// An arrival is noticed at the first tick of the task's releasing processor at or after it.
    Tick,
}

/// Processors that share one ready queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Processors of the cluster, in rising order, at least one.
    pub cpus: Vec<CpuId>,
}

/// The machine of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// The clusters; each processor is in exactly one.
    pub clusters: Vec<Cluster>,
    /// Length of the quantum, which is also the distance of ticks. Positive.
    pub quantum: Duration,
    /// Alignment of quantum boundaries.
    pub alignment: Alignment,
    /// Time at which arrivals are noticed.
    pub releases: ReleasePoint,
    /// Caches that processors share; empty if unknown.
    pub caches: Vec<SharedCache>,
}

impl Platform {
    /// The quantum of LITMUS^RT, and the default of scenarios.
    pub const DEFAULT_QUANTUM: Duration = Duration::from_ms(1);

    /// `processors` processors in clusters of `cluster_size`; the last may be smaller.
    ///
    /// Panics if either is zero.
    pub fn clustered(processors: u16, cluster_size: u16) -> Self {
        assert!(processors > 0 && cluster_size > 0, "a platform has processors, a cluster too");
        let cpus: Vec<CpuId> = (0..processors).map(CpuId).collect();
        let clusters = cpus.chunks(cluster_size.into()).map(|part| Cluster { cpus: part.to_vec() }).collect();
        Platform {
            clusters,
            quantum: Self::DEFAULT_QUANTUM,
            alignment: Alignment::default(),
            releases: ReleasePoint::default(),
            caches: Vec::new(),
        }
    }

    /// One cluster of all processors.
    pub fn global(processors: u16) -> Self {
        Self::clustered(processors, processors)
    }

    /// One cluster per processor.
    pub fn partitioned(processors: u16) -> Self {
        Self::clustered(processors, 1)
    }

    /// Returns the longest time that a release may wait to be noticed.
    pub fn release_delay(&self) -> Duration {
        match self.releases {
            ReleasePoint::Timer => Duration::ZERO,
            ReleasePoint::Tick => self.quantum,
        }
    }

    /// Number of processors.
    pub fn processors(&self) -> u16 {
        self.clusters.iter().map(|cluster| cluster.cpus.len() as u16).sum()
    }

    /// The cluster that holds `cpu`. Panics if there is none.
    pub fn cluster_of(&self, cpu: CpuId) -> ClusterId {
        let index = self.clusters.iter().position(|cluster| cluster.cpus.contains(&cpu));
        ClusterId(index.expect("each processor is in a cluster") as u16)
    }

    /// Returns how much later than processor 0 `cpu` reaches its quantum boundaries.
    pub fn quantum_offset(&self, cpu: CpuId) -> Duration {
        match self.alignment {
            Alignment::Aligned => Duration::ZERO,
            Alignment::Staggered => {
                let scaled = u128::from(cpu.0) * u128::from(self.quantum.as_ns());
                Duration::from_ns((scaled / u128::from(self.processors())) as u64)
            }
        }
    }

    /// The first quantum boundary of `cpu` at or after `at`.
    pub fn next_boundary(&self, cpu: CpuId, at: Instant) -> Instant {
        let (offset, quantum) = (self.quantum_offset(cpu).as_ns(), self.quantum.as_ns());
        let since = at.as_ns().saturating_sub(offset);
        Instant::from_ns(offset + since.div_ceil(quantum) * quantum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_cluster_may_be_smaller() {
        let platform = Platform::clustered(5, 2);
        let sizes: Vec<usize> = platform.clusters.iter().map(|c| c.cpus.len()).collect();
        assert_eq!(sizes, [2, 2, 1]);
        assert_eq!(platform.cluster_of(CpuId(4)), ClusterId(2));
        assert_eq!(platform.processors(), 5);
    }

    /// litmus-rt-2006, section 3.1: with a quantum of 1 ms and four processors, some processor
    /// reaches a boundary every 250 us.
    #[test]
    fn staggered_boundaries_are_spread_evenly() {
        let platform = Platform { alignment: Alignment::Staggered, ..Platform::global(4) };
        let first = |cpu| platform.next_boundary(CpuId(cpu), Instant::from_ns(1)).as_ns();
        assert_eq!([first(0), first(1), first(2), first(3)], [1_000_000, 250_000, 500_000, 750_000]);
        assert_eq!(platform.next_boundary(CpuId(1), Instant::from_ns(250_001)).as_ns(), 1_250_000);
    }
}
