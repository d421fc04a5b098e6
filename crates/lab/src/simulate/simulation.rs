//! Simulations of a prepared scenario.

use crate::prepare::error::PrepareError;
use crate::prepare::prepared::Prepared;
use schedlab_lock::LockProtocol;
use schedlab_model::Instant;
use schedlab_policy::{Clustered, Make, Policy};
use schedlab_report::deadlock::Deadlocks;
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_sim::{simulate_by_pointers, simulate_within, NoLocks, Summary, Workspace};
use schedlab_trace::Sink;

/// Measures of a run that has no trace.
#[derive(Default)]
pub struct Measures {
    /// Metrics such as response times, lateness and preemptions.
    pub metrics: Metrics,
    /// Deadlocks: jobs that wait for each other in a circle.
    pub deadlocks: Deadlocks,
    /// A checker of invariants; `None` if they are not checked.
    pub checker: Option<Checker>,
}

impl Prepared {
    /// Simulates until the horizon and writes the trace to `sink`. Calls `watch` from time to time, which returns
    /// whether to go on.
    pub fn simulate(
        &self,
        mut sink: impl Sink,
        watch: &mut dyn FnMut(Instant) -> bool,
    ) -> Result<Summary, PrepareError> {
        let (policies, locks, source) = (self.policies()?, self.locks_if_shared()?, self.source()?);
        Ok(simulate_by_pointers(self.setup(), policies, locks, source, &mut sink, watch))
    }

    /// Simulates until the horizon as [`Prepared::simulate`], into `measures`, with memory that a run before has left.
    pub fn measure(
        &self,
        measures: &mut Measures,
        workspace: &mut Workspace,
        watch: &mut dyn FnMut(Instant) -> bool,
    ) -> Result<Summary, PrepareError> {
        let Measures { metrics, deadlocks, checker } = measures;
        self.simulate_within(workspace, ((metrics, deadlocks), checker), watch)
    }

    /// Simulates until the horizon as [`Prepared::simulate`], with the same trace, but faster: compiled for this kind
    /// of sink, with memory that a run before has left. For long runs, and for many.
    pub fn simulate_within(
        &self,
        workspace: &mut Workspace,
        sink: impl Sink,
        watch: &mut dyn FnMut(Instant) -> bool,
    ) -> Result<Summary, PrepareError> {
        match self.scheduler.make {
            Make::Clustered { order, preemptive } => {
                let policies = self.for_each_cluster(|setup| Clustered::new(order, preemptive, setup));
                self.under(policies, workspace, sink, watch)
            }
            Make::Pfair { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => {
                self.under(self.policies()?, workspace, sink, watch)
            }
        }
    }

    fn under<P: Policy>(
        &self,
        policies: Vec<P>,
        workspace: &mut Workspace,
        sink: impl Sink,
        watch: &mut dyn FnMut(Instant) -> bool,
    ) -> Result<Summary, PrepareError> {
        let (locks, source) = (self.locks_if_shared()?, self.source()?);
        Ok(simulate_within(workspace, self.setup(), policies, locks, source, sink, watch))
    }

    /// Makes the locking protocol, or none if there are no resources: the protocol then need not suit the tasks.
    pub(crate) fn locks_if_shared(&self) -> Result<Box<dyn LockProtocol>, PrepareError> {
        if self.resources.is_empty() {
            return Ok(Box::new(NoLocks));
        }
        self.locks()
    }
}
