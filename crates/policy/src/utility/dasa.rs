//! Dependent activity scheduling (DASA), for one processor: R. K. Clark, "Scheduling dependent real-time activities",
//! CMU-CS-90-155, 1990.
//!
//! ```text
//! while jobs wait for each other in a circle:
//!     give up the least dense job of the circle
//! for each job:
//!     its chain: the job, who holds what it waits for, who holds what that one waits for, ...
//!     its density: the utilities of the chain over the times that the chain still needs
//! the schedule is empty
//! for each job by falling density, unless it is in the schedule:
//!     in a copy of the schedule: insert the job by its termination time,
//!     and each other of the chain before the one that waits for it, by the earlier of both termination times
//!     if all of the copy are in time, one after the other: the copy is the schedule
//! run the first
//! ```
//!
//! Each holder in a chain counts with all that it may still need, although it may give the resource back sooner. A
//! release calls for the next decision if another job waits for it. The thesis may also give a holder up where that
//! frees a resource sooner; this one gives jobs up only for circles and at their termination times. The chains make
//! O(n^3) of the O(n^2) of DASA-ND, for n jobs.
//!
//! Jobs as (arrival, cost, termination, utility). C (0, 4, 14, 2) holds R0 from 1 to its end, A (2, 3, 9, 30) wants it
//! at once. B (2, 4, 10, 12) is denser than C, but A with C before it is denser still, and B is not in time with both:
//!
//! ```text
//! P0  CCCCAAA...
//! ```
//!
//! DASA-ND, to which A is not ready at 2, runs B then, and loses A:
//!
//! ```text
//! P0  CCBBBBCC..
//! ```

use super::density::Density;
use super::queues::is_feasible;
use super::{Algorithm, Candidate, Queues, UtilityKind};
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// For schedulers.
pub(crate) const KIND: UtilityKind = UtilityKind {
    description:
        "by termination time, of the densest jobs that are in time together with those that they wait for",
    algorithm: |jobs, _| Box::new(Dasa::new(jobs)),
    preemptive: true,
    is_work_conserving: false,
    follows_holders: true,
};

/// The densest chains that fit. It fills the queue of the first processor.
#[derive(Clone, Debug)]
pub struct Dasa {
    by_density: Vec<u32>,
    /// By job: of its chain.
    densities: Vec<Density>,
    /// By job: when it is due in the schedule, and in its copy.
    due: Vec<Instant>,
    due_before: Vec<Instant>,
    copy: Vec<u32>,
}

impl Dasa {
    /// For up to so many jobs.
    pub fn new(jobs: usize) -> Self {
        Dasa {
            by_density: Vec::with_capacity(jobs),
            densities: Vec::with_capacity(jobs),
            due: Vec::with_capacity(jobs),
            due_before: Vec::with_capacity(jobs),
            copy: Vec::with_capacity(jobs),
        }
    }

    /// All jobs by falling density of their chains, ties by job id.
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
        let at = self.copy.iter().position(is_later).unwrap_or(self.copy.len());
        self.copy.insert(at.min(limit), job);
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
                Some(at) if at < before => return,
                Some(at) => {
                    self.copy.remove(at);
                }
                None => {}
            }
            self.due[holder as usize] = self.due[holder as usize].min(self.due[waiter as usize]);
            self.insert(jobs, holder, before);
            waiter = holder;
        }
    }
}

/// The jobs of a chain, the one at its head first.
fn chain(jobs: &[Candidate], head: u32) -> impl Iterator<Item = u32> + '_ {
    core::iter::successors(Some(head), |job| jobs[*job as usize].waits_for).take(jobs.len())
}

fn density(jobs: &[Candidate], head: u32) -> Density {
    let all = chain(jobs, head).map(|job| &jobs[job as usize]);
    let none = Density { utility: 0, time: 0 };
    all.fold(none, |sum, job| Density {
        utility: sum.utility + u128::from(job.utility),
        time: sum.time + u128::from(job.time()),
    })
}

impl Algorithm for Dasa {
    fn decide(&mut self, now: Instant, jobs: &[Candidate], queues: &mut Queues) {
        self.sort(jobs);
        self.due.clear();
        self.due.extend(jobs.iter().map(|job| job.termination));
        let (begin, queue) = queues.of(0, now);
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

    fn deadlocked(&self, jobs: &[Candidate]) -> Option<u32> {
        let returns =
            |job: u32| chain(jobs, job).last().and_then(|last| jobs[last as usize].waits_for).is_some();
        // A chain that does not end runs into a circle, and is in it after as many steps as there are jobs.
        let on_the_way = (0..jobs.len() as u32).find(|job| returns(*job))?;
        let inside = chain(jobs, on_the_way).last()?;
        let circle =
            core::iter::once(inside).chain(chain(jobs, inside).skip(1).take_while(|job| *job != inside));
        circle.max_by(|a, b| jobs[*a as usize].by_density(&jobs[*b as usize]))
    }
}
