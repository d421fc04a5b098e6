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
use super::{Algorithm, Candidate, Queues, UtilityKind};
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// For schedulers.
pub(crate) const KIND: UtilityKind = UtilityKind {
    description: "the densest jobs first, each on the least loaded processor where all are in time",
    algorithm: |jobs, processors| Box::new(GGua::new(jobs, processors)),
    preemptive: true,
    is_work_conserving: false,
    follows_holders: false,
};

/// A processor, and the load of its queue.
#[derive(Clone, Copy, Debug)]
struct Processor {
    load: u64,
    index: usize,
}

impl Processor {
    fn goes_before(self, other: Processor) -> bool {
        (self.load, self.index) < (other.load, other.index)
    }
}

/// The densest jobs, each where it fits.
#[derive(Clone, Debug)]
pub struct GGua {
    by_density: Vec<u32>,
    /// By rising load.
    processors: Vec<Processor>,
}

impl GGua {
    /// For up to so many jobs on so many processors.
    pub fn new(jobs: usize, processors: usize) -> Self {
        GGua { by_density: Vec::with_capacity(jobs), processors: Vec::with_capacity(processors) }
    }

    /// The processor at a place has more load now, and goes back among the others.
    fn add_load(&mut self, at: usize, load: u64) {
        let more = Processor { load: self.processors[at].load.saturating_add(load), ..self.processors[at] };
        let before = self.processors[at + 1..].iter().take_while(|other| other.goes_before(more)).count();
        self.processors[at] = more;
        self.processors[at..=at + before].rotate_left(1);
    }
}

impl Algorithm for GGua {
    fn decide(&mut self, now: Instant, jobs: &[Candidate], queues: &mut Queues) {
        self.processors.clear();
        self.processors.extend(queues.loads().enumerate().map(|(index, load)| Processor { load, index }));
        self.processors.sort_unstable_by_key(|place| (place.load, place.index));
        sort(jobs, Candidate::by_density, &mut self.by_density);
        for next in 0..jobs.len() {
            let job = self.by_density[next];
            let fits = |place: &Processor| {
                let (begin, queue) = queues.of(place.index, now);
                insert_if_feasible(begin, jobs, queue, job)
            };
            if let Some(at) = self.processors.iter().position(fits) {
                self.add_load(at, jobs[job as usize].load.as_ns());
            }
        }
    }
}
