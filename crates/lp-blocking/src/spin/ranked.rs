//! Spin locks that are not first come first served: by priority, ties in any order, and unordered, where all tie.
//!
//! Wieder and Brandenburg, RTSS 2013: constraints 10 and 11 (unordered), 12 to 15 (by priority), 25 (preemptable). A
//! wait lasts at most W, the least fixed point of
//!
//! ```text
//! W = 1 + longest less urgent request + sum over remote users that are not less urgent of requests(W) length
//! ```
//!
//! with ceil((W + R) / T) jobs of a task within W. The 1 is one unit of time, in which the waiting request is served;
//! so those that are issued in the instant of its grant are counted too. Only what delays a job while it is pending
//! matters: W is never more than that job's response time. Where spinning can be preempted, a wait is taken to last
//! that long. The paper's FIFO ties need nothing of their own here: distinct priorities have no ties.
//!
//! *The optimum, without a solver.* Which resource delays on arrival is a whole choice, and so is which less urgent
//! request does there; with both made, resources are apart. Within one, each remote task's requests are limited: on
//! arrival by themselves, and while jobs spin by themselves (the urgent ones) or by a budget too (the others: one for
//! each wait). So it is optimal to take the longest requests first, each on arrival before it takes from the budget.
//! Retries widen the budget: gains fall with each, so the greatest next gains are taken first.

use super::frame::{Contended, Frame};
use super::Spinning;
use crate::users::{least_fixed_point, User};
use schedlab_analysis::blocking::Sharing;

/// Ranks of the requests of tasks: a smaller rank is served first, equal ones in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranks {
    /// All ranks are equal: an unordered lock.
    Equal,
    /// Requests of tasks with a higher priority go first.
    ByPriority,
}

/// Assumption on the length of one wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitLength {
    /// One wait lasts at most W.
    Bounded,
    /// One wait takes no time, as SchedCAT has it for unordered locks: this gives no bound (docs/peers.md).
    Instant,
}

/// A kind of lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Order in which requests are served.
    pub ranks: Ranks,
    /// Way in which jobs spin.
    pub spinning: Spinning,
    /// Assumption on the length of one wait.
    pub wait: WaitLength,
}

impl Lock {
    /// A lock with true bounds on waits.
    pub const fn new(ranks: Ranks, spinning: Spinning) -> Self {
        Lock { ranks, spinning, wait: WaitLength::Bounded }
    }
}

/// Most requests of one task that delay in one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Limit {
    most: u64,
    /// True if all tasks that share also take from one budget: one request for each wait.
    shares: bool,
}

/// One remote task's requests for the present resource.
#[derive(Clone, Copy, Debug)]
struct Contending {
    length: u64,
    count: u64,
    spin: Limit,
    arrival: Limit,
}

/// A pending job, with everything on which its bound depends.
#[derive(Clone, Copy, Debug)]
pub struct PendingJob<'a> {
    /// The analysed system.
    pub sharing: &'a Sharing,
    /// Bounds on response times, by task.
    pub responses: &'a [u64],
    /// Index of the job's task.
    pub task: usize,
    /// Kind of lock of its resources.
    pub lock: Lock,
}

impl PendingJob<'_> {
    /// The whole blocking of the job.
    pub fn bound(&self) -> u64 {
        let mut frame = Frame::default();
        frame.read(self.sharing);
        let job = (self.sharing, self.responses, self.task);
        frame.bound(job, self.lock.spinning, |place, requests| self.list(place, requests), delay)
    }

    /// Lists the requests of remote tasks for the resource, the longest first.
    fn list(&self, place: &Contended, all: &mut Vec<Contending>) {
        let rank = |task: usize| self.rank(task);
        let waits = place.waits();
        // The least urgent of those that wait: a task that is less urgent than it is so for all.
        let waiting = place.waiters.iter().map(|waiter| rank(waiter.task)).max();
        let arriving = place.below.iter().map(|user| rank(user.task)).max();
        let arriving = arriving.filter(|_| self.lock.spinning == Spinning::NonPreemptive);
        // Urgent ones delay as often as they are issued while a job waits, for each wait.
        let limit = |user: &User, least: Option<u32>, waits: u64| match least {
            None => Limit::default(),
            Some(least) if rank(user.task) <= least => {
                let each = self.issued(user, self.wait(place, least));
                Limit { most: each.saturating_mul(waits), shares: false }
            }
            Some(_) => Limit { most: u64::MAX, shares: true },
        };
        let of_user = |user: &User| {
            let (spin, arrival) = (limit(user, waiting, waits), limit(user, arriving, 1));
            let met = place.met(self.sharing, self.responses, user);
            Contending {
                length: user.length,
                count: self.issued(user, self.responses[self.task]),
                spin: Limit { most: spin.most.min(met), ..spin },
                arrival,
            }
        };
        all.extend(place.remote.iter().map(of_user));
        all.sort_by_key(|requests| u64::MAX - requests.length);
    }

    fn rank(&self, task: usize) -> u32 {
        match self.lock.ranks {
            Ranks::Equal => 0,
            Ranks::ByPriority => self.sharing.tasks()[task].level,
        }
    }

    /// Returns the most requests of `user` that are issued within an interval of this length.
    fn issued(&self, user: &User, interval: u64) -> u64 {
        let jobs = self.sharing.jobs_within(user.task, interval, self.responses[user.task]);
        jobs.saturating_mul(user.count)
    }

    /// W for a request of rank `least`.
    fn wait(&self, place: &Contended, least: u32) -> u64 {
        let most = self.responses[self.task];
        match (self.lock.wait, self.lock.spinning) {
            (WaitLength::Instant, _) => return 0,
            (WaitLength::Bounded, Spinning::Preemptable) => return most,
            (WaitLength::Bounded, Spinning::NonPreemptive) => {}
        }
        let is_urgent = |user: &&User| self.rank(user.task) <= least;
        let longest = place.remote.iter().filter(|user| !is_urgent(user)).map(|user| user.length).max();
        least_fixed_point(most, |wait| {
            let urgent = place.remote.iter().filter(is_urgent);
            let lengths = urgent.map(|user| self.issued(user, wait).saturating_mul(user.length));
            lengths.fold(longest.unwrap_or(0).saturating_add(1), u64::saturating_add)
        })
    }
}

/// Returns the longest delay by these requests, the longest first, with `waits` waits of local jobs. If the job arrives
/// while a less urgent one waits: which of the requests that share the budget of that one wait comes first?
fn delay(requests: &[Contending], waits: u64, arrives: bool) -> u64 {
    if !arrives {
        return taken(requests, waits, |_| 0);
    }
    let with = |first: usize| {
        taken(requests, waits, |index| {
            let Limit { most, shares } = requests[index].arrival;
            if shares {
                u64::from(index == first)
            } else {
                most
            }
        })
    };
    (0..requests.len()).map(with).max().unwrap_or(0)
}

/// Returns the longest delay if `arrivals` of each task's requests may delay on arrival.
fn taken(requests: &[Contending], mut waits: u64, arrivals: impl Fn(usize) -> u64) -> u64 {
    let mut sum = 0u64;
    for (index, Contending { length, count, spin, .. }) in requests.iter().enumerate() {
        let first = arrivals(index).min(*count);
        let mut second = spin.most.min(count - first);
        if spin.shares {
            second = second.min(waits);
            waits -= second;
        }
        sum = sum.saturating_add((first + second).saturating_mul(*length));
    }
    sum
}

#[cfg(test)]
mod tests;
