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

use super::Spinning;
use crate::users::{is_global, jobs, User, Users};
use schedlab_analysis::blocking::Sharing;

/// Reads a system once for the bounds of all its tasks, for any response times.
#[derive(Clone, Debug, Default)]
pub struct Greedy {
    users: Users,
    gains: Vec<u64>,
    /// Of the resource at hand, on other processors: the requests, and those that are left on arrival.
    remote: Vec<Remote>,
    /// Of the resource at hand: the local requests that may wait for it.
    local: Vec<Local>,
}

#[derive(Clone, Copy, Debug)]
struct Remote {
    cluster: u32,
    length: u64,
    requests: u64,
    cap: u64,
}

#[derive(Clone, Copy, Debug)]
struct Local {
    task: usize,
    jobs: u64,
}

impl Greedy {
    /// Reads `sharing`; what was read before is forgotten.
    pub fn read(&mut self, sharing: &Sharing) {
        self.users.read(sharing);
    }

    /// The blocking of one job of the task at `at`.
    pub fn bound(&mut self, sharing: &Sharing, responses: &[u64], at: usize, spinning: Spinning) -> u64 {
        let own = sharing.tasks()[at];
        let (mut sum, mut arrival) = (0u64, 0u64);
        self.gains.clear();
        for resource in 0..sharing.units().len() {
            let global = is_global(&self.users.by_resource()[resource]);
            let mut blocks = self.longest_below(sharing, resource, at, global);
            if global {
                let waits = self.collect(sharing, responses, resource, at);
                let (spin, left) = self.spin(waits);
                sum = sum.saturating_add(spin);
                match spinning {
                    Spinning::NonPreemptive => blocks = blocks.map(|length| length.saturating_add(left)),
                    Spinning::Preemptable => self.list_gains(sharing, responses, at, waits),
                }
            }
            arrival = arrival.max(blocks.unwrap_or(0));
        }
        if spinning == Spinning::Preemptable {
            let preemptions = preemptions(sharing, responses, at);
            self.gains.sort_unstable_by(|a, b| b.cmp(a));
            let taken = self.gains.iter().take(usize::try_from(preemptions).unwrap_or(usize::MAX));
            sum = taken.fold(sum, |sum, gain| sum.saturating_add(*gain));
        }
        assert!(own.cluster < sharing.clusters());
        sum.saturating_add(arrival)
    }

    /// The longest request that blocks a job on arrival: of a less urgent task of its processor, for a global
    /// resource, or for a local one that the job's level or a more urgent one uses.
    fn longest_below(&self, sharing: &Sharing, resource: usize, at: usize, global: bool) -> Option<u64> {
        let own = &sharing.tasks()[at];
        let users = &self.users.by_resource()[resource];
        let level = |user: &User| sharing.tasks()[user.task].level;
        let ceiling = users.iter().map(level).min()?;
        if !global && ceiling > own.level {
            return None;
        }
        let below = users.iter().filter(|user| user.cluster == own.cluster && level(user) > own.level);
        below.map(|user| user.length).max()
    }

    /// Lists local jobs that request the resource and remote requests; tells how often one of the former waits.
    fn collect(&mut self, sharing: &Sharing, responses: &[u64], resource: usize, at: usize) -> u64 {
        let own = &sharing.tasks()[at];
        self.local.clear();
        self.remote.clear();
        let mut waits = 0u64;
        let users = &self.users.by_resource()[resource];
        for user in users.iter().filter(|user| user.cluster == own.cluster) {
            if user.task != at && sharing.tasks()[user.task].level >= own.level {
                continue;
            }
            let jobs = if user.task == at { 1 } else { jobs(sharing, responses, user.task, at) };
            waits = waits.saturating_add(jobs.saturating_mul(user.count));
            self.local.push(Local { task: user.task, jobs });
        }
        for user in users.iter().filter(|user| user.cluster != own.cluster) {
            let within = |task: usize| {
                user.count.saturating_mul(sharing.jobs_within(
                    user.task,
                    responses[task],
                    responses[user.task],
                ))
            };
            let caps = self.local.iter().map(|local| local.jobs.saturating_mul(within(local.task)));
            let cap = caps.fold(0, u64::saturating_add);
            let (cluster, length, requests) = (user.cluster, user.length, within(at));
            self.remote.push(Remote { cluster, length, requests, cap });
        }
        waits
    }

    /// The longest spinning of so many waits, and what one more request, on arrival, would wait.
    fn spin(&self, waits: u64) -> (u64, u64) {
        let (mut sum, mut left) = (0u64, 0u64);
        let (mut budget, mut arrival, mut seen) = (0, false, u32::MAX);
        for remote in &self.remote {
            if remote.cluster != seen {
                (budget, arrival, seen) = (waits, true, remote.cluster);
            }
            let count = remote.requests.min(remote.cap).min(budget);
            budget -= count;
            sum = sum.saturating_add(count.saturating_mul(remote.length));
            if arrival && remote.requests > count {
                arrival = false;
                left = left.saturating_add(remote.length);
            }
        }
        (sum, left)
    }

    /// What each further wait for this resource would add.
    fn list_gains(&mut self, sharing: &Sharing, responses: &[u64], at: usize, waits: u64) {
        if waits == 0 {
            return;
        }
        let (mut sum, _) = self.spin(waits);
        for more in 1..=preemptions(sharing, responses, at) {
            let (with, _) = self.spin(waits.saturating_add(more));
            if with == sum {
                break;
            }
            self.gains.push(with - sum);
            sum = with;
        }
    }
}

/// How often jobs that are pending together with one of the task at `at` can be preempted: once for each more urgent
/// one.
pub fn preemptions(sharing: &Sharing, responses: &[u64], at: usize) -> u64 {
    let own = &sharing.tasks()[at];
    let above = |task: &usize| {
        let other = &sharing.tasks()[*task];
        other.cluster == own.cluster && other.level < own.level
    };
    let tasks = (0..sharing.tasks().len()).filter(above);
    tasks.map(|task| jobs(sharing, responses, task, at)).fold(0, u64::saturating_add)
}
