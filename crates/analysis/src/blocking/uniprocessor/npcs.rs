//! Non-preemptive critical sections on one processor: a job is blocked at most once, by any section.
//!
//! A. Mok, *Fundamental design problems of distributed systems for the hard-real-time environment*, dissertation, MIT
//! 1983: the longest section of a less urgent task, whichever task uses the resource.
//!
//! Assumes one processor in each cluster and resources used in one cluster only. Nested sections count as sections of
//! their own.

use crate::blocking::{Sharer, Sharing, Terms};

/// By task: the longest section of less urgent tasks.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    let tasks = sharing.tasks();
    let of = |task: &Sharer| {
        let lower = |index: &usize| tasks[*index].cluster == task.cluster && tasks[*index].level > task.level;
        let sections = (0..tasks.len()).filter(lower).flat_map(|index| sharing.requests(index));
        Terms::new(0, sections.map(|request| request.length()).max().unwrap_or(0))
    };
    tasks.iter().map(of).collect()
}
