//! Highest value density first (HVDF): C. D. Locke, "Best-effort decision making for real-time scheduling", CMU 1986.
//!
//! Run the densest ready jobs, one on each processor, whether or not they can be in time. O(n log n) for n ready jobs.
//!
//! Three jobs at 0, as (remaining, termination, utility): A (4, 5, 10), B (2, 6, 12), C (3, 9, 3). The densities are
//! 2.5, 6 and 1, and each could be in time alone.
//!
//! ```text
//! P0  BBCCC....
//! ```
//!
//! At 2, A could not be complete before 6: it has no density any more, and is given up at 5. EDF would run A, B and C,
//! and all would be in time.

use super::queues::sort;
use super::{Candidate, UtilityKind};

/// Each processor runs one of the densest jobs.
pub const HVDF: UtilityKind = UtilityKind {
    description: "the highest utility density goes first",
    decide: |_, jobs, queues, memory| {
        sort(jobs, Candidate::by_density, &mut memory.sorted);
        for (queue, job) in queues.free().zip(&memory.sorted) {
            queue.push(*job);
        }
    },
    preemptive: true,
    is_work_conserving: true,
    follows_holders: false,
};
