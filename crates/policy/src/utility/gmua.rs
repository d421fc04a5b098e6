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
use super::{Candidate, DecisionMemory, Queues, UtilityKind};
use schedlab_model::Instant;

/// Balances the jobs by termination time, then applies LBESA on each processor.
pub const G_MUA: UtilityKind = UtilityKind {
    description: "by termination time, balanced over processors, without the least dense jobs until the others are in time",
    decide,
    preemptive: true,
    is_work_conserving: false,
    follows_holders: false,
};

fn decide(now: Instant, jobs: &[Candidate], queues: &mut Queues, memory: &mut DecisionMemory) {
    sort(jobs, Candidate::by_termination, &mut memory.sorted);
    balance(now, jobs, queues, memory);
    sort(jobs, Candidate::by_density, &mut memory.sorted);
    shed_all(now, jobs, queues, memory);
}

/// Sheds the least dense jobs of each queue until it is feasible, where all jobs are sorted by density.
pub(super) fn shed_all(now: Instant, jobs: &[Candidate], queues: &mut Queues, memory: &mut DecisionMemory) {
    rank(jobs, &memory.sorted, &mut memory.ranks);
    for processor in 0..queues.processors() {
        let (begin, queue) = queues.of(processor, now);
        shed(begin, jobs, &memory.ranks, queue);
    }
}

/// Appends each of the sorted jobs to the queue of the least loaded processor.
pub(super) fn balance(now: Instant, jobs: &[Candidate], queues: &mut Queues, memory: &mut DecisionMemory) {
    queues.loads(&mut memory.loads);
    for &job in &memory.sorted {
        let Some((load, processor)) = memory.loads.iter_mut().min() else { return };
        *load = load.saturating_add(jobs[job as usize].load.as_ns());
        queues.of(*processor, now).1.push(job);
    }
}
