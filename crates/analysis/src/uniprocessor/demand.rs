//! The processor demand of EDF on one processor, and how far it must be examined.
//!
//! S. Baruah, A. Mok and L. Rosier, *Preemptively scheduling hard-real-time sporadic tasks on one
//! processor*, RTSS 1990: deadlines are met exactly if, for every t, the jobs that arrive and are due
//! within t need at most t. With release jitter (M. Spuri, *Analysis of deadline scheduled real-time
//! systems*, INRIA RR-2772, 1996) the first job of each task is released as late as possible, which
//! leaves it D - J instead of D:
//!
//! ```text
//! h(t) = sum over tasks with D_i - J_i <= t of (floor((t - D_i + J_i) / T_i) + 1) C_i
//! ```
//!
//! This sum is the demand of tasks without jitter whose relative deadlines are D_i - J_i, so theorems about such tasks
//! apply: if h(t) > t for some t, then for one below both L_a = max(max(D_i - J_i - T_i), sum((T_i - D_i + J_i) U_i) /
//! (1 - U)) and the longest busy period L_b (F. Zhang and A. Burns, IEEE TC 58(9), 2009, Theorems 2 and 3).

use crate::budget::Budget;
use crate::exact::{compare_sum_of, filter, Pair};
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::sides::{Quantity, Sides};
use crate::steps::{sum_shown, Computation, DueTask, JobsOf, Limit, RatioKind, Rows};
use crate::system::System;
use schedlab_model::TaskId;
use std::cmp::Ordering;

/// Demand of one task.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    task: TaskId,
    cost: u64,
    period: u64,
    /// Time from the latest release to the absolute deadline, in ns.
    window: u64,
}

impl Demand {
    /// The cost over the shorter of period and window.
    fn density(&self) -> (u64, u64) {
        (self.cost, self.period.min(self.window))
    }

    /// Returns the number of jobs that are due within `t`.
    fn jobs_within(&self, t: u64) -> u64 {
        match t.checked_sub(self.window) {
            Some(rest) => rest / self.period + 1,
            None => 0,
        }
    }

    /// Returns the work that is due within `t`.
    fn within(&self, t: u64) -> u128 {
        u128::from(self.jobs_within(t)) * u128::from(self.cost)
    }

    /// The demand as a step shows it.
    fn shown(&self) -> DueTask {
        let Demand { task, cost, period, window } = *self;
        DueTask { task, cost, period, window }
    }
}

/// Demand of all tasks on one processor.
#[derive(Clone, Debug)]
pub struct Demands {
    tasks: Vec<Demand>,
    load: Ordering,
}

impl Default for Demands {
    fn default() -> Self {
        Demands { tasks: Vec::new(), load: Ordering::Less }
    }
}

/// A task whose job may be late even if nothing else runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateAlone {
    /// Id of the task.
    pub task: TaskId,
    /// Time that a job of the task may need.
    pub needs: u64,
    /// Time from the job's latest release to its absolute deadline.
    pub has: u64,
}

impl LateAlone {
    /// Returns the finding as a reason.
    pub(crate) fn reason(self) -> Reason {
        Reason::LateAlone { task: self.task, needs: Ns(self.needs), has: Ns(self.has) }
    }
}

/// Longest busy period that is examined (146 years), in ns.
const LONGEST: u64 = 1 << 62;

impl Demands {
    /// The demands of `system`, self-suspension counted as execution, or the first task whose job cannot
    /// be in time even alone.
    pub fn new(system: &System) -> Result<Self, LateAlone> {
        let mut demands = Demands::default();
        demands.refill(system).map(|()| demands)
    }

    /// Fills these demands from `system`, and reuses their memory.
    pub(crate) fn refill(&mut self, system: &System) -> Result<(), LateAlone> {
        self.tasks.clear();
        for task in &system.tasks {
            let (cost, period, jitter) = (task.oblivious_cost(), task.period, task.jitter);
            match task.relative_deadline.checked_sub(jitter) {
                Some(window) if cost <= window => {
                    self.tasks.push(Demand { task: task.id, cost, period, window });
                }
                window => return Err(LateAlone { task: task.id, needs: cost, has: window.unwrap_or(0) }),
            }
        }
        self.load = self.sum_up();
        Ok(())
    }

    /// The demands of tasks given as cost, period and time from the latest release to the absolute deadline. They are
    /// called by their places.
    pub(crate) fn of_streams(streams: impl IntoIterator<Item = (u64, u64, u64)>) -> Self {
        let due = |(task, (cost, period, window))| DueTask { task: TaskId(task), cost, period, window };
        Self::of_tasks((0..).zip(streams).map(due))
    }

    /// The demands of these tasks.
    pub(crate) fn of_tasks(tasks: impl IntoIterator<Item = DueTask>) -> Self {
        let demand = |DueTask { task, cost, period, window }| Demand { task, cost, period, window };
        Self::of(tasks.into_iter().map(demand).collect())
    }

    fn of(tasks: Vec<Demand>) -> Self {
        let mut demands = Demands { tasks, load: Ordering::Less };
        demands.load = demands.sum_up();
        demands
    }

    fn sum_up(&self) -> Ordering {
        compare_sum_of(self.tasks.iter().map(|task| (task.cost, task.period)), 1)
    }

    /// Returns whether the densities add up to at most 1, each the cost over the shorter of period and window: then
    /// h(t) <= t for every t, as a task's part is a staircase whose corners lie below the line from 0 of that slope. If
    /// no window is shorter than its period, the densities are the utilizations, which have been added up.
    pub(crate) fn is_sparse(&self) -> bool {
        if self.tasks.iter().all(|task| task.window >= task.period) {
            return self.load.is_le();
        }
        self.tasks.iter().all(|task| task.window > 0)
            && compare_sum_of(self.tasks.iter().map(Demand::density), 1).is_le()
    }

    /// The densities. Call only if they are sparse: then no window is 0.
    fn all_densities(&self) -> Vec<Pair> {
        self.tasks.iter().map(Demand::density).collect()
    }

    fn utilizations(&self) -> Vec<Pair> {
        self.tasks.iter().map(|task| (task.cost, task.period)).collect()
    }

    /// The densities beside 1. Call only if they are sparse.
    pub(crate) fn densities(&self) -> Sides {
        Sides::of_processors(self.all_densities(), 1, true)
    }

    /// The utilization beside 1.
    pub(crate) fn utilization(&self) -> Sides {
        Sides::percent(Quantity::Sum(self.utilizations()), Quantity::whole(1), self.load.is_le())
    }

    /// The sum of densities that are sparse, as a step.
    pub(crate) fn densities_shown(&self) -> Computation {
        self.sum_shown(RatioKind::Densities, self.all_densities(), self.densities())
    }

    /// The sum of utilizations, as a step.
    pub(crate) fn utilization_shown(&self) -> Computation {
        self.sum_shown(RatioKind::Utilizations, self.utilizations(), self.utilization())
    }

    fn sum_shown(&self, kind: RatioKind, fractions: Vec<Pair>, sides: Sides) -> Computation {
        sum_shown(kind, self.tasks.iter().map(|task| task.task).zip(fractions), sides)
    }

    /// The utilization compared with 1.
    pub fn load(&self) -> Ordering {
        self.load
    }

    /// Number of tasks.
    pub(crate) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Returns the demand h(t).
    pub fn within(&self, t: u64) -> u128 {
        self.of_each(t).sum()
    }

    /// Returns the demand h(t), and gives `rows` the jobs of each task.
    pub(crate) fn within_shown(&self, t: u64, rows: &mut impl Rows) -> u128 {
        let of = |task: &Demand| {
            let jobs = task.jobs_within(t);
            let work = u128::from(jobs) * u128::from(task.cost);
            rows.jobs(JobsOf { jobs, work });
            work
        };
        self.tasks.iter().map(of).sum()
    }

    /// The tasks as a step shows them.
    pub(crate) fn shown(&self) -> Vec<DueTask> {
        self.tasks.iter().map(Demand::shown).collect()
    }

    /// Returns the demand of each task within `t`.
    pub(crate) fn of_each(&self, t: u64) -> impl Iterator<Item = u128> + '_ {
        self.tasks.iter().map(move |task| task.within(t))
    }

    /// The earliest absolute deadline strictly after `t`; `None` beyond 64 bits.
    pub(crate) fn first_after(&self, t: u64) -> Option<u64> {
        let of = |task: &Demand| match t.checked_sub(task.window) {
            Some(rest) => (rest / task.period + 1).checked_mul(task.period)?.checked_add(task.window),
            None => Some(task.window),
        };
        self.tasks.iter().filter_map(of).min()
    }

    /// The latest absolute deadline strictly before `t`.
    pub(crate) fn last_before(&self, t: u64) -> Option<u64> {
        let of = |task: &Demand| {
            let rest = t.checked_sub(task.window + 1)?;
            Some(rest / task.period * task.period + task.window)
        };
        self.tasks.iter().filter_map(of).max()
    }

    /// The earliest absolute deadline.
    pub(crate) fn first(&self) -> Option<u64> {
        self.tasks.iter().map(|task| task.window).min()
    }

    /// First deadline, period and cost of each task, for enumeration.
    pub(crate) fn streams(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.tasks.iter().map(|task| (task.window, task.period, task.cost))
    }

    /// Returns the lengths up to which the demand must be examined.
    ///
    /// Panics if the load is above 1.
    pub fn limit(&self, budget: &mut Budget) -> Limit {
        assert!(self.load.is_le(), "an overload needs no limit");
        let from_slack = self.slack_limit();
        let busy_period = self.busy_period(from_slack, budget);
        Limit { from_slack, busy_period }
    }

    /// Returns the length up to which intervals show how full the processor gets: the longest of [`Demands::limit`],
    /// the longest busy period and two deadlines of each task. Call only with a load of at most 1; `None` if the budget
    /// was spent.
    pub(crate) fn examined(&self, budget: &mut Budget) -> Option<u64> {
        let busy = self.busy_period(None, budget)?;
        let second = self.tasks.iter().map(|task| task.window.saturating_add(task.period)).max()?;
        Some(busy.max(second).max(self.limit(budget).shortest()?))
    }

    /// Returns L_a, or a little more: floating point rounded to the safe side.
    fn slack_limit(&self) -> Option<u64> {
        let (mut sum, mut size, mut load) = (0.0, 0.0, 0.0);
        for task in &self.tasks {
            let length = task.period as f64 - task.window as f64;
            let term = length * task.cost as f64 / task.period as f64;
            (sum, size) = (sum + term, size + term.abs());
            load += filter::quotient((task.cost, task.period));
        }
        let relative = filter::relative_error(self.tasks.len());
        let slack = 1.0 - load * (1.0 + 2.0 * relative);
        if slack <= 0.0 {
            return None;
        }
        let quotient = (sum + 2.0 * relative * size).max(0.0) / slack * (1.0 + 4.0 * filter::EPSILON);
        let longest = self.tasks.iter().map(|task| task.window.saturating_sub(task.period)).max()?;
        (quotient < LONGEST as f64).then(|| (quotient.ceil() as u64).max(longest))
    }

    /// L_b, unless it is longer than `enough` or beyond the budget.
    fn busy_period(&self, enough: Option<u64>, budget: &mut Budget) -> Option<u64> {
        let costs = self.tasks.iter().map(|task| u128::from(task.cost)).sum();
        let released = |length: u128| {
            let of =
                |task: &Demand| u128::from((length as u64).div_ceil(task.period)) * u128::from(task.cost);
            self.tasks.iter().map(of).sum()
        };
        let enough = enough.unwrap_or(LONGEST).into();
        budget.least_fixed_point(costs, enough, self.tasks.len() + 1, released).map(|length| length as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnalysedScheduler;
    use schedlab_model::{Duration, Task, Work};

    fn demands(jitter: u64) -> Result<Demands, LateAlone> {
        let task = Task::constrained(Work::from_ns(2), Duration::from_ns(10), Duration::from_ns(5));
        let task = Task { jitter: Duration::from_ns(jitter), ..task };
        Demands::new(&System::global(&[task], 1, &AnalysedScheduler::EDF).unwrap())
    }

    /// A job that is released 3 late has 2 left, which it needs; the next one is due a period after that.
    #[test]
    fn jitter_leaves_less_time() {
        let found = demands(3).unwrap();
        assert_eq!([1, 2, 11, 12].map(|t| found.within(t)), [0, 2, 2, 4]);
        assert_eq!(
            (found.first(), found.first_after(2), found.first_after(11)),
            (Some(2), Some(12), Some(12))
        );
        assert_eq!((found.last_before(12), found.last_before(13)), (Some(2), Some(12)));
        let late = |has| LateAlone { task: TaskId(0), needs: 2, has };
        assert_eq!(demands(4).unwrap_err(), late(1));
        assert_eq!(demands(6).unwrap_err(), late(0));
    }
}
