//! Baruah's test (BAR).
//!
//! S. Baruah, *Techniques for multiprocessor global schedulability analysis*, RTSS 2007, main theorem: at most m - 1 tasks
//! carry work into the interval before a missed deadline in which all processors are busy. [`super::busy_interval`] states the
//! condition and decides it for every length of the interval, not only for those where demand changes.
//!
//! **Correction.** The published condition caps each task's contribution at A_k + D_k - C_k and accepts sums up to m times that, so m tasks
//! that each exceed the cap are let through; whoever misses waits for longer, so the cap is one unit more here. Assumes D <= T.
//! Pseudo-polynomial for utilizations below a constant under m; in practice a few evaluations of linear time.

use super::busy_interval::{self, Contender};
use super::tasks::{judge, Finding, GlobalTask};
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Guarantee, Test};

/// The registry's line.
pub static TEST: Test = Test {
    name: "baruah",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        "preemptive global EDF on identical processors",
        "relative deadlines at most the periods",
        "self-suspension and jitter count as execution",
        "no overheads",
    ],
    source: "Baruah, RTSS 2007, with the cap one unit higher",
    cost: "pseudo-polynomial for utilizations below a constant under m; O(n) for a step",
    applies: System::is_preemptive_edf_multiprocessor,
    run: |system| judge(&TEST, system, find),
};

pub(super) fn find(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> Finding {
    let contenders: Vec<Contender> = tasks.iter().map(|&task| Contender { task, suspension: 0 }).collect();
    busy_interval::find(&contenders, processors, budget)
}
