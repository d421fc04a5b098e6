//! Dependent activity scheduling without dependencies (DASA-ND), for one processor: R. K. Clark, "Scheduling dependent
//! real-time activities", CMU-CS-90-155, 1990.
//!
//! Begin with an empty schedule. Take the ready jobs by falling density. Put each into the schedule in the order of
//! termination times, and take it out again if the schedule is not feasible then. Run the first. O(n^2) for n
//! ready jobs.
//!
//! Two jobs at 0, as (remaining, termination, utility): A (5, 4, 20), B (2, 6, 2). A is the densest and cannot be in
//! time.
//!
//! ```text
//! P0  BB....
//! ```
//!
//! LBESA removes B first, then A, and idles.

use super::queues::{insert_if_feasible, sort};
use super::{Algorithm, Candidate, Queues, UtilityKind};
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// For schedulers.
pub(crate) const KIND: UtilityKind = UtilityKind {
    description: "by termination time, of the densest jobs that are in time together",
    algorithm: |jobs, _| Box::new(DasaNd::new(jobs)),
    preemptive: true,
    is_work_conserving: false,
    follows_holders: false,
};

/// The densest jobs that fit. It fills the queue of the first processor.
#[derive(Clone, Debug)]
pub struct DasaNd {
    by_density: Vec<u32>,
}

impl DasaNd {
    /// For up to so many jobs.
    pub fn new(jobs: usize) -> Self {
        DasaNd { by_density: Vec::with_capacity(jobs) }
    }
}

impl Algorithm for DasaNd {
    fn decide(&mut self, now: Instant, jobs: &[Candidate], queues: &mut Queues) {
        sort(jobs, Candidate::by_density, &mut self.by_density);
        let (begin, queue) = queues.of(0, now);
        for job in &self.by_density {
            insert_if_feasible(begin, jobs, queue, *job);
        }
    }
}
