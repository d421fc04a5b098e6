//! What the programs of all spin locks have in common: blocking on arrival, and who waits.
//!
//! For each request of another task, S is the part of it that some local job spins for, A the part that delays the job
//! on arrival. As requests of one task for one resource have the same length and stand in the same constraints, their
//! parts are summed up to one column. Wieder and Brandenburg, RTSS 2013, constraints 1 to 7, and 20 for spinning that
//! can be preempted.

use super::Spinning;
use crate::users::{is_global, jobs, User, Users};
use schedlab_analysis::blocking::Sharing;

/// Bounds blocking, resource by resource; can be used again without allocating anew. `R` is what a kind of lock looks
/// at of one task's requests.
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
    /// Reads `sharing`; what was read before is forgotten.
    pub(crate) fn read(&mut self, sharing: &Sharing) {
        self.users.read(sharing);
    }

    /// The whole blocking of one job of `task`. `list` lists what remote tasks request of a resource; `delay`
    /// says how long such requests delay so many waits of local jobs, and if so one more of a job that arrives.
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

/// How often jobs that are pending together with one of the task at `index` can be preempted: once for each more urgent
/// one.
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
    /// Which task: the one in question or a more urgent one.
    pub task: usize,
    /// How many of its jobs.
    pub jobs: u64,
    /// How often each requests the resource.
    pub count: u64,
}

/// One resource, as the rows of an order of grants see it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contended {
    /// Its users elsewhere, by processor, longest requests first.
    pub remote: Vec<User>,
    /// Its users here that are less urgent: one of them may delay the job on arrival.
    pub below: Vec<User>,
    /// Who waits for it here.
    pub waiters: Vec<Waiter>,
}

impl Contended {
    /// Sorts the users of one resource by what they are to the task at `index`; what was read before is forgotten.
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
