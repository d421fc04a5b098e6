//! Response times under partitioned fixed priorities with blocking, iterated until stable.
//!
//! N. Audsley, A. Burns, M. Richardson, K. Tindell and A. Wellings, *Applying new scheduling theory to static priority
//! pre-emptive scheduling*, Software Engineering Journal 8(5), 1993, with the terms of a blocking bound:
//!
//! ```text
//! spinning:    R = C + remote + local + sum over higher ceil(R / T_h) (C_h + remote_h)
//! suspending:  R = C + remote + local + sum over higher ceil((R + J_h) / T_h) C_h,  J_h = R_h - C_h if h may suspend itself
//! ```
//!
//! J_h is the carry-in of J.-J. Chen et al., *Many suspensions, many problems*, Real-Time Systems 55(1), 2019, section 4 (using the bound on
//! suspension itself as jitter is unsound). Where a blocking bound counts requests by response times, both are
//! iterated from below: the least common fixed point bounds the response times, by induction over the first job to exceed it.
//!
//! Assumes constrained deadlines, one processor in each cluster, and distinct levels. [`Iteration`] can be used again
//! without allocating anew.

use super::sharing::Sharing;
use super::terms::Terms;

/// What a job does while it waits for what it requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It keeps its processor busy.
    Spins,
    /// It gives up its processor.
    Suspends,
}

/// Rounds after which an iteration is given up; each round raises some response time.
const MOST_ROUNDS: usize = 10_000;

/// Response times by task; kept between uses.
#[derive(Clone, Debug, Default)]
pub struct Iteration {
    /// Task, by cluster and then falling priority.
    order: Vec<u32>,
    responses: Vec<u64>,
    /// What each task was last computed with.
    terms: Vec<Terms>,
    levels: Vec<Level>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Level {
    cost: u64,
    period: u64,
    jitter: u64,
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
        for round in 0..MOST_ROUNDS {
            let mut stable = true;
            let mut cluster = u32::MAX;
            let mut risen = false;
            for place in 0..self.order.len() {
                let at = self.order[place] as usize;
                if sharing.tasks()[at].cluster != cluster {
                    cluster = sharing.tasks()[at].cluster;
                    self.levels.clear();
                    risen = round == 0;
                }
                let terms = bound(at, &self.responses);
                risen |= terms != self.terms[at];
                self.terms[at] = terms;
                let before = self.responses[at];
                if risen {
                    self.responses[at] = self.response(sharing, at).ok_or(Failure::Beyond(at))?;
                }
                risen |= self.responses[at] != before;
                stable &= self.responses[at] == before;
                self.push_level(sharing, at, waiting);
            }
            if stable && round > 0 {
                return Ok(&self.responses);
            }
        }
        Err(Failure::Rounds)
    }

    /// The terms that the last run ended with.
    pub fn terms(&self) -> &[Terms] {
        &self.terms
    }

    fn start(&mut self, sharing: &Sharing) {
        let tasks = sharing.tasks();
        self.order.clear();
        self.order.extend(0..tasks.len() as u32);
        self.order.sort_unstable_by_key(|at| {
            let task = &tasks[*at as usize];
            (u64::from(task.cluster) << 32 | u64::from(task.level), *at)
        });
        self.responses.clear();
        self.responses.extend(tasks.iter().map(|task| task.cost));
        self.terms.clear();
        self.terms.resize(tasks.len(), Terms::default());
        self.levels.clear();
    }

    /// The least fixed point for one task; `None` if it is beyond the relative deadline. The last value is not above it.
    fn response(&self, sharing: &Sharing, at: usize) -> Option<u64> {
        let task = &sharing.tasks()[at];
        let own = task.cost.saturating_add(self.terms[at].total()?);
        // Each more urgent task has at least one job within the response time.
        let once = self.levels.iter().fold(own, |sum, level| sum.saturating_add(level.cost));
        let mut response = once.max(self.responses[at]).max(1);
        loop {
            if response > task.relative_deadline {
                return None;
            }
            let mut next = own;
            for level in &self.levels {
                let jobs = (response + level.jitter).div_ceil(level.period);
                next = next.saturating_add(jobs.saturating_mul(level.cost));
            }
            if next <= response {
                return Some(response);
            }
            response = next;
        }
    }

    /// What less urgent tasks of the same processor see of the task at `at`.
    fn push_level(&mut self, sharing: &Sharing, at: usize, waiting: Waiting) {
        let task = &sharing.tasks()[at];
        let remote = self.terms[at].remote.unwrap_or(u64::MAX);
        let (cost, jitter) = match waiting {
            Waiting::Spins => (task.cost.saturating_add(remote), 0),
            Waiting::Suspends if remote == 0 => (task.cost, 0),
            Waiting::Suspends => (task.cost, self.responses[at] - task.cost),
        };
        self.levels.push(Level { cost, period: task.period, jitter });
    }
}

/// Why there are no response times.
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
    let (mut cluster, mut failed) = (u32::MAX, false);
    for place in 0..iteration.order.len() {
        let at = iteration.order[place] as usize;
        if sharing.tasks()[at].cluster != cluster {
            cluster = sharing.tasks()[at].cluster;
            failed = false;
            iteration.levels.clear();
        }
        if failed {
            continue;
        }
        found[at] = iteration.response(sharing, at);
        match found[at] {
            Some(response) => iteration.responses[at] = response,
            None => failed = true,
        }
        if !failed {
            iteration.push_level(sharing, at, waiting);
        }
    }
    found
}
