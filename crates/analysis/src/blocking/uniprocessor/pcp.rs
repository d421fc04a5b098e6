//! Priority ceilings on one processor: a job is blocked at most once.
//!
//! L. Sha, R. Rajkumar and J. Lehoczky, *Priority inheritance protocols*, IEEE Transactions on Computers 39(9), 1990,
//! Theorem 12, for the priority ceiling protocol; the same bound holds for immediate ceilings (the highest locker) and,
//! with preemption levels, for the stack resource policy with mutexes: the longest section of a less urgent task whose
//! ceiling is at least as urgent as the job.
//!
//! Assumes one processor in each cluster and resources used in one cluster only. Nested sections count
//! as sections of their own.

use crate::blocking::candidates::longest_by_ceiling;
use crate::blocking::{Sharing, Terms};
use crate::steps::{Unwatched, Watch};

/// By task: the longest section that blocks.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    watched(sharing, &mut Unwatched)
}

/// Returns what [`bounds`] does, while `watch` watches.
pub(crate) fn watched(sharing: &Sharing, watch: &mut impl Watch) -> Vec<Terms> {
    longest_by_ceiling(sharing, watch).into_iter().map(|longest| Terms::new(0, longest)).collect()
}
