//! Greedy global utility accrual (G-GUA): P. Garyali, "On best-effort utility accrual real-time scheduling on
//! multiprocessors", Virginia Tech 2010; P. Garyali, M. Dellinger and B. Ravindran, OPODIS 2010.
//!
//! Take the ready jobs by falling density. Try the processors by rising load (the lowest one first on ties): put the
//! job into the first queue, in the order of termination times, that is feasible with it. If there is none, the job is
//! left out. The heads run. O(n^2 + n m) for n ready jobs on m processors.
//!
//! Three jobs at 0, as (remaining, termination, utility): A (2, 3, 4), B (2, 3, 2), C (2, 3, 6). By falling density
//! they are C, A, B. Both processors are full before B.
//!
//! ```text
//! P0  CC.
//! P1  AA.
//! ```
//!
//! gMUA and NG-GUA run B instead of A: they choose the processor before they look at densities.

use super::queues::{insert_if_feasible, sort};
use super::{Candidate, DecisionMemory, Queues, UtilityKind};
use schedlab_model::Instant;

/// Picks the densest jobs, each on a processor where it fits.
pub const G_GUA: UtilityKind = UtilityKind {
    description: "the densest jobs first, each on the least loaded processor where all are in time",
    decide,
    preemptive: true,
    is_work_conserving: false,
    follows_holders: false,
};

fn decide(now: Instant, jobs: &[Candidate], queues: &mut Queues, memory: &mut DecisionMemory) {
    let DecisionMemory { sorted, loads, .. } = memory;
    queues.loads(loads);
    loads.sort_unstable();
    sort(jobs, Candidate::by_density, sorted);
    for &job in &*sorted {
        let fits = |(_, processor): &(u64, usize)| {
            let (begin, queue) = queues.of(*processor, now);
            insert_if_feasible(begin, jobs, queue, job)
        };
        if let Some(index) = loads.iter().position(fits) {
            add_load(loads, index, jobs[job as usize].load.as_ns());
        }
    }
}

/// Adds load to the processor at a place, and moves it to its new place among the others.
fn add_load(loads: &mut [(u64, usize)], index: usize, load: u64) {
    loads[index].0 = loads[index].0.saturating_add(load);
    let before = loads[index + 1..].iter().take_while(|other| **other < loads[index]).count();
    loads[index..=index + before].rotate_left(1);
}
