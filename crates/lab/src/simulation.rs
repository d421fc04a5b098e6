//! Simulating a scenario.

use crate::error::PrepareError;
use crate::prepared::Prepared;
use schedlab_lock::LockProtocol;
use schedlab_model::Instant;
use schedlab_policy::{Clustered, Make, Policy};
use schedlab_sim::{simulate_watched, NoLocks, Summary};
use schedlab_trace::Sink;

impl Prepared {
    /// Simulates until the horizon. `watch` is asked from time to time whether to go on.
    pub fn simulate(
        &self,
        sink: impl Sink,
        watch: &mut dyn FnMut(Instant) -> bool,
    ) -> Result<Summary, PrepareError> {
        match self.scheduler.make {
            Make::Clustered { order, preemptive } => {
                let policies = self.for_each_cluster(|setup| Clustered::new(order, preemptive, setup));
                self.simulate_policies(policies, sink, watch)
            }
            Make::Other(_) | Make::Kernel(_) => self.simulate_policies(self.policies()?, sink, watch),
        }
    }

    /// As [`Prepared::simulate`], under these policies, one for each cluster.
    pub fn simulate_policies<P: Policy>(
        &self,
        policies: Vec<P>,
        sink: impl Sink,
        watch: &mut dyn FnMut(Instant) -> bool,
    ) -> Result<Summary, PrepareError> {
        if self.resources.is_empty() {
            return self.run(policies, NoLocks, sink, watch);
        }
        self.run(policies, self.locks()?, sink, watch)
    }

    fn run<P: Policy, L: LockProtocol>(
        &self,
        policies: Vec<P>,
        locks: L,
        sink: impl Sink,
        watch: &mut dyn FnMut(Instant) -> bool,
    ) -> Result<Summary, PrepareError> {
        Ok(simulate_watched(self.setup(), policies, locks, self.source()?, sink, watch))
    }
}
