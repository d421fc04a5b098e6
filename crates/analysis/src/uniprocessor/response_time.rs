//! Response-time analysis of preemptive fixed priorities on one processor.
//!
//! N. Audsley, A. Burns, M. Richardson, K. Tindell and A. Wellings, *Applying new scheduling theory to
//! static priority pre-emptive scheduling*, Software Engineering Journal 8(5), 1993 (release jitter and
//! blocking); J. Lehoczky, *Fixed priority scheduling of periodic task sets with arbitrary deadlines*,
//! RTSS 1990 (several jobs in one busy window); K. Tindell, A. Burns and A. Wellings, *An extendible
//! approach for analyzing fixed priority hard real-time tasks*, Real-Time Systems 6(2), 1994 (both).
//!
//! A level-i busy window opens when everything of level i or higher is released at once, each task's
//! first job as late as its jitter allows. Job q of task i (from 0) completes at the least fixed point
//!
//! ```text
//! w(q) = B + (q + 1) C_i + sum over higher priorities of ceil((w(q) + J_j) / T_j) C_j
//! ```
//!
//! and arrived at q T_i - J_i, so that its response time is w(q) + J_i - q T_i. The window closes with
//! the first q whose w(q) is not beyond the next arrival; one may stop earlier, once w(q) <= (q + 1) T_i:
//! the sum of two such windows is an upper bound on their joint window, hence w(q + k) <= w(q) + w(k - 1)
//! and job q + k is not slower than job k - 1. The verdict compares
//! w + J with D, not w. Where the level needs at most 100%, w(q + H / T_i) <= w(q) + H for a common
//! multiple H of its periods, so that no job after the first H / T_i is slower. Pseudo-polynomial;
//! iteration is bounded by a budget, and by a small one once a deadline is known to be missed.

use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::exact::compare_sum;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::sides::Sides;
use crate::steps::{
    Computation, GoesBefore, JitterCause, JobsOf, ResponseSteps, Unwatched, Watch, WindowRule, Windows,
};
use crate::system::{AnalysedOrder, SporadicTask, System};
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::{Duration, TaskId};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "response_time",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: &[
        Assumption::OneProcessorFixedPriorities,
        Assumption::JobsInSequence,
        Assumption::SuspensionAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Audsley et al., Softw. Eng. J. 8(5), 1993; Lehoczky, RTSS 1990; Tindell et al., RTS 6(2), 1994",
    cost: "pseudo-polynomial; O(n^2) for a step of all fixed points",
    applies: System::is_preemptive_fp_uniprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    verdict(system, &vec![0; system.tasks.len()], &mut Budget::default(), watch)
}

/// The verdict with a bound on the blocking of each task's jobs, in the order of `system.tasks`.
pub fn verdict(system: &System, blocking: &[u64], budget: &mut Budget, watch: &mut impl Watch) -> Verdict {
    let outcomes = outcomes(system, blocking, budget, watch);
    conclude(&TEST, system, &outcomes, |reason, bounds| match blocking.iter().all(|&term| term == 0) {
        true => TEST.refuted(system, reason, bounds),
        false => TEST.unknown_with(reason, bounds),
    })
}

/// Returns the verdict that follows from these outcomes, in the order of `system.tasks`; `on_miss` makes the verdict if
/// a response time is beyond its deadline.
pub(super) fn conclude(
    test: &Test,
    system: &System,
    outcomes: &[LongestResponse],
    on_miss: impl FnOnce(Reason, Bounds) -> Verdict,
) -> Verdict {
    let mut bounds = Vec::with_capacity(outcomes.len());
    let (mut missed, mut unfinished) = (None, None);
    let mut closest: Option<(u128, TaskId, u128, u128)> = None;
    for (task, outcome) in system.tasks.iter().zip(outcomes) {
        let relative_deadline = u128::from(task.relative_deadline);
        bounds.push(match *outcome {
            LongestResponse::Bounded(response) => u64::try_from(response).ok().map(Duration::from_ns),
            LongestResponse::Unbounded | LongestResponse::Spent { .. } => None,
        });
        match *outcome {
            LongestResponse::Bounded(response) | LongestResponse::Spent { so_far: response }
                if response > relative_deadline =>
            {
                missed = missed.or(Some(Reason::ResponseTooLong {
                    task: task.id,
                    response: Ns(response),
                    relative_deadline: Ns(relative_deadline),
                }));
            }
            LongestResponse::Bounded(response) => {
                let left = relative_deadline - response;
                if closest.is_none_or(|(least, ..)| left < least) {
                    closest = Some((left, task.id, response, relative_deadline));
                }
            }
            LongestResponse::Unbounded => missed = missed.or_else(|| Some(overloaded(system, task))),
            LongestResponse::Spent { .. } => {
                unfinished = unfinished.or(Some(Reason::BudgetSpentOn(task.id)));
            }
        }
    }
    let bounds = Bounds::ResponseTime(bounds);
    match (missed, unfinished) {
        (Some(reason), _) => on_miss(reason, bounds),
        (None, Some(reason)) => test.unknown_with(reason, bounds),
        (None, None) => test.schedulable(within(closest), bounds),
    }
}

/// Returns the reason that no response time is too long, with the slack, response time and relative deadline of the
/// task that comes closest.
fn within(closest: Option<(u128, TaskId, u128, u128)>) -> Reason {
    match closest {
        None => Reason::ResponsesShort,
        Some((_, task, response, relative_deadline)) => {
            Reason::Closest { task, response: Ns(response), relative_deadline: Ns(relative_deadline) }
        }
    }
}

/// Returns the reason that `task` and the tasks that go before it ask for more than a processor can do.
fn overloaded(system: &System, task: &SporadicTask) -> Reason {
    let goes_before = |other: &&SporadicTask| match system.order {
        AnalysedOrder::FixedPriority => (other.rank, other.id) <= (task.rank, task.id),
        AnalysedOrder::FixedPriorityOpenTies => other.rank <= task.rank,
        AnalysedOrder::Edf
        | AnalysedOrder::AfterArrival
        | AnalysedOrder::Pfair(_)
        | AnalysedOrder::Theorem(_)
        | AnalysedOrder::Unanalysed => true,
    };
    let load = system.tasks.iter().filter(goes_before);
    let load = load.map(|other| (other.oblivious_cost(), other.period)).collect();
    let sides = Sides::of_processors(load, 1, false);
    system.with_suspension(Reason::LevelOverloaded { task: task.id, sides })
}

/// Longest response time of one task, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongestResponse {
    /// A bound on every response time.
    Bounded(u128),
    /// There is no bound, because the task's level is overloaded.
    Unbounded,
    /// The budget was spent before the response times were known.
    Spent {
        /// The longest response time found until then.
        so_far: u128,
    },
}

impl LongestResponse {
    /// The bound, if there is one.
    pub(super) fn bound(self) -> Option<u128> {
        match self {
            LongestResponse::Bounded(bound) => Some(bound),
            LongestResponse::Unbounded | LongestResponse::Spent { .. } => None,
        }
    }

    fn misses(self, relative_deadline: u64) -> bool {
        match self {
            LongestResponse::Bounded(response) | LongestResponse::Spent { so_far: response } => {
                response > u128::from(relative_deadline)
            }
            LongestResponse::Unbounded => true,
        }
    }
}

/// Terms spent on bounds once the verdict is clear.
const AFTER_MISS: u64 = 1 << 20;

fn common_multiple(a: u64, b: u64) -> Option<u64> {
    (a / num_integer::gcd(a, b)).checked_mul(b)
}

/// The outcome of each task, in the order of `system.tasks`, with these blocking terms.
pub(crate) fn outcomes(
    system: &System,
    blocking: &[u64],
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> Vec<LongestResponse> {
    let order = system.by_priority();
    let ordered: Vec<Level> = order.iter().map(|&task| Level::new(system, task, blocking[task])).collect();
    let utilizations: Vec<_> = ordered.iter().map(|level| (level.cost, level.period)).collect();
    let fits = |count: &usize| compare_sum(&utilizations[..*count], 1).is_le();
    let sizes: Vec<usize> = (1..=ordered.len()).collect();
    let bounded = sizes.partition_point(fits);

    let mut outcomes = vec![LongestResponse::Unbounded; ordered.len()];
    let mut start = 0;
    let mut hyperperiod = Some(1);
    let mut after_miss = Budget::of(AFTER_MISS);
    let mut missed = false;
    for (place, &task) in order.iter().enumerate().take(bounded) {
        let level = &ordered[place];
        // Without the own cost, w(0) is at least the window of the level above: start there.
        if place > 0 && level.blocking < ordered[place - 1].blocking {
            start = 0;
        }
        hyperperiod = hyperperiod.and_then(|so_far| common_multiple(so_far, level.period));
        let jobs = hyperperiod.map_or(u64::MAX, |hyperperiod| hyperperiod / level.period);
        let budget = if missed { &mut after_miss } else { &mut *budget };
        let mut window = Window { own: level, higher: &ordered[..place], budget };
        let relative_deadline = system.tasks[task].relative_deadline;
        let first;
        (first, outcomes[task]) = match watch.wants(Some(level.task)) {
            true => window.shown(jobs, relative_deadline, watch),
            false => window.busy(start, jobs, relative_deadline, &mut Unwatched),
        };
        start = first;
        missed |= outcomes[task].misses(relative_deadline);
    }
    if let Some(overloaded) = order.get(bounded) {
        watch.end_with(system.tasks[*overloaded].id);
    }
    outcomes
}

/// The outcome of the task at `own` if those at `higher` go before it and no other; nothing blocks it.
pub(crate) fn lowest(
    system: &System,
    own: usize,
    higher: &[usize],
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> LongestResponse {
    let higher: Vec<Level> = higher.iter().map(|&task| Level::new(system, task, 0)).collect();
    let own_level = Level::new(system, own, 0);
    let all = || higher.iter().chain([&own_level]);
    let utilizations: Vec<_> = all().map(|level| (level.cost, level.period)).collect();
    if compare_sum(&utilizations, 1).is_gt() {
        return LongestResponse::Unbounded;
    }
    let hyperperiod = all().try_fold(1, |so_far, level| common_multiple(so_far, level.period));
    let jobs = hyperperiod.map_or(u64::MAX, |hyperperiod| hyperperiod / own_level.period);
    let mut window = Window { own: &own_level, higher: &higher, budget };
    let relative_deadline = system.tasks[own].relative_deadline;
    match watch.wants(Some(own_level.task)) {
        true => window.shown(jobs, relative_deadline, watch).1,
        false => window.busy(0, jobs, relative_deadline, &mut Unwatched).1,
    }
}

/// The busy window w(0) of each task by falling priority, `None` from the first task on whose window is beyond its
/// relative deadline or the budget.
pub fn first_windows(system: &System, blocking: &[u64], budget: &mut Budget) -> Vec<Option<u64>> {
    let order = system.by_priority();
    let ordered: Vec<Level> = order.iter().map(|&task| Level::new(system, task, blocking[task])).collect();
    let mut windows = vec![None; order.len()];
    for (place, &task) in order.iter().enumerate() {
        let limit = u128::from(system.tasks[task].relative_deadline);
        let mut window = Window { own: &ordered[place], higher: &ordered[..place], budget };
        let Some(first) = window.fixed_point(1, 0, limit, &mut Unwatched) else { break };
        windows[place] = Some(first as u64);
    }
    windows
}

/// Interference of one task with its own and lower levels.
struct Level {
    task: TaskId,
    cost: u64,
    period: u64,
    jitter: u64,
    blocking: u64,
}

impl Level {
    fn new(system: &System, index: usize, blocking: u64) -> Self {
        let task = &system.tasks[index];
        let (cost, period, jitter) = (task.oblivious_cost(), task.period, task.jitter);
        Level { task: task.id, cost, period, jitter, blocking }
    }

    /// The level as a step shows it.
    fn shown(&self) -> GoesBefore {
        let Level { task, cost, period, jitter, .. } = *self;
        GoesBefore { task, cost, spinning: 0, period, jitter, jitter_cause: JitterCause::Jitter }
    }
}

struct Window<'a> {
    own: &'a Level,
    higher: &'a [Level],
    budget: &'a mut Budget,
}

/// Length in ns beyond which a window counts as endless (146 years).
const ENDLESS: u128 = 1 << 62;

impl Window<'_> {
    /// Returns w(0), or a lower bound on it if the budget was spent, and the longest response time of the first `most`
    /// jobs.
    fn busy(
        &mut self,
        start: u128,
        most: u64,
        relative_deadline: u64,
        windows: &mut impl Windows,
    ) -> (u128, LongestResponse) {
        let (period, jitter) = (u128::from(self.own.period), u128::from(self.own.jitter));
        let (mut first, mut worst) = (start, 0);
        let mut from = start;
        let mut after_miss = Budget::of(AFTER_MISS);
        for jobs in 1..=most {
            let Some(window) = self.fixed_point(jobs, from, ENDLESS, windows) else {
                return (first, LongestResponse::Spent { so_far: worst });
            };
            if jobs == 1 {
                first = window;
            }
            let response = window + jitter - u128::from(jobs - 1) * period;
            windows.respond(response);
            worst = worst.max(response);
            if window <= u128::from(jobs) * period {
                break;
            }
            let late = worst > u128::from(relative_deadline);
            if late && !after_miss.spend(self.higher.len() + 1) {
                return (first, LongestResponse::Spent { so_far: worst });
            }
            from = window;
        }
        (first, LongestResponse::Bounded(worst))
    }

    /// Returns what [`Window::busy`] does, and shows its steps. The iteration begins at the own cost, as textbooks do,
    /// and not at the window of the level above; the least fixed point is the same.
    fn shown(
        &mut self,
        most: u64,
        relative_deadline: u64,
        watch: &mut impl Watch,
    ) -> (u128, LongestResponse) {
        let higher = self.higher.iter().map(Level::shown).collect();
        let rule = WindowRule::UntilCompletion;
        let own = self.own.shown();
        let mut steps = ResponseSteps::new(rule, own, self.own.blocking, relative_deadline, higher);
        let found = self.busy(0, most, relative_deadline, &mut steps);
        steps.bound = found.1.bound();
        watch.add(Computation::Response(steps));
        found
    }

    /// The least fixed point with `jobs` jobs of the task itself. `from` is not above the fixed point
    /// less the task's own cost.
    fn fixed_point(&mut self, jobs: u64, from: u128, limit: u128, rows: &mut impl Windows) -> Option<u128> {
        let own = u128::from(self.own.blocking) + u128::from(jobs) * u128::from(self.own.cost);
        rows.begin(jobs, own);
        // At least one nanosecond: even a job without cost waits for those released with it.
        let window = own.max(from + u128::from(self.own.cost)).max(1);
        let next = |window: u128| {
            let interference = |level: &Level| {
                let arrivals = (window as u64 + level.jitter).div_ceil(level.period);
                let work = u128::from(arrivals) * u128::from(level.cost);
                rows.jobs(JobsOf { jobs: arrivals, work });
                work
            };
            let next = own + self.higher.iter().map(interference).sum::<u128>();
            rows.row(window, next);
            next
        };
        self.budget.least_fixed_point(window, limit, self.higher.len() + 1, next)
    }
}
