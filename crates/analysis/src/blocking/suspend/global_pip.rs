//! Priority inheritance under global fixed priorities, suspension-aware.
//!
//! A. Easwaran and B. Andersson, *Resource sharing in global fixed-priority preemptive multiprocessor scheduling*, RTSS
//! 2009, equations 4 to 11. `DB` (6): one section of less urgent tasks for each request. `Ihp_dsr` (7): sections of
//! more urgent tasks on the resources that the job uses. `Ilp` (10): sections of less urgent tasks that execute
//! at a ceiling above the job's priority; they share the m processors, and cannot delay the m most urgent tasks. What
//! else more urgent tasks execute is interference, and not part of the bound.
//!
//! Assumes constrained deadlines, distinct levels from 0 by falling priority, no nesting, and valid bounds on response
//! times. `remote` is DB + Ilp, `local` is Ihp_dsr, which must not be counted as interference again.

use crate::blocking::ceilings::ceilings;
use crate::blocking::{Sharer, Sharing, Terms};

/// By task: `DB + Ilp` and `Ihp_dsr`, on `processors`.
pub fn bounds(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<Terms> {
    let ceilings = ceilings(sharing);
    let of = |task: usize| {
        let mut lower = direct(sharing, task);
        if sharing.tasks()[task].level >= processors {
            lower = lower.saturating_add(indirect(sharing, responses, &ceilings, task, processors));
        }
        Terms::new(lower, from_higher(sharing, responses, task))
    };
    (0..sharing.tasks().len()).map(of).collect()
}

/// W(t, x) of equation 5: work of a task's jobs within `t` if each works `x`.
pub(crate) fn workload(task: &Sharer, t: u64, x: u64) -> u64 {
    let length = t.saturating_add(task.relative_deadline).saturating_sub(x);
    let jobs = length / task.period;
    x.saturating_mul(jobs).saturating_add(x.min(length % task.period))
}

/// DB of equation 6.
pub(crate) fn direct(sharing: &Sharing, task: usize) -> u64 {
    let level = sharing.tasks()[task].level;
    let mut sum = 0u64;
    for request in sharing.requests(task) {
        let lower = (0..sharing.tasks().len()).filter(|other| sharing.tasks()[*other].level > level);
        let on_it = lower.flat_map(|other| sharing.requests(other));
        let lengths = on_it.filter(|other| other.resource == request.resource).map(|other| other.length());
        sum = sum.saturating_add(lengths.max().unwrap_or(0).saturating_mul(request.count()));
    }
    sum
}

/// Ihp_dsr of equation 7.
pub(crate) fn from_higher(sharing: &Sharing, responses: &[u64], index: usize) -> u64 {
    let own = sharing.requests(index);
    let uses = |resource| own.iter().any(|request| request.resource == resource);
    let mut sum = 0u64;
    for (other, task) in sharing.tasks().iter().enumerate() {
        if task.level < sharing.tasks()[index].level {
            let shared = in_sections(sharing, other, uses);
            sum = sum.saturating_add(workload(task, responses[index], shared));
        }
    }
    sum
}

/// Ilp of equation 10.
pub(crate) fn indirect(
    sharing: &Sharing,
    responses: &[u64],
    ceilings: &[u32],
    task: usize,
    processors: u32,
) -> u64 {
    let level = sharing.tasks()[task].level;
    let mut sum = 0u64;
    for (index, other) in sharing.tasks().iter().enumerate().filter(|(_, other)| other.level > level) {
        let inherits = in_sections(sharing, index, |resource| ceilings[resource as usize] < level);
        sum = sum.saturating_add(workload(other, responses[task], inherits));
    }
    sum.div_ceil(u64::from(processors.max(1)))
}

/// Returns the total time that a job of `task` holds resources that are `wanted`.
fn in_sections(sharing: &Sharing, task: usize, wanted: impl Fn(u32) -> bool) -> u64 {
    let of_them = sharing.requests(task).iter().filter(|request| wanted(request.resource));
    of_them.map(|request| request.length().saturating_mul(request.count())).fold(0, u64::saturating_add)
}
