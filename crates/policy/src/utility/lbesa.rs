//! Locke's best-effort scheduling algorithm (LBESA), for one processor: C. D. Locke, CMU 1986, and J. D. Northcutt,
//! "Mechanisms for reliable distributed real-time operating systems: the Alpha kernel", Academic Press 1987.
//!
//! Begin with all ready jobs by termination time. While they are not feasible, remove the one of the least density. Run
//! the first that is left. The paper takes O(n^2) for n ready jobs; here it is O(n log n) (`queues::shed`). A schedule
//! that is feasible at once costs a sort and one pass.
//!
//! Three jobs at 0, as (remaining, termination, utility): A (4, 5, 10), B (3, 6, 12), C (3, 9, 30). A is removed, the
//! least dense one; B and C are in time.
//!
//! ```text
//! P0  BBBCCC
//! ```
//!
//! If a dense job is what makes the others late, all jobs of lower density go before it does: DASA-ND keeps them.

use super::queues::{rank, shed, sort};
use super::{Candidate, UtilityKind};

/// All jobs by termination time, less those of the least density. It fills the queue of the first processor.
pub const LBESA: UtilityKind = UtilityKind {
    description: "by termination time, without the least dense jobs until the others are in time",
    decide: |now, jobs, queues, memory| {
        sort(jobs, Candidate::by_density, &mut memory.sorted);
        rank(jobs, &memory.sorted, &mut memory.ranks);
        let (begin, queue) = queues.of(0, now);
        sort(jobs, Candidate::by_termination, queue);
        shed(begin, jobs, &memory.ranks, queue);
    },
    preemptive: true,
    is_work_conserving: false,
    follows_holders: false,
};
