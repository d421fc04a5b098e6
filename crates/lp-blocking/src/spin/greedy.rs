//! The optimum of the spin locks' program, without a solver.
//!
//! *Why it is the optimum.* For one resource and one other processor, the program has columns S (spinning) and A (on
//! arrival) for each task there, with S at most a task's cap, S + A at most its requests, all S together at most the
//! number n of local requests, and all A at most the indicator a of the resource. With a fixed, taking the longest
//! requests first is optimal: for n units of spinning, and a units of the longest request of which some is left.
//! (Exchange argument: moving a unit from a shorter to a longer request never loses; which of S and A it is filed under
//! does not matter, and S before A leaves A, which has no cap by task, the most to choose from.) Gains are linear in a,
//! and the a of all resources sum to at most 1, so one resource takes all. Under preemptable spinning nothing is remote
//! on arrival, and the retries c of a resource widen n: gains are concave and piecewise linear in c with breaks at
//! integers, so the greatest next gains are taken first.

use super::frame::Frame;
use super::Spinning;
use crate::users::User;
use schedlab_analysis::blocking::Sharing;

/// Computes the bounds of all tasks of a system that is read once, for any response times.
#[derive(Clone, Debug, Default)]
pub struct Greedy(Frame<Remote>);

/// One remote task's requests for the present resource.
#[derive(Clone, Copy, Debug)]
struct Remote {
    cluster: u32,
    length: u64,
    requests: u64,
    cap: u64,
}

impl Greedy {
    /// Reads `sharing`, in place of what was read before.
    pub fn read(&mut self, sharing: &Sharing) {
        self.0.read(sharing);
    }

    /// The blocking of one job of `task`.
    pub fn bound(&mut self, sharing: &Sharing, responses: &[u64], task: usize, spinning: Spinning) -> u64 {
        let remote = |user: &User, cap: u64| {
            let jobs = sharing.jobs_within(user.task, responses[task], responses[user.task]);
            let requests = user.count.saturating_mul(jobs);
            Remote { cluster: user.cluster, length: user.length, requests, cap }
        };
        self.0.bound(
            (sharing, responses, task),
            spinning,
            |contended, requests| {
                let met = |user: &User| contended.met(sharing, responses, user);
                requests.extend(contended.remote.iter().map(|user| remote(user, met(user))));
            },
            delay,
        )
    }
}

/// Returns the longest spinning of `waits` waits; if a job arrives, with the wait of one more request.
fn delay(requests: &[Remote], waits: u64, arrives: bool) -> u64 {
    let (mut sum, mut left) = (0u64, 0u64);
    let (mut budget, mut arrival, mut seen) = (0, false, u32::MAX);
    for remote in requests {
        if remote.cluster != seen {
            (budget, arrival, seen) = (waits, arrives, remote.cluster);
        }
        let count = remote.requests.min(remote.cap).min(budget);
        budget -= count;
        sum = sum.saturating_add(count.saturating_mul(remote.length));
        if arrival && remote.requests > count {
            arrival = false;
            left = left.saturating_add(remote.length);
        }
    }
    sum.saturating_add(left)
}
