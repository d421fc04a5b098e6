//! Non-preemptive critical sections on one processor: a job is blocked at most once, by any section.
//!
//! A. Mok, *Fundamental design problems of distributed systems for the hard-real-time environment*, dissertation, MIT
//! 1983: the longest section of a less urgent task, whichever task uses the resource.
//!
//! Assumes one processor in each cluster and resources used in one cluster only. Nested sections count as sections of
//! their own.

use crate::blocking::candidates::{longest, of_less_urgent};
use crate::blocking::{Requests, Sharing, Terms};
use crate::steps::{Unwatched, Watch};

/// By task: the longest section of less urgent tasks.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    watched(sharing, &mut Unwatched)
}

/// Returns what [`bounds`] does, while `watch` watches.
pub(crate) fn watched(sharing: &Sharing, watch: &mut impl Watch) -> Vec<Terms> {
    let of = |task: usize| {
        Terms::new(0, longest(task, of_less_urgent(sharing, task, &|_: &Requests| true), watch))
    };
    (0..sharing.tasks().len()).map(of).collect()
}
