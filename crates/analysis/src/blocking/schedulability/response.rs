//! Response times under partitioned fixed priorities with blocking, iterated until stable.
//!
//! N. Audsley, A. Burns, M. Richardson, K. Tindell and A. Wellings, *Applying new scheduling theory to static priority
//! pre-emptive scheduling*, Software Engineering Journal 8(5), 1993, with the terms of a blocking bound:
//!
//! ```text
//! spinning:    R = C + remote + local + sum over higher ceil(R / T_h) (C_h + remote_h)
//! suspending:  R = C + remote + local + sum over higher ceil((R + J_h) / T_h) C_h,
//!              J_h = R_h - C_h if h may suspend itself
//! ```
//!
//! J_h is the carry-in of J.-J. Chen et al., *Many suspensions, many problems*, Real-Time Systems 55(1), 2019, section
//! 4 (using the bound on suspension itself as jitter is unsound). Where a blocking bound counts requests by response
//! times, both are iterated from below: the least common fixed point bounds the response times, by induction over the
//! first job to exceed it.
//!
//! Assumes constrained deadlines, one processor in each cluster, and distinct levels. [`Iteration`] can be used again
//! without allocating anew.

use crate::blocking::members::Members;
use crate::blocking::{Sharer, Sharing, Terms};

/// State of a job that waits for what it requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The job keeps its processor busy.
    Spins,
    /// The job gives up its processor.
    Suspends,
}

/// Rounds after which an iteration is given up; each round raises some response time.
const MOST_ROUNDS: usize = 10_000;

/// Response times by task; kept between uses.
#[derive(Clone, Debug, Default)]
pub struct Iteration {
    members: Members,
    responses: Vec<u64>,
    /// Terms with which each task was last computed.
    terms: Vec<Terms>,
    /// Interference of each task with less urgent tasks of its processor, in the order of `members`.
    levels: Vec<Level>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Level {
    cost: u64,
    period: u64,
    jitter: u64,
    /// Sum of the costs of one job of each task up to here.
    sum: u64,
}

/// Sum of the costs of one job of each task.
fn sum(higher: &[Level]) -> u64 {
    higher.last().map_or(0, |last| last.sum)
}

impl Iteration {
    /// Bounds the response times of all tasks, if none is beyond its relative deadline; `bound` gives the terms of
    /// a task for given response times, and does not fall as they rise.
    pub fn run(
        &mut self,
        sharing: &Sharing,
        waiting: Waiting,
        mut bound: impl FnMut(usize, &[u64]) -> Terms,
    ) -> Result<&[u64], Failure> {
        self.start(sharing);
        self.go_on(sharing, waiting, &mut bound)
    }

    /// Runs as [`Iteration::run`] does, for bounds that are slow to compute. It computes none if a task is late even
    /// without blocking, and otherwise starts from the response times without blocking. These are not above the
    /// response times with blocking, so that the least fixed point is the same.
    pub fn run_above_none(
        &mut self,
        sharing: &Sharing,
        waiting: Waiting,
        mut bound: impl FnMut(usize, &[u64]) -> Terms,
    ) -> Result<&[u64], Failure> {
        self.settle(sharing, waiting, |_| Terms::new(0, 0))?;
        // Those were no bounds: a task that is not reached has none.
        self.terms.fill(Terms::default());
        self.go_on(sharing, waiting, &mut bound)
    }

    /// Rounds until nothing changes, from where the iteration is.
    fn go_on(
        &mut self,
        sharing: &Sharing,
        waiting: Waiting,
        bound: &mut impl FnMut(usize, &[u64]) -> Terms,
    ) -> Result<&[u64], Failure> {
        for round in 0..MOST_ROUNDS {
            let stable = self.round(sharing, waiting, round == 0, bound)?;
            if stable && round > 0 {
                return Ok(&self.responses);
            }
        }
        Err(Failure::Rounds)
    }

    /// Runs as [`Iteration::run`] does, for terms that do not depend on response times. One pass is enough because a
    /// task's response time depends on those of more urgent tasks only.
    pub fn settle(
        &mut self,
        sharing: &Sharing,
        waiting: Waiting,
        mut terms: impl FnMut(usize) -> Terms,
    ) -> Result<&[u64], Failure> {
        self.start(sharing);
        self.round(sharing, waiting, true, &mut |task, _| terms(task))?;
        Ok(&self.responses)
    }

    /// Computes every task once, on each processor by falling priority. Returns whether all response times stayed as
    /// they were.
    fn round(
        &mut self,
        sharing: &Sharing,
        waiting: Waiting,
        is_first: bool,
        bound: &mut impl FnMut(usize, &[u64]) -> Terms,
    ) -> Result<bool, Failure> {
        let mut stable = true;
        for cluster in 0..sharing.clusters() {
            let mut risen = is_first;
            for place in self.members.places(cluster) {
                let task = self.members.all()[place] as usize;
                let terms = bound(task, &self.responses);
                risen |= terms != self.terms[task];
                if risen {
                    self.terms[task] = terms;
                    let higher = &self.levels[self.members.places(cluster).start..place];
                    let response = self.response(sharing, task, higher).ok_or(Failure::Beyond(task))?;
                    stable &= self.responses[task] == response;
                    self.responses[task] = response;
                    self.levels[place] = self.level(sharing, task, waiting, sum(higher));
                }
            }
        }
        Ok(stable)
    }

    /// The terms that the last run ended with.
    pub(crate) fn terms(&self) -> &[Terms] {
        &self.terms
    }

    fn start(&mut self, sharing: &Sharing) {
        let tasks = sharing.tasks();
        self.members.fill(sharing);
        self.responses.clear();
        self.responses.extend(tasks.iter().map(|task| task.cost));
        self.terms.clear();
        self.terms.resize(tasks.len(), Terms::default());
        self.levels.clear();
        self.levels.resize(tasks.len(), Level::default());
    }

    /// Returns the least fixed point for one task; `None` if it is beyond the relative deadline. The response time of
    /// the last round must not be above it.
    fn response(&self, sharing: &Sharing, index: usize, higher: &[Level]) -> Option<u64> {
        let task = &sharing.tasks()[index];
        let own = task.cost.saturating_add(self.terms[index].total()?);
        // Each more urgent task has at least one job within the response time.
        let once = own.saturating_add(sum(higher));
        let mut response = once.max(self.responses[index]).max(1);
        loop {
            if response > task.relative_deadline {
                return None;
            }
            let mut next = own;
            for level in higher {
                let span = response + level.jitter;
                // Most have one job only, and a division takes long.
                let jobs = if span <= level.period { 1 } else { span.div_ceil(level.period) };
                next = next.saturating_add(jobs.saturating_mul(level.cost));
            }
            if next <= response {
                return Some(response);
            }
            response = next;
        }
    }

    /// Returns the interference of `task` with less urgent tasks of its processor, below tasks of which one job each
    /// takes `before`.
    fn level(&self, sharing: &Sharing, task: usize, waiting: Waiting, before: u64) -> Level {
        let Sharer { cost, period, .. } = sharing.tasks()[task];
        let remote = self.terms[task].remote.unwrap_or(u64::MAX);
        let (cost, jitter) = match waiting {
            Waiting::Spins => (cost.saturating_add(remote), 0),
            Waiting::Suspends if remote == 0 => (cost, 0),
            Waiting::Suspends => (cost, self.responses[task] - cost),
        };
        Level { cost, period, jitter, sum: before.saturating_add(cost) }
    }
}

/// Reason why there are no response times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The task at this place may take longer than its relative deadline.
    Beyond(usize),
    /// The iteration takes too many rounds.
    Rounds,
}

/// Response times with given terms: `None` on each processor from the first task on that is beyond its relative
/// deadline.
pub fn with_terms(sharing: &Sharing, terms: &[Terms], waiting: Waiting) -> Vec<Option<u64>> {
    let mut found = vec![None; sharing.tasks().len()];
    let mut iteration = Iteration::default();
    iteration.start(sharing);
    iteration.terms.copy_from_slice(terms);
    for cluster in 0..sharing.clusters() {
        let places = iteration.members.places(cluster);
        for place in places.clone() {
            let task = iteration.members.all()[place] as usize;
            let higher = &iteration.levels[places.start..place];
            found[task] = iteration.response(sharing, task, higher);
            let Some(response) = found[task] else { break };
            iteration.responses[task] = response;
            iteration.levels[place] = iteration.level(sharing, task, waiting, sum(higher));
        }
    }
    found
}
