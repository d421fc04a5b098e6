//! Greedy global utility accrual (G-GUA), for jobs that may wait for each other: P. Garyali, "On best-effort utility
//! accrual real-time scheduling on multiprocessors", Virginia Tech 2010; P. Garyali, M. Dellinger and B. Ravindran,
//! OPODIS 2010. The rules are those of the authors' code in ChronOS Linux (`ggua.c`).
//!
//! ```text
//! while jobs wait for each other in a circle:
//!     give up the least dense job of the circle
//! for each job that waits for none:
//!     its density: the utilities of it and of all that wait for it, over the times that they all still need
//! for each of these jobs by falling density:
//!     for each processor by rising load (the lowest one first on ties):
//!         in a copy of its queue: insert the job by its own termination time
//!         if all of the copy are in time, one after the other: the copy is the queue; go on with the next job
//! run the heads
//! ```
//!
//! Jobs that wait for others are in no queue. O(n^2 + n m) for n jobs on m processors.
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
//!
//! Four jobs at 0: A (3, 8, 30) waits for D, and B (4, 5, 12), C (4, 5, 12), D (2, 5, 2) for none. D alone is the least
//! dense, but with A it is denser than B and C, and there is no room for C then:
//!
//! ```text
//! P0  DDAAA...
//! P1  BBBB....
//! ```
//!
//! A decision that does not see A runs B and C, and loses D, and A with it.

use super::queues::insert_if_feasible;
use super::{Candidate, DecisionMemory, Queues, UtilityKind};
use schedlab_model::Instant;

/// Picks the densest jobs, with those that wait for them, each on a processor where it fits.
pub const G_GUA: UtilityKind = UtilityKind {
    description: "the densest jobs first, with those that wait, each on the least loaded processor where all are in time",
    decide,
    preemptive: true,
    is_work_conserving: false,
    follows_holders: true,
};

fn decide(now: Instant, jobs: &[Candidate], queues: &mut Queues, memory: &mut DecisionMemory) {
    let DecisionMemory { sorted, loads, trees, .. } = memory;
    queues.loads(loads);
    loads.sort_unstable();
    trees.grow(jobs);
    trees.by_density(jobs, sorted);
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
