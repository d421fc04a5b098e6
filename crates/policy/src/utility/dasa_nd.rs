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
use super::{Candidate, UtilityKind};

/// Picks the densest jobs that fit, and fills the queue of the first processor.
pub const DASA_ND: UtilityKind = UtilityKind {
    description: "by termination time, of the densest jobs that are in time together",
    decide: |now, jobs, queues, memory| {
        sort(jobs, Candidate::by_density, &mut memory.sorted);
        let (begin, queue) = queues.of(0, now);
        for job in &memory.sorted {
            insert_if_feasible(begin, jobs, queue, *job);
        }
    },
    preemptive: true,
    is_work_conserving: false,
    follows_holders: false,
};
