//! Jobs that wait for each other as trees, as G-GUA and NG-GUA take them: the root of each waits for no job.
//!
//! By the code that the authors published with ChronOS Linux (`chronos_global.c`): a graph with an arrow from each
//! holder to the jobs that wait for it. Jobs without an arrow to them may run. Each counts with all jobs that wait for
//! it, by however many steps: with their utilities, the times that they still need, and the earliest of their
//! termination times.

use super::density::Density;
use super::Candidate;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// Trees of a decision. Where no job waits for another one, each job is a tree.
#[derive(Clone, Debug)]
pub(super) struct Trees {
    /// Jobs that wait for no other one, and whose trees are worth something.
    roots: Vec<u32>,
    /// By job: for a root, the density of its tree.
    densities: Vec<Density>,
    /// By job: for a root, the earliest termination time in its tree.
    due: Vec<Instant>,
}

impl Trees {
    /// Working memory for up to `jobs` jobs.
    pub(super) fn new(jobs: usize) -> Self {
        Trees {
            roots: Vec::with_capacity(jobs),
            densities: Vec::with_capacity(jobs),
            due: Vec::with_capacity(jobs),
        }
    }

    /// Finds the trees of `jobs`, none of which wait for each other in a circle.
    pub(super) fn grow(&mut self, jobs: &[Candidate]) {
        let own = |job: &Candidate| Density { utility: job.utility.into(), time: job.time().into() };
        self.roots.clear();
        self.densities.clear();
        self.densities.extend(jobs.iter().map(own));
        self.due.clear();
        self.due.extend(jobs.iter().map(|job| job.termination));
        for (index, job) in jobs.iter().enumerate() {
            let Some(holder) = job.waits_for else {
                self.roots.push(index as u32);
                continue;
            };
            let root = root_of(jobs, holder) as usize;
            self.densities[root] = self.densities[root].and(own(job));
            self.due[root] = self.due[root].min(job.termination);
        }
        self.roots.retain(|root| self.densities[*root as usize].utility > 0);
    }

    /// Lists the roots by falling density of their trees, ties by job id, in `sorted`.
    pub(super) fn by_density(&self, jobs: &[Candidate], sorted: &mut Vec<u32>) {
        sorted.clone_from(&self.roots);
        sorted.sort_unstable_by(|a, b| {
            let (a, b) = (*a as usize, *b as usize);
            self.densities[b].compare(self.densities[a]).then(jobs[a].by_id(&jobs[b]))
        });
    }

    /// Lists the roots by the earliest termination times of their trees, ties by job id, in `sorted`.
    pub(super) fn by_due(&self, jobs: &[Candidate], sorted: &mut Vec<u32>) {
        sorted.clone_from(&self.roots);
        sorted.sort_unstable_by(|a, b| {
            let (a, b) = (*a as usize, *b as usize);
            self.due[a].cmp(&self.due[b]).then(jobs[a].by_id(&jobs[b]))
        });
    }
}

/// Returns the root of the tree in which `job` is.
fn root_of(jobs: &[Candidate], job: u32) -> u32 {
    chain(jobs, job).last().unwrap_or(job)
}

/// The jobs of a chain, the one at its head first; up to the job that waits for none, or round a circle once.
pub(super) fn chain(jobs: &[Candidate], head: u32) -> impl Iterator<Item = u32> + '_ {
    core::iter::successors(Some(head), |job| jobs[*job as usize].waits_for).take(jobs.len())
}
