//! Least laxity first, with a quantum: A. K. Mok, *Fundamental design problems of distributed systems for the
//! hard-real-time environment*, Ph.D. thesis, MIT, 1983; M. L. Dertouzos and A. K. Mok, *Multiprocessor on-line
//! scheduling of hard-real-time tasks*, IEEE Transactions on Software Engineering 15(12), 1989.
//!
//! The job of the least laxity goes first. Waiting jobs become more urgent than executing ones again and again: taken
//! literally, two jobs of equal laxity would share a processor in steps as short as the clock allows. Laxities are
//! therefore compared only when jobs arrive or complete, and at the boundaries of the platform's quantum, counted from
//! time zero, while a job waits. A decision takes O(n log n) for n ready jobs.
//!
//! Two jobs of cost 2 and deadline 6 on one processor with a quantum of 1, by hand from the rules. The job that waited
//! has the least laxity at each boundary:
//!
//! ```text
//! P0  ABAB
//! ```

use super::policy::{Laxity, LaxityRule};
use schedlab_model::Instant;

/// By laxity, at quantum boundaries, arrivals and completions.
pub(crate) const LLF: LaxityRule = LaxityRule {
    urgency: |Laxity(rest), _, _| (rest, 0),
    next: |ranked| {
        let quantum = ranked.quantum.as_ns().max(1);
        let passed = ranked.now.as_ns() / quantum;
        (passed + 1).checked_mul(quantum).map(Instant::from_ns)
    },
};
