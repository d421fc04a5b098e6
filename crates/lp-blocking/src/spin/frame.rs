//! Common parts of the programs of all spin locks: blocking on arrival, and the jobs that wait.
//!
//! For each request of another task, S is the part of it that some local job spins for, A the part that delays the job
//! on arrival. As requests of one task for one resource have the same length and stand in the same constraints, their
//! parts are summed up to one column. Wieder and Brandenburg, RTSS 2013, constraints 1 to 7, and 20 for spinning that
//! can be preempted.

use super::Spinning;
use crate::users::{is_global, jobs, User, Users};
use schedlab_analysis::blocking::Sharing;

/// Bounds blocking, resource by resource; can be used again without allocating anew. `R` holds what a kind of lock
/// reads of one task's requests.
#[derive(Clone, Debug)]
pub(crate) struct Frame<R> {
    users: Users,
    contended: Contended,
    requests: Vec<R>,
    gains: Vec<u64>,
}

impl<R> Default for Frame<R> {
    fn default() -> Self {
        let (users, contended) = (Users::default(), Contended::default());
        Frame { users, contended, requests: Vec::new(), gains: Vec::new() }
    }
}

impl<R> Frame<R> {
    /// Reads `sharing`, in place of what was read before.
    pub(crate) fn read(&mut self, sharing: &Sharing) {
        self.users.read(sharing);
    }

    /// The whole blocking of one job of `task`. `list` lists the requests of remote tasks for a resource; `delay`
    /// returns how long such requests delay a number of waits of local jobs, with one more of a job that arrives if
    /// wanted.
    pub(crate) fn bound(
        &mut self,
        (sharing, responses, task): (&Sharing, &[u64], usize),
        spinning: Spinning,
        list: impl Fn(&Contended, &mut Vec<R>),
        delay: impl Fn(&[R], u64, bool) -> u64,
    ) -> u64 {
        let Frame { users, contended, requests, gains } = self;
        let most = match spinning {
            Spinning::NonPreemptive => 0,
            Spinning::Preemptable => preemptions(sharing, responses, task),
        };
        let (mut sum, mut arrival) = (0u64, 0u64);
        gains.clear();
        for at_hand in users.by_resource() {
            contended.read(sharing, responses, task, at_hand);
            requests.clear();
            list(contended, requests);
            let waits = contended.waits();
            let mut worth = delay(requests, waits, false);
            sum = sum.saturating_add(worth);
            if let Some(longest) = contended.below.iter().map(|user| user.length).max() {
                let more = match spinning {
                    Spinning::NonPreemptive => delay(requests, waits, true) - worth,
                    Spinning::Preemptable => 0,
                };
                arrival = arrival.max(longest.saturating_add(more));
            }
            // What each further wait for this resource would add.
            for retries in 1..=if waits > 0 { most } else { 0 } {
                let with = delay(requests, waits.saturating_add(retries), false);
                if with == worth {
                    break;
                }
                gains.push(with - worth);
                worth = with;
            }
        }
        gains.sort_unstable_by(|a, b| b.cmp(a));
        let taken = gains.iter().take(usize::try_from(most).unwrap_or(usize::MAX));
        taken.fold(sum.saturating_add(arrival), |sum, gain| sum.saturating_add(*gain))
    }
}

/// Returns how often jobs that are pending together with one of the task at `index` can be preempted: once for each
/// more urgent one.
pub(crate) fn preemptions(sharing: &Sharing, responses: &[u64], index: usize) -> u64 {
    let own = &sharing.tasks()[index];
    let above = |task: &usize| {
        let other = &sharing.tasks()[*task];
        other.cluster == own.cluster && other.level < own.level
    };
    let tasks = (0..sharing.tasks().len()).filter(above);
    tasks.map(|task| jobs(sharing, responses, task, index)).fold(0, u64::saturating_add)
}

/// A task of this processor whose jobs wait for a resource while the job in question is pending.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiter {
    /// Index of the task: the one in question or a more urgent one.
    pub task: usize,
    /// Number of its jobs.
    pub jobs: u64,
    /// Number of requests of each job for the resource.
    pub count: u64,
}

/// One resource, as the rows of an order of grants use it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contended {
    /// Users of the resource on other processors, by processor, longest requests first.
    pub remote: Vec<User>,
    /// Less urgent users on this processor: one of them may delay the job on arrival.
    pub below: Vec<User>,
    /// Tasks of this processor that wait for the resource.
    pub waiters: Vec<Waiter>,
}

impl Contended {
    /// Sorts the users of one resource by their relation to the task at `index`, in place of what was read before.
    pub(crate) fn read(&mut self, sharing: &Sharing, responses: &[u64], index: usize, users: &[User]) {
        let own = &sharing.tasks()[index];
        let level = |user: &User| sharing.tasks()[user.task].level;
        // A less urgent job of this processor blocks at most once, on arrival, and only with a resource that is
        // global, or local with a ceiling that reaches the job.
        let reaches = is_global(users) || users.iter().any(|user| level(user) <= own.level);
        let Contended { remote, below, waiters } = self;
        remote.clear();
        below.clear();
        waiters.clear();
        for user in users {
            if user.cluster != own.cluster {
                remote.push(*user);
            } else if user.task == index || level(user) < own.level {
                let jobs = if user.task == index { 1 } else { jobs(sharing, responses, user.task, index) };
                waiters.push(Waiter { task: user.task, jobs, count: user.count });
            } else if reaches && level(user) > own.level {
                below.push(*user);
            }
        }
    }

    /// Returns how often a job of this processor waits for the resource.
    pub(crate) fn waits(&self) -> u64 {
        self.waiters
            .iter()
            .map(|waiter| waiter.jobs.saturating_mul(waiter.count))
            .fold(0, u64::saturating_add)
    }

    /// Returns the most requests of `user`, of another processor, for which some job here waits: those that are issued
    /// while one of the waiters is pending.
    pub(crate) fn met(&self, sharing: &Sharing, responses: &[u64], user: &User) -> u64 {
        let issued = |waiter: &Waiter| {
            let jobs = sharing.jobs_within(user.task, responses[waiter.task], responses[user.task]);
            jobs.saturating_mul(user.count).saturating_mul(waiter.jobs)
        };
        self.waiters.iter().map(issued).fold(0, u64::saturating_add)
    }
}
