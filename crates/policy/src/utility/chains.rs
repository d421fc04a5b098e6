//! Jobs that wait for each other, as DASA takes them: whole chains, the densest that fit.

use super::density::Density;
use super::queues::is_feasible;
use super::trees::chain;
use super::Candidate;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// Working memory of decisions about chains.
#[derive(Clone, Debug)]
pub(super) struct Chains {
    by_density: Vec<u32>,
    /// By job: the density of its chain.
    densities: Vec<Density>,
    /// By job: its absolute deadline in the schedule, and in its copy.
    due: Vec<Instant>,
    due_before: Vec<Instant>,
    copy: Vec<u32>,
}

impl Chains {
    /// Working memory for up to `jobs` jobs.
    pub(super) fn new(jobs: usize) -> Self {
        Chains {
            by_density: Vec::with_capacity(jobs),
            densities: Vec::with_capacity(jobs),
            due: Vec::with_capacity(jobs),
            due_before: Vec::with_capacity(jobs),
            copy: Vec::with_capacity(jobs),
        }
    }

    /// Fills `queue`, which begins at `begin`.
    pub(super) fn decide(&mut self, begin: Instant, jobs: &[Candidate], queue: &mut Vec<u32>) {
        self.sort(jobs);
        self.due.clear();
        self.due.extend(jobs.iter().map(|job| job.termination));
        for next in 0..jobs.len() {
            let job = self.by_density[next];
            if self.densities[job as usize].utility == 0 || queue.contains(&job) {
                continue;
            }
            self.copy.clone_from(queue);
            self.due_before.clone_from(&self.due);
            self.insert_chain(jobs, job);
            if is_feasible(begin, jobs, self.copy.iter().copied()) {
                queue.clone_from(&self.copy);
            } else {
                self.due.clone_from(&self.due_before);
            }
        }
    }

    /// Sorts all jobs by falling density of their chains, ties by job id.
    fn sort(&mut self, jobs: &[Candidate]) {
        self.densities.clear();
        self.densities.extend((0..jobs.len() as u32).map(|job| density(jobs, job)));
        self.by_density.clear();
        self.by_density.extend(0..jobs.len() as u32);
        let densities = &self.densities;
        self.by_density.sort_unstable_by(|a, b| {
            let (a, b) = (*a as usize, *b as usize);
            densities[b].compare(densities[a]).then(jobs[a].by_id(&jobs[b]))
        });
    }

    /// Puts the job into the copy by when it is due, ties by job id, but not after `limit`.
    fn insert(&mut self, jobs: &[Candidate], job: u32, limit: usize) {
        let mine = (self.due[job as usize], &jobs[job as usize]);
        let is_later = |other: &u32| {
            let its = (self.due[*other as usize], &jobs[*other as usize]);
            its.0.cmp(&mine.0).then(its.1.by_id(mine.1)).is_gt()
        };
        let index = self.copy.iter().position(is_later).unwrap_or(self.copy.len());
        self.copy.insert(index.min(limit), job);
    }

    /// Puts the job and its chain into the copy.
    fn insert_chain(&mut self, jobs: &[Candidate], job: u32) {
        self.insert(jobs, job, usize::MAX);
        let mut waiter = job;
        while let Some(holder) = jobs[waiter as usize].waits_for {
            let place = |wanted: u32, copy: &[u32]| copy.iter().position(|other| *other == wanted);
            let before = place(waiter, &self.copy).expect("it was inserted");
            match place(holder, &self.copy) {
                // All that it waits for are before it.
                Some(index) if index < before => return,
                Some(index) => {
                    self.copy.remove(index);
                }
                None => {}
            }
            self.due[holder as usize] = self.due[holder as usize].min(self.due[waiter as usize]);
            self.insert(jobs, holder, before);
            waiter = holder;
        }
    }
}

fn density(jobs: &[Candidate], head: u32) -> Density {
    let all = chain(jobs, head).map(|job| &jobs[job as usize]);
    let none = Density { utility: 0, time: 0 };
    all.fold(none, |sum, job| sum.and(Density { utility: job.utility.into(), time: job.time().into() }))
}
