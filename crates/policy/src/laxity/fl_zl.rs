//! Fair lateness until zero laxity: the priority points of J. P. Erickson and J. H. Anderson, *Fair lateness
//! scheduling: reducing maximum lateness in G-EDF-like scheduling*, ECRTS 2012, with the rule of EDZL for jobs without
//! laxity.
//!
//! SimSo has the combination under the name `G_FL_ZL`. On m processors jobs go by arrival + D - (m - 1)/m C, as under
//! `G-FL`, but a job whose laxity is zero goes before all that have some, the earliest absolute deadline first. On one
//! processor it is EDZL. The policy decides when jobs arrive and complete, and when a waiting job's laxity falls to
//! zero. A decision takes O(n log n) for n ready jobs, and there are at most two for each job. No test speaks of its
//! deadlines.
//!
//! Costs and periods (1, 4) for A, (2, 6) for B and (5, 7) for C on two processors, by hand from the rules. The points
//! are 3.5, 5 and 4.5, so that C goes before B, unlike under EDZL:
//!
//! ```text
//! G-FL-ZL  P0  ABB.A.     EDZL  P0  ACCCCC
//!          P1  CCCCC.           P1  BB..A.
//! ```
//!
//! Three tasks of cost 2 and period 3 have equal points. At 1 the laxity of C is zero, so that B gives way. G-FL misses
//! the deadline of C:
//!
//! ```text
//! G-FL-ZL  P0  AAB     G-FL  P0  AAC
//!          P1  BCC           P1  BB.
//! ```

use super::policy::{Laxity, LaxityRule};

/// By the point of fair lateness, after jobs without laxity.
pub(crate) const FL_ZL: LaxityRule = LaxityRule {
    urgency: |laxity, job, processors| match laxity {
        Laxity(rest) if rest <= 0 => (-1, job.absolute_deadline.as_ns()),
        Laxity(_) => {
            // Times m, so that points are whole numbers.
            let m = i128::from(processors.max(1));
            let point =
                m * i128::from(job.absolute_deadline.as_ns()) - (m - 1) * i128::from(job.wcet.as_ns());
            (point.max(m * i128::from(job.arrival.as_ns())), 0)
        }
    },
    // The urgency of a waiting job without laxity does not change.
    next: |ranked| ranked.now.checked_add(ranked.least_laxity_of_waiting()?),
};
