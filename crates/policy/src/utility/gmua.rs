//! Global multiprocessor utility accrual (gMUA): H. Cho, H. Wu, B. Ravindran and E. D. Jensen, "On multiprocessor
//! utility accrual real-time scheduling with statistical timing assurances", EUC 2006; H. Cho, Virginia Tech 2006.
//!
//! Take the ready jobs by termination time, and append each to the queue of the processor with the least load (the
//! lowest one on ties). Then each queue is LBESA's: while it is not feasible, the job of the least density is removed.
//! The heads run. O(n log n + n m) for n ready jobs on m processors; the paper has O(n^2 + n m).
//!
//! With loads of what remains, the queues before removals are what global EDF would do if nothing more arrived: a
//! processor takes the next job when it has done the ones before. So gMUA is global EDF while that misses nothing.
//! The public ChronOS code balances the whole WCETs; `docs/peers.md` says what differs.
//!
//! Four jobs at 0, as (remaining, termination, utility): A (4, 4, 8), B (3, 5, 9), C (3, 6, 3), D (3, 7, 12). B and C
//! go to the second processor, A and D to the first. All are in time.
//!
//! ```text
//! P0  AAAADDD
//! P1  BBBCCC.
//! ```

use super::queues::{rank, shed, sort};
use super::{Algorithm, Candidate, Queues, UtilityKind};
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// For schedulers.
pub(crate) const KIND: UtilityKind = UtilityKind {
    description: "by termination time, balanced over processors, without the least dense jobs until the others are in time",
    algorithm: |jobs, processors| Box::new(GMua::new(jobs, processors)),
    preemptive: true,
    is_work_conserving: false,
    follows_holders: false,
};

/// LBESA on each processor, after the jobs are balanced by termination time.
#[derive(Clone, Debug)]
pub struct GMua {
    sorted: Vec<u32>,
    ranks: Vec<u32>,
    loads: Vec<u64>,
}

impl GMua {
    /// For up to so many jobs on so many processors.
    pub fn new(jobs: usize, processors: usize) -> Self {
        GMua {
            sorted: Vec::with_capacity(jobs),
            ranks: Vec::with_capacity(jobs),
            loads: Vec::with_capacity(processors),
        }
    }

    /// Appends each job to the queue of the least loaded processor, by termination time.
    fn balance(&mut self, now: Instant, jobs: &[Candidate], queues: &mut Queues) {
        sort(jobs, Candidate::by_termination, &mut self.sorted);
        self.loads.clear();
        self.loads.extend(queues.loads());
        for &job in &self.sorted {
            let least = self.loads.iter_mut().enumerate().min_by_key(|(_, load)| **load);
            let Some((processor, load)) = least else { return };
            *load = load.saturating_add(jobs[job as usize].load.as_ns());
            queues.of(processor, now).1.push(job);
        }
    }
}

impl Algorithm for GMua {
    fn decide(&mut self, now: Instant, jobs: &[Candidate], queues: &mut Queues) {
        self.balance(now, jobs, queues);
        sort(jobs, Candidate::by_density, &mut self.sorted);
        rank(&self.sorted, &mut self.ranks);
        for processor in 0..queues.processors() {
            let (begin, queue) = queues.of(processor, now);
            shed(begin, jobs, &self.ranks, queue);
        }
    }
}
