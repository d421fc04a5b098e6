//! Earliest deadline until zero laxity: S. K. Lee, *On-line multiprocessor scheduling algorithms for real-time tasks*,
//! TENCON 1994; S. Cho, S.-K. Lee, S. Ahn and K.-J. Lin, *Efficient real-time scheduling algorithms for multiprocessor
//! systems*, IEICE Transactions on Communications E85-B(12), 2002.
//!
//! Jobs go by absolute deadline, but a job whose laxity is zero goes before all that have some: it would be late
//! otherwise. The policy decides when jobs arrive and complete, and when a waiting job's laxity falls to zero. A
//! decision takes O(n log n) for n ready jobs, and there are at most two for each job.
//!
//! Three tasks of cost 2 and period 3 on two processors, by hand from the rules. At 1 the laxity of C is zero, so that
//! B gives way; at 2 B has no laxity either. Global EDF misses the deadline of C:
//!
//! ```text
//! EDZL     P0  AAB     EDF  P0  AAC
//!          P1  BCC          P1  BB.
//! ```

use super::policy::{Laxity, LaxityRule};

/// By absolute deadline, after jobs without laxity.
pub(crate) const EDZL: LaxityRule = LaxityRule {
    urgency: |laxity, job, _| match laxity {
        Laxity(rest) if rest <= 0 => (0, job.absolute_deadline.as_ns()),
        Laxity(_) => (1, job.absolute_deadline.as_ns()),
    },
    // The urgency of a waiting job without laxity does not change.
    next: |ranked| ranked.now.checked_add(ranked.least_laxity_of_waiting()?),
};
