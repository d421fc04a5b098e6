//! What the programs of all spin locks have in common: blocking on arrival, and who waits.
//!
//! For each request of another task, S is the part of it that some local job spins for, A the part that delays the job on arrival. As requests
//! of one task for one resource have the same length and stand in the same constraints, their parts are summed up to one
//! column. Wieder and Brandenburg, RTSS 2013, constraints 1 to 7, and 20 for spinning that can be preempted.

use super::greedy::preemptions;
use super::Spinning;
use crate::program::LinearProgram;
use crate::users::{is_global, jobs, User, Users};
use schedlab_analysis::blocking::Sharing;

/// A task of this processor whose jobs wait for a resource while the job in question is pending.
#[derive(Clone, Copy, Debug)]
pub struct Waiter {
    /// Which task: the one in question or a more urgent one.
    pub task: usize,
    /// How many of its jobs.
    pub jobs: u64,
    /// How often each requests the resource.
    pub count: u64,
}

/// One resource, as the rows of an order of grants see it.
#[derive(Clone, Debug)]
pub struct Contended {
    /// Its users elsewhere, by processor, longest requests first.
    pub remote: Vec<User>,
    /// Its users here that are less urgent: one of them may delay the job on arrival.
    pub below: Vec<User>,
    /// Who waits for it here.
    pub waiters: Vec<Waiter>,
    /// The column that is 1 if the resource delays the job on arrival, else 0.
    pub indicator: usize,
    /// The column that tells how often a wait for it begins anew, if spinning can be preempted.
    pub retry: Option<usize>,
}

impl Contended {
    /// How often a job of this processor waits for it.
    pub fn waits(&self) -> u64 {
        self.waiters
            .iter()
            .map(|waiter| waiter.jobs.saturating_mul(waiter.count))
            .fold(0, u64::saturating_add)
    }

    /// How many requests of `user`, of another processor, some job here waits for at most: those that are issued while one of the
    /// waiters is pending.
    pub fn met(&self, sharing: &Sharing, responses: &[u64], user: &User) -> u64 {
        let issued = |waiter: &Waiter| {
            let jobs = sharing.jobs_within(user.task, responses[waiter.task], responses[user.task]);
            jobs.saturating_mul(user.count).saturating_mul(waiter.jobs)
        };
        self.waiters.iter().map(issued).fold(0, u64::saturating_add)
    }
}

/// Builds the program of one job of the task at `at`: `rows` adds, for each resource, the columns of remote requests
/// and what limits them. Only resources that `may_arrive` delay on arrival.
pub fn build(
    sharing: &Sharing,
    responses: &[u64],
    at: usize,
    spinning: Spinning,
    may_arrive: impl Fn(usize) -> bool,
    mut rows: impl FnMut(&mut LinearProgram, &Contended),
) -> LinearProgram {
    let mut users = Users::default();
    users.read(sharing);
    let mut program = LinearProgram::default();
    let (mut indicators, mut blockers, mut retries) = (Vec::new(), Vec::new(), Vec::new());
    for (resource, list) in users.by_resource().iter().enumerate() {
        let mut place = place(sharing, responses, at, list);
        // Nothing remote delays on arrival unless a local request for the same resource does.
        place.indicator = program.column(0, u64::from(!place.below.is_empty() && may_arrive(resource)));
        indicators.push(place.indicator);
        let of_these: Vec<usize> = place.below.iter().map(|user| program.column(user.length, 1)).collect();
        program.row(of_these.iter().map(|blocker| (*blocker, 1)).chain([(place.indicator, -1)]), 0);
        blockers.extend(of_these);
        if spinning == Spinning::Preemptable && !place.waiters.is_empty() {
            place.retry = Some(program.column(0, u64::MAX >> 20));
        }
        retries.extend(place.retry);
        rows(&mut program, &place);
    }
    program.at_most(indicators, 1);
    program.at_most(blockers, 1);
    program.at_most(retries, preemptions(sharing, responses, at));
    program
}

/// Sorts the users of one resource by what they are to the task at `at`.
pub fn place(sharing: &Sharing, responses: &[u64], at: usize, list: &[User]) -> Contended {
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
        indicator: 0,
        retry: None,
    }
}
