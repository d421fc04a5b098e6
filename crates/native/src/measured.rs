//! Metrics and checks as plain values.

use schedlab_account::Account;
use schedlab_report::deadlock::Deadlocks;
use schedlab_report::invariants::Verdict;
use schedlab_report::metrics::{Metrics, TaskMetrics};
use schedlab_report::Context;
use serde_json::{json, Value};

/// Everything that was measured, by task and in all.
pub(crate) fn metrics(metrics: &Metrics, deadlocks: &Deadlocks, scheduler: &str, context: &Context) -> Value {
    let rows = metrics.tasks().iter().enumerate().map(|(index, task)| {
        let id = schedlab_model::TaskId(index as u32);
        row(index, &context.task_name(id), task, metrics.has_utilities())
    });
    let (all, cpus) = (metrics.all_tasks(), metrics.all_processors());
    json!({
        "scheduler": scheduler,
        "horizon_ns": metrics.until().as_ns(),
        "jobs": all.arrived,
        "misses": all.missed,
        "aborts": all.aborted,
        "deadline_satisfaction_ratio": all.deadline_satisfaction_ratio(),
        "accrued_utility": metrics.has_utilities().then(|| all.accrued_utility()),
        "accrued_utility_ratio": all.accrued_utility_ratio(),
        "preemptions": all.preemptions,
        "migrations": all.migrations,
        "max_tardiness_ns": all.max_tardiness(),
        "overhead_ns": cpus.overheads(),
        "wasted_ns": cpus.wasted(),
        "wasted_by_processor_ns": metrics.processors().iter().map(|cpu| cpu.wasted()).collect::<Vec<_>>(),
        "load": cpus.load(),
        "deadlocks": deadlocks.found.iter().map(|found| found.to_json(context)).collect::<Vec<_>>(),
        "tasks": rows.collect::<Vec<_>>(),
    })
}

fn row(index: usize, name: &str, task: &TaskMetrics, has_utilities: bool) -> Value {
    let times = &task.response_time;
    let response = times.max().map(|max| {
        json!({
            "max": max,
            "mean": times.mean(),
            "p50": times.quantile(50, 100),
            "p95": times.quantile(95, 100),
            "p99": times.quantile(99, 100),
        })
    });
    let known = task.completed > 0 || task.unfinished_lateness > 0;
    let tardy = known.then(|| json!({ "max": task.max_tardiness(), "mean": task.lateness.mean_tardiness() }));
    json!({
        "index": index,
        "name": name,
        "jobs": task.arrived,
        "completed": task.completed,
        "unfinished": task.unfinished,
        "misses": task.missed,
        "aborts": task.aborted,
        "deadline_satisfaction_ratio": task.deadline_satisfaction_ratio(),
        "accrued_utility": has_utilities.then(|| task.accrued_utility()),
        "accrued_utility_ratio": task.accrued_utility_ratio(),
        "preemptions": task.preemptions,
        "migrations": task.migrations,
        "task_migrations": task.task_migrations,
        "suspensions": task.suspensions,
        "retries": task.retries,
        "response_time_ns": response,
        "tardiness_ns": tardy,
    })
}

/// What a real run's trace says of the run: what programs want to know, the same as text, and what was judged.
pub(crate) fn account(account: &Account) -> Value {
    let mut said = account.to_json();
    let judged = account
        .judgements()
        .into_iter()
        .map(|one| json!({ "name": one.name, "holds": one.holds, "detail": one.detail }));
    said.insert("judgements".to_owned(), judged.collect());
    said.insert("text".to_owned(), account.to_string().into());
    Value::Object(said)
}

/// One row per invariant that was checked.
pub(crate) fn checks(verdict: &Verdict) -> Value {
    let rows = verdict.outcomes.iter().map(|outcome| {
        json!({ "name": outcome.invariant.name(), "holds": outcome.holds(), "detail": outcome.detail() })
    });
    rows.collect()
}
