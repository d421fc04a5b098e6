//! One queue of jobs for each processor, and what all algorithms do with a queue.

use super::Candidate;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// By processor of a cluster: indices of candidates, the head first.
#[derive(Clone, Debug)]
pub struct Queues(Vec<Vec<u32>>);

impl Queues {
    /// Empty queues of so many processors, each with room for so many jobs.
    pub fn new(processors: usize, jobs: usize) -> Self {
        // A clone of a vector would have no room.
        Queues((0..processors).map(|_| Vec::with_capacity(jobs)).collect())
    }

    /// Forgets all jobs.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }

    /// The job that runs on each processor, by processor.
    pub fn heads(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        self.0.iter().map(|queue| queue.first().copied())
    }

    /// The whole queues, by processor.
    pub fn all(&self) -> &[Vec<u32>] {
        &self.0
    }

    pub(crate) fn all_mut(&mut self) -> &mut [Vec<u32>] {
        &mut self.0
    }
}

/// The indices of all `jobs` in an order, in `sorted`.
pub(crate) fn sort(
    jobs: &[Candidate],
    order: impl Fn(&Candidate, &Candidate) -> core::cmp::Ordering,
    sorted: &mut Vec<u32>,
) {
    sorted.clear();
    sorted.extend(0..jobs.len() as u32);
    sorted.sort_unstable_by(|a, b| order(&jobs[*a as usize], &jobs[*b as usize]));
}

/// True if the jobs at `indices`, one after the other from `now` on, are complete by their termination times.
pub(crate) fn is_feasible(now: Instant, jobs: &[Candidate], indices: impl Iterator<Item = u32>) -> bool {
    let mut time = u128::from(now.as_ns());
    for index in indices {
        let job = &jobs[index as usize];
        time += u128::from(job.time());
        if time > u128::from(job.termination.as_ns()) {
            return false;
        }
    }
    true
}

/// Puts a job into a feasible queue in the order of termination times, if the queue is feasible then.
pub(crate) fn insert_if_feasible(now: Instant, jobs: &[Candidate], queue: &mut Vec<u32>, job: u32) -> bool {
    let goes_before = |other: &u32| jobs[*other as usize].by_termination(&jobs[job as usize]).is_lt();
    let at = queue.partition_point(goes_before);
    let (before, after) = queue.split_at(at);
    let changed = before.iter().chain(core::iter::once(&job)).chain(after).copied();
    let fits = is_feasible(now, jobs, changed);
    if fits {
        queue.insert(at, job);
    }
    fits
}

/// Removes from a queue in the order of termination times the job of the least density, again and again, until the
/// queue is feasible. `ranks` is the place of each candidate among all by falling density.
///
/// Without a job, the others complete earlier: if a queue is feasible with the k densest jobs, it is so with
/// fewer. So the number of jobs to keep is found by bisection, in O(n log n) instead of O(n^2).
pub(crate) fn shed(now: Instant, jobs: &[Candidate], ranks: &[u32], queue: &mut Vec<u32>) {
    let feasible = |below: u32| {
        is_feasible(now, jobs, queue.iter().copied().filter(|index| ranks[*index as usize] < below))
    };
    let all = jobs.len() as u32;
    if feasible(all) {
        return;
    }
    let (mut kept, mut too_many) = (0, all);
    while too_many - kept > 1 {
        let middle = kept + (too_many - kept) / 2;
        match feasible(middle) {
            true => kept = middle,
            false => too_many = middle,
        }
    }
    queue.retain(|index| ranks[*index as usize] < kept);
}

/// The place of each candidate in `sorted`, in `ranks`.
pub(crate) fn rank(sorted: &[u32], ranks: &mut Vec<u32>) {
    ranks.clear();
    ranks.resize(sorted.len(), 0);
    for (place, index) in sorted.iter().enumerate() {
        ranks[*index as usize] = place as u32;
    }
}
