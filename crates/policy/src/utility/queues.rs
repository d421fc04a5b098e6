//! Queues of jobs, one for each processor, and the operations that all algorithms need.

use super::Candidate;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Duration, Instant, Work};

/// By processor of a cluster: indices of candidates, the head first; and the time for which an abort handler occupies
/// it before.
#[derive(Clone, Debug)]
pub struct Queues {
    jobs: Vec<Vec<u32>>,
    /// By processor: the time of its abort handler in ns; `None` if there is none.
    handlers: Vec<Option<u64>>,
}

impl Queues {
    /// Empty queues of `processors` processors, each with room for `jobs` jobs.
    pub fn new(processors: usize, jobs: usize) -> Self {
        // A clone of a vector would have no room.
        let empty = (0..processors).map(|_| Vec::with_capacity(jobs)).collect();
        Queues { jobs: empty, handlers: vec![None; processors] }
    }

    /// Forgets all jobs and handlers.
    pub fn clear(&mut self) {
        self.jobs.iter_mut().for_each(Vec::clear);
        self.handlers.fill(None);
    }

    /// Gives an abort handler of length `time` to the processor that is free first. True if it is the first handler
    /// there.
    pub fn occupy(&mut self, time: Work) -> bool {
        let Some(least) = self.handlers.iter_mut().min_by_key(|handlers| **handlers) else { return false };
        let is_first = least.is_none();
        *least = Some(least.unwrap_or(0).saturating_add(time.as_ns()));
        is_first
    }

    /// By processor: the job that runs; `None` where an abort handler runs.
    pub fn heads(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        let all = self.jobs.iter().zip(&self.handlers);
        all.map(|(queue, handlers)| queue.first().copied().filter(|_| handlers.is_none()))
    }

    /// The whole queues, by processor.
    pub fn all(&self) -> &[Vec<u32>] {
        &self.jobs
    }

    /// Returns a processor's queue, and when its first job may begin.
    pub(crate) fn of(&mut self, processor: usize, now: Instant) -> (Instant, &mut Vec<u32>) {
        let handlers = Duration::from_ns(self.handlers[processor].unwrap_or(0));
        (now.checked_add(handlers).unwrap_or(Instant::NEVER), &mut self.jobs[processor])
    }

    /// Returns the number of processors.
    pub(crate) fn processors(&self) -> usize {
        self.jobs.len()
    }

    /// The queues of processors without a handler.
    pub(crate) fn free(&mut self) -> impl Iterator<Item = &mut Vec<u32>> + '_ {
        let all = self.jobs.iter_mut().zip(&self.handlers);
        all.filter_map(|(queue, handlers)| handlers.is_none().then_some(queue))
    }

    /// By processor: the time for which abort handlers occupy it.
    pub(crate) fn loads(&self, loads: &mut Vec<(u64, usize)>) {
        loads.clear();
        loads.extend(self.handlers.iter().map(|handlers| handlers.unwrap_or(0)).zip(0..));
    }
}

/// Sorts the indices of all `jobs` in an order, into `sorted`.
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
    let index = queue.partition_point(goes_before);
    let (before, after) = queue.split_at(index);
    let changed = before.iter().chain(core::iter::once(&job)).chain(after).copied();
    let fits = is_feasible(now, jobs, changed);
    if fits {
        queue.insert(index, job);
    }
    fits
}

/// Removes from a queue the job of the least density, again and again, until the queue is feasible. `ranks` is the
/// place of each of its jobs among all by falling density.
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

/// The place in `sorted` of each of the candidates that are there, by index of all `jobs`, in `ranks`.
pub(crate) fn rank(jobs: &[Candidate], sorted: &[u32], ranks: &mut Vec<u32>) {
    ranks.clear();
    ranks.resize(jobs.len(), 0);
    for (place, index) in sorted.iter().enumerate() {
        ranks[*index as usize] = place as u32;
    }
}
