//! Metrics as plain values.

use crate::context::Context;
use crate::deadlock::{DeadlockResult, Deadlocks};
use crate::metrics::{Metrics, TaskMetrics};
use schedlab_model::TaskId;
use schemars::JsonSchema;
use serde::Serialize;

/// Response times of a task's complete jobs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct ResponseTimes {
    max: u64,
    mean: f64,
    p50: u64,
    p95: u64,
    p99: u64,
}

/// Tardiness of a task's jobs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct Tardiness {
    max: u64,
    /// None where no job is complete.
    mean: Option<f64>,
}

/// Metrics of the jobs of one task.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OfTask {
    index: usize,
    jobs: u64,
    completed: u64,
    unfinished: u64,
    misses: u64,
    preemptions: u64,
    migrations: u64,
    /// Jobs that were given up.
    aborts: u64,
    /// Jobs in time over those that were in time or missed (DSR); None without any.
    deadline_satisfaction_ratio: Option<f64>,
    /// Accrued utility of completions; None where neither a task nor the scheduler has utilities.
    accrued_utility: Option<f64>,
    /// Accrued utility over the utility that the jobs would have had at their arrivals (AUR).
    accrued_utility_ratio: Option<f64>,
    response_time_ns: Option<ResponseTimes>,
    tardiness_ns: Option<Tardiness>,
}

/// Metrics of the jobs of one task, with those that only a table of metrics has.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "TaskMetricsDict")]
struct TaskMetricsResult {
    #[serde(flatten)]
    of_task: OfTask,
    name: String,
    suspensions: u64,
    /// Attempts on lock-free objects that failed.
    retries: u64,
    task_migrations: u64,
}

/// Sums over all tasks and processors.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Totals {
    jobs: u64,
    misses: u64,
    preemptions: u64,
    migrations: u64,
    /// Attempts on lock-free objects that failed.
    retries: u64,
    max_tardiness_ns: u64,
    overhead_ns: u64,
    wasted_ns: u64,
    /// The share of processor time that was busy.
    load: f64,
    /// Jobs that were given up.
    aborts: u64,
    /// Jobs in time over those that were in time or missed (DSR); None without any.
    deadline_satisfaction_ratio: Option<f64>,
    /// Accrued utility of completions; None where neither a task nor the scheduler has utilities.
    accrued_utility: Option<f64>,
    /// Accrued utility over the utility that the jobs would have had at their arrivals (AUR).
    accrued_utility_ratio: Option<f64>,
}

/// `Metrics` as plain values.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "MetricsDict")]
pub struct MetricsResult {
    #[serde(flatten)]
    totals: Totals,
    scheduler: String,
    horizon_ns: u64,
    wasted_by_processor_ns: Vec<u64>,
    deadlocks: Vec<DeadlockResult>,
    tasks: Vec<TaskMetricsResult>,
}

impl Metrics {
    /// Returns all metrics as plain values, by task and in all.
    pub fn result(&self, deadlocks: &Deadlocks, scheduler: &str, context: &Context) -> MetricsResult {
        let task = |(index, task): (usize, &TaskMetrics)| TaskMetricsResult {
            of_task: of_task(index, task, self.has_utilities()),
            name: context.task_name(TaskId(index as u32)),
            suspensions: task.suspensions,
            retries: task.retries,
            task_migrations: task.task_migrations,
        };
        MetricsResult {
            totals: self.totals(),
            scheduler: scheduler.to_owned(),
            horizon_ns: self.until().as_ns(),
            wasted_by_processor_ns: self.processors().iter().map(|cpu| cpu.wasted()).collect(),
            deadlocks: deadlocks.found.iter().map(|found| found.result(context)).collect(),
            tasks: self.tasks().iter().enumerate().map(task).collect(),
        }
    }

    /// Sums over all tasks and processors.
    pub(crate) fn totals(&self) -> Totals {
        let (all, cpus) = (self.all_tasks(), self.all_processors());
        Totals {
            jobs: all.arrived,
            misses: all.missed,
            preemptions: all.preemptions,
            migrations: all.migrations,
            retries: all.retries,
            max_tardiness_ns: all.max_tardiness(),
            overhead_ns: cpus.overheads(),
            wasted_ns: cpus.wasted(),
            load: cpus.load(),
            aborts: all.aborted,
            deadline_satisfaction_ratio: all.deadline_satisfaction_ratio(),
            accrued_utility: self.has_utilities().then(|| all.accrued_utility()),
            accrued_utility_ratio: all.accrued_utility_ratio(),
        }
    }

    /// Returns the metrics of each task.
    pub(crate) fn of_tasks(&self) -> Vec<OfTask> {
        let tasks = self.tasks().iter().enumerate();
        tasks.map(|(index, task)| of_task(index, task, self.has_utilities())).collect()
    }
}

fn of_task(index: usize, task: &TaskMetrics, has_utilities: bool) -> OfTask {
    let times = &task.response_time;
    let response_times = || {
        Some(ResponseTimes {
            max: times.max()?,
            mean: times.mean()?,
            p50: times.quantile(50, 100)?,
            p95: times.quantile(95, 100)?,
            p99: times.quantile(99, 100)?,
        })
    };
    let is_known = task.completed > 0 || task.unfinished_lateness > 0;
    let tardiness = || Tardiness { max: task.max_tardiness(), mean: task.lateness.mean_tardiness() };
    OfTask {
        index,
        jobs: task.arrived,
        completed: task.completed,
        unfinished: task.unfinished,
        misses: task.missed,
        preemptions: task.preemptions,
        migrations: task.migrations,
        aborts: task.aborted,
        deadline_satisfaction_ratio: task.deadline_satisfaction_ratio(),
        accrued_utility: has_utilities.then(|| task.accrued_utility()),
        accrued_utility_ratio: task.accrued_utility_ratio(),
        response_time_ns: response_times(),
        tardiness_ns: is_known.then(tardiness),
    }
}
