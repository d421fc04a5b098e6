//! P-PCP, the parallel priority ceiling protocol, under global fixed priorities, suspension-aware.
//!
//! A. Easwaran and B. Andersson, *Resource sharing in global fixed-priority preemptive multiprocessor scheduling*, RTSS
//! 2009, equations 13, 14 and 17, with alpha = n for the m most urgent tasks and m for the others. To the terms of
//! priority inheritance (see [`super::global_pip`]) comes `sus`: at each request the job may be refused while m
//! sections of less urgent tasks on other resources are open, one of each task.
//!
//! Holds for any assignment of fixed priorities. The tighter equation 16 is for "reasonable" ones only, and is left out
//! by choice: 17 holds for those too, so that what it accepts is safe, and no verdict depends on how priorities came
//! about. No simulation exceeds it (`protocols_bounds.rs`, `blocking_bounds.rs`). Assumptions and terms as for priority
//! inheritance.

use super::global_pip::{direct, from_higher, indirect};
use crate::blocking::ceilings::ceilings;
use crate::blocking::{Sharing, Terms};

/// By task: `DB + sus + Ilp` and `Ihp_dsr`, on `processors`.
pub fn bounds(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<Terms> {
    let ceilings = ceilings(sharing);
    let of = |task: usize| {
        let mut lower = direct(sharing, task);
        if sharing.tasks()[task].level >= processors {
            let indirect = indirect(sharing, responses, &ceilings, task, processors);
            lower = lower.saturating_add(refused(sharing, task, processors)).saturating_add(indirect);
        }
        Terms::new(lower, from_higher(sharing, responses, task))
    };
    (0..sharing.tasks().len()).map(of).collect()
}

/// sus of equation 14.
fn refused(sharing: &Sharing, task: usize, processors: u32) -> u64 {
    let level = sharing.tasks()[task].level;
    let mut sum = 0u64;
    for request in sharing.requests(task) {
        let lower = (0..sharing.tasks().len()).filter(|other| sharing.tasks()[*other].level > level);
        let longest = |other| {
            let others = sharing.requests(other).iter().filter(|own| own.resource != request.resource);
            others.map(|own| own.length()).max().unwrap_or(0)
        };
        let mut lengths: Vec<u64> = lower.map(longest).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        let open = lengths.iter().take(processors as usize).copied().fold(0, u64::saturating_add);
        sum = sum.saturating_add(open.saturating_mul(request.count()));
    }
    sum
}
