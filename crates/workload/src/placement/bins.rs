//! Bins in which tasks are placed: processors, or clusters of them.

use schedlab_model::{Cluster, CpuId};

/// Bins for tasks. A cluster is as full as the weights of its tasks, spread evenly over its processors.
#[derive(Clone, Copy, Debug)]
pub enum Bins<'a> {
    /// Single processors, as many as the number says.
    Processors(u16),
    /// Clusters, each as a whole.
    Clusters(&'a [Cluster]),
}

impl From<u16> for Bins<'_> {
    fn from(processors: u16) -> Self {
        Bins::Processors(processors)
    }
}

impl Bins<'_> {
    /// Returns the number of bins.
    pub(super) fn count(self) -> usize {
        match self {
            Bins::Processors(processors) => processors.into(),
            Bins::Clusters(clusters) => clusters.len(),
        }
    }

    /// Returns the bin of a processor, if there is such a processor.
    pub(super) fn of(self, cpu: CpuId) -> Option<usize> {
        match self {
            Bins::Processors(processors) => (cpu.0 < processors).then_some(cpu.index()),
            Bins::Clusters(clusters) => clusters.iter().position(|cluster| cluster.cpus.contains(&cpu)),
        }
    }

    /// A task's weight, spread over the processors of bin `index`.
    pub(super) fn spread(self, index: usize, (numerator, denominator): (u64, u64)) -> (u64, u64) {
        match self {
            Bins::Processors(_) => (numerator, denominator),
            // Beyond 64 bits, which no scenario's periods reach, the weight counts as a little more.
            Bins::Clusters(clusters) => {
                (numerator, denominator.saturating_mul(clusters[index].cpus.len() as u64))
            }
        }
    }
}
