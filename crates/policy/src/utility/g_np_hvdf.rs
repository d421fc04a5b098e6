//! Global non-preemptive highest value density first (G-NP-HVDF), as chronos-scalability-2011 runs it on 16 processors.
//!
//! A processor that is idle takes the densest ready job that has not begun. A job that has begun keeps its processor.
//! O(n log n) for n ready jobs.
//!
//! Three jobs at 0, as (remaining, termination, utility): A (4, 9, 4), B (2, 9, 6), C (3, 9, 3), on two processors. The
//! densities of A and C are equal: the lower job id goes first. At 1, D (1, 2, 9) arrives, the densest of all. Both
//! processors are busy until its termination time, when it is given up.
//!
//! ```text
//! P0  BBCCC
//! P1  AAAA.
//! ```

use super::{Algorithm, Candidate, Hvdf, Queues, UtilityKind};
use alloc::boxed::Box;
use schedlab_model::Instant;

/// For schedulers.
pub(crate) const KIND: UtilityKind = UtilityKind {
    description: "the highest utility density goes first; a job that has started is not preempted",
    algorithm: |jobs, _| Box::new(GNpHvdf::new(jobs)),
    preemptive: false,
    is_work_conserving: true,
    follows_holders: false,
};

/// The densest of the jobs that have not begun, one for each queue: those of idle processors take their heads.
#[derive(Clone, Debug)]
pub struct GNpHvdf(Hvdf);

impl GNpHvdf {
    /// For up to so many jobs.
    pub fn new(jobs: usize) -> Self {
        GNpHvdf(Hvdf::new(jobs))
    }
}

impl Algorithm for GNpHvdf {
    fn decide(&mut self, now: Instant, jobs: &[Candidate], queues: &mut Queues) {
        self.0.decide(now, jobs, queues);
    }
}
