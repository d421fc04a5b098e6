//! What the programs of all spin locks have in common: blocking on arrival, and who waits.
//!
//! For each request of another task, S is the part of it that some local job spins for, A the part that delays the job
//! on arrival. As requests of one task for one resource have the same length and stand in the same constraints, their
//! parts are summed up to one column. Wieder and Brandenburg, RTSS 2013, constraints 1 to 7, and 20 for spinning that
//! can be preempted.

use crate::users::{is_global, jobs, User};
use schedlab_analysis::blocking::Sharing;

/// A task of this processor whose jobs wait for a resource while the job in question is pending.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiter {
    /// Which task: the one in question or a more urgent one.
    pub task: usize,
    /// How many of its jobs.
    pub jobs: u64,
    /// How often each requests the resource.
    pub count: u64,
}

/// One resource, as the rows of an order of grants see it.
#[derive(Clone, Debug)]
pub(crate) struct Contended {
    /// Its users elsewhere, by processor, longest requests first.
    pub remote: Vec<User>,
    /// Its users here that are less urgent: one of them may delay the job on arrival.
    pub below: Vec<User>,
    /// Who waits for it here.
    pub waiters: Vec<Waiter>,
}

impl Contended {
    /// How often a job of this processor waits for it.
    pub(crate) fn waits(&self) -> u64 {
        self.waiters
            .iter()
            .map(|waiter| waiter.jobs.saturating_mul(waiter.count))
            .fold(0, u64::saturating_add)
    }

    /// How many requests of `user`, of another processor, some job here waits for at most: those that are issued while
    /// one of the waiters is pending.
    pub(crate) fn met(&self, sharing: &Sharing, responses: &[u64], user: &User) -> u64 {
        let issued = |waiter: &Waiter| {
            let jobs = sharing.jobs_within(user.task, responses[waiter.task], responses[user.task]);
            jobs.saturating_mul(user.count).saturating_mul(waiter.jobs)
        };
        self.waiters.iter().map(issued).fold(0, u64::saturating_add)
    }
}

/// Sorts the users of one resource by what they are to the task at `at`.
pub(crate) fn place(sharing: &Sharing, responses: &[u64], at: usize, list: &[User]) -> Contended {
    let own = &sharing.tasks()[at];
    let level = |user: &User| sharing.tasks()[user.task].level;
    let (local, remote): (Vec<User>, Vec<User>) = list.iter().partition(|user| user.cluster == own.cluster);
    // A less urgent job of this processor blocks at most once, on arrival, and only with a resource that is
    // global, or local with a ceiling that reaches the job.
    let reaches = is_global(list) || list.iter().any(|user| level(user) <= own.level);
    let waits = |user: &&User| user.task == at || level(user) < own.level;
    let waiter = |user: &User| {
        let jobs = if user.task == at { 1 } else { jobs(sharing, responses, user.task, at) };
        Waiter { task: user.task, jobs, count: user.count }
    };
    Contended {
        remote,
        below: local.iter().filter(|user| reaches && level(user) > own.level).copied().collect(),
        waiters: local.iter().filter(waits).map(waiter).collect(),
    }
}
