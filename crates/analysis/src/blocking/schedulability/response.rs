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
use crate::steps::{
    Computation, GoesBefore, JitterCause, JobsOf, ResponseSteps, Rows, Unwatched, Watch, WindowRule, Windows,
};
use schedlab_model::TaskId;

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
        self.run_watched(sharing, waiting, |task, responses, _| bound(task, responses), &mut Unwatched)
    }

    /// Runs as [`Iteration::run`] does, while `watch` watches; `bound` shows the parts of its terms. The steps of the
    /// last round stay.
    pub(crate) fn run_watched<W: Watch>(
        &mut self,
        sharing: &Sharing,
        waiting: Waiting,
        mut bound: impl FnMut(usize, &[u64], &mut W) -> Terms,
        watch: &mut W,
    ) -> Result<&[u64], Failure> {
        self.start(sharing);
        self.go_on(sharing, waiting, &mut bound, watch)
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
        self.go_on(sharing, waiting, &mut |task, responses, _| bound(task, responses), &mut Unwatched)
    }

    /// Rounds until nothing changes, from where the iteration is.
    fn go_on<W: Watch>(
        &mut self,
        sharing: &Sharing,
        waiting: Waiting,
        bound: &mut impl FnMut(usize, &[u64], &mut W) -> Terms,
        watch: &mut W,
    ) -> Result<&[u64], Failure> {
        for round in 0..MOST_ROUNDS {
            let stable = self.round(sharing, waiting, round == 0, bound, watch)?;
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
        terms: impl FnMut(usize) -> Terms,
    ) -> Result<&[u64], Failure> {
        self.settle_watched(sharing, waiting, terms, &mut Unwatched)
    }

    /// Runs as [`Iteration::settle`] does, while `watch` watches.
    pub(crate) fn settle_watched(
        &mut self,
        sharing: &Sharing,
        waiting: Waiting,
        mut terms: impl FnMut(usize) -> Terms,
        watch: &mut impl Watch,
    ) -> Result<&[u64], Failure> {
        self.start(sharing);
        self.round(sharing, waiting, true, &mut |task, _, _| terms(task), watch)?;
        Ok(&self.responses)
    }

    /// Computes every task once, on each processor by falling priority. Returns whether all response times stayed as
    /// they were.
    fn round<W: Watch>(
        &mut self,
        sharing: &Sharing,
        waiting: Waiting,
        is_first: bool,
        bound: &mut impl FnMut(usize, &[u64], &mut W) -> Terms,
        watch: &mut W,
    ) -> Result<bool, Failure> {
        let mut stable = true;
        for cluster in 0..sharing.clusters() {
            let mut risen = is_first;
            for place in self.members.places(cluster) {
                let task = self.members.all()[place] as usize;
                let terms = bound(task, &self.responses, watch);
                risen |= terms != self.terms[task];
                if risen {
                    self.terms[task] = terms;
                    let higher = &self.levels[self.members.places(cluster).start..place];
                    let response = match watch.wants(Some(TaskId(task as u32))) {
                        true => self.shown(sharing, place, self.members.places(cluster).start, watch),
                        false => self.response(sharing, task, higher, false, &mut Unwatched),
                    };
                    let Some(response) = response else {
                        watch.end_with(TaskId(task as u32));
                        return Err(Failure::Beyond(task));
                    };
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
    /// the last round must not be above it. The iteration begins at the own cost and blocking if `from_own`, as
    /// textbooks do, else as high as it can.
    fn response(
        &self,
        sharing: &Sharing,
        index: usize,
        higher: &[Level],
        from_own: bool,
        rows: &mut impl Rows,
    ) -> Option<u64> {
        let task = &sharing.tasks()[index];
        let own = task.cost.saturating_add(self.terms[index].total()?);
        // Each more urgent task has at least one job within the response time.
        let once = own.saturating_add(sum(higher));
        let from = if from_own { own } else { once.max(self.responses[index]) };
        let mut response = from.max(1);
        loop {
            if response > task.relative_deadline {
                return None;
            }
            let mut next = own;
            for level in higher {
                let span = response + level.jitter;
                // Most have one job only, and a division takes long.
                let jobs = if span <= level.period { 1 } else { span.div_ceil(level.period) };
                let work = jobs.saturating_mul(level.cost);
                rows.jobs(JobsOf { jobs, work: work.into() });
                next = next.saturating_add(work);
            }
            rows.row(response.into(), next.into());
            if next <= response {
                return Some(response);
            }
            response = next;
        }
    }

    /// Returns what [`Iteration::response`] does for the task at `place`, and shows its steps. The places of more
    /// urgent tasks begin at `first`.
    fn shown(&self, sharing: &Sharing, place: usize, first: usize, watch: &mut impl Watch) -> Option<u64> {
        let id = |place: usize| TaskId(self.members.all()[place]);
        let of = |place: usize| {
            let Level { cost, period, jitter, .. } = self.levels[place];
            let task = id(place);
            let spinning = cost - sharing.tasks()[task.index()].cost;
            GoesBefore { task, cost, spinning, period, jitter, jitter_cause: JitterCause::CarryIn }
        };
        let index = id(place).index();
        let Sharer { cost, period, relative_deadline, .. } = sharing.tasks()[index];
        let (task, jitter_cause) = (id(place), JitterCause::CarryIn);
        let own = GoesBefore { task, cost, spinning: 0, period, jitter: 0, jitter_cause };
        let blocking = self.terms[index].total()?;
        let higher = (first..place).map(of).collect();
        let rule = WindowRule::UntilCompletion;
        let mut steps = ResponseSteps::new(rule, own, blocking, relative_deadline, higher);
        steps.begin(1, u128::from(cost) + u128::from(blocking));
        let response = self.response(sharing, index, &self.levels[first..place], true, &mut steps);
        if let Some(response) = response {
            steps.respond(response.into());
        }
        steps.bound = response.map(u128::from);
        watch.renew(Computation::Response(steps));
        response
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
            found[task] = iteration.response(sharing, task, higher, false, &mut Unwatched);
            let Some(response) = found[task] else { break };
            iteration.responses[task] = response;
            iteration.levels[place] = iteration.level(sharing, task, waiting, sum(higher));
        }
    }
    found
}
