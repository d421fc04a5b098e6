//! Modified least laxity first: S.-H. Oh and S.-M. Yang, *A modified least-laxity-first scheduling algorithm for
//! real-time tasks*, RTCSA 1998.
//!
//! Under LLF, jobs of nearly equal laxity take a processor from each other in turn. MLLF lets the job that executes go
//! on as long as no other one can be late for it. On one processor, at arrivals, at completions, and when the time of
//! step 3 is over:
//!
//! 1. The job a of the least laxity L executes; of several, the one of the earliest deadline; ties then by job id.
//! 2. Let D be the time to the first deadline of the jobs that wait.
//! 3. Job a goes on for D - L at most, unless it completes before.
//!
//! If all deadlines can be met on one processor, the jobs that are due before job a need at most L together, because a
//! itself needs all the time to its deadline but L. The first of them is due in D, the others later, so that they can
//! all begin when L is left until then. If none is due before a, it completes first. So all deadlines are met that can
//! be met, as the authors say; `schedlab_analysis::theorem::mllf` shows it. Since the job that is due first has a
//! laxity of at least L, D - L is at least what that job has still to execute; if it is beyond its WCET and D - L is
//! zero, the next arrival or completion decides.
//!
//! Of the paper, only the abstract was at hand: the steps are those that public programs call by its name. They are for
//! one processor. On m processors, the m jobs of the least laxities execute, and L is the greatest of these, as in
//! SimSo's `MLLF`, which takes for D the deadline of the waiting job of the least laxity. Nothing is proved of more
//! than one processor. A decision takes O(n) for n ready jobs.
//!
//! Costs and periods (5, 9) for A and (2, 8) for B on one processor, by hand from the rules. The laxities are 4 and 6,
//! so that A goes on for 8 - 4. LLF with a quantum of 1 preempts three times:
//!
//! ```text
//! MLLF  P0  AAAABBA     LLF  P0  AAABABA
//! ```
//!
//! Costs and relative deadlines (4, 6) for A, (4, 7) for B and (2, 6) for C on two processors. The laxities are 2, 3
//! and 4, so that B goes on for 6 - 3:
//!
//! ```text
//! MLLF  P0  AAAAB
//!       P1  BBBCC
//! ```

use super::policy::{Laxity, LaxityRule};
use schedlab_model::Instant;

/// By laxity, then by absolute deadline.
pub(crate) const MLLF: LaxityRule = LaxityRule {
    urgency: |Laxity(rest), job, _| (rest, job.absolute_deadline.as_ns()),
    next: |ranked| {
        let due = i128::from(ranked.first_deadline_of_waiting()?.as_ns());
        let then = u64::try_from(due - ranked.greatest_laxity_of_chosen()?).ok()?;
        Some(then).filter(|then| *then > ranked.now.as_ns()).map(Instant::from_ns)
    },
};
