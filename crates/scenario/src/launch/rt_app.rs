//! A workload of rt-app (scheduler-tools/rt-app, doc/tutorial.txt): each task burns its WCET once a period.
//!
//! rt-app executes all of a job at once: other steps of a job are lost, and the file's first comment says so.

use super::cautions::all_processors;
use super::comment::{starred, Remarks};
use super::settings::{Launched, Setting, Settings};
use crate::aspect::{shortened, Aspect};
use crate::scenario::{Scenario, TaskSpec};
use schedlab_model::{Duration, Instant, Work};
use serde_json::{json, Map, Value};

const SECOND: u64 = 1_000_000_000;

/// Aspects that the file holds besides policies, priorities and processors.
pub(super) fn kept(scenario: &Scenario, settings: &Settings<'_>) -> Vec<Aspect> {
    let mut kept = vec![Aspect::Offset];
    if scenario.horizon.as_ns() % SECOND == 0 {
        kept.push(Aspect::Horizon);
    }
    if settings.tasks.iter().all(|task| task.setting == Setting::Deadline) {
        kept.push(Aspect::ShortDeadline);
    }
    kept
}

/// Returns a line on the tasks whose times rt-app cannot hold, because it counts in microseconds.
pub(super) fn rounded(scenario: &Scenario) -> Option<String> {
    let times = |task: &TaskSpec| {
        let offset = Duration::from_ns(task.offset.as_ns());
        [task.wcet.at_unit_speed(), task.period, task.relative_deadline, offset]
    };
    let is_rounded = |task: &&TaskSpec| times(task).iter().any(|time| time.as_ns() % 1_000 != 0);
    let names: Vec<&str> = scenario.tasks.iter().filter(is_rounded).map(|task| task.name.as_str()).collect();
    let said = || {
        format!("{}: rt-app counts in microseconds; costs are rounded up, periods down", shortened(&names))
    };
    (!names.is_empty()).then(said)
}

/// The scenario in rt-app's times: costs and offsets rounded up, periods and deadlines down.
pub(super) fn in_microseconds(scenario: &Scenario) -> Scenario {
    let mut made = scenario.clone();
    for task in &mut made.tasks {
        let wcet = Work::from_ns(up(task.wcet.as_ns()) * 1_000);
        (task.wcet, task.period) = (wcet, Duration::from_ns(down(task.period.as_ns()) * 1_000));
        task.relative_deadline = Duration::from_ns(down(task.relative_deadline.as_ns()) * 1_000);
        task.offset = Instant::from_ns(up(task.offset.as_ns()) * 1_000);
        task.wcet_may_exceed_deadline |= wcet.at_unit_speed() > task.relative_deadline;
    }
    made
}

/// Microseconds, rounded up: a longer cost is the safe side.
fn up(ns: u64) -> u64 {
    ns.div_ceil(1_000)
}

/// Microseconds, rounded down, but at least one: a shorter period is the safe side.
fn down(ns: u64) -> u64 {
    (ns / 1_000).max(1)
}

/// Returns a line that no thread of `SCHED_FIFO` is bound, if so.
pub(super) fn unbound(settings: &Settings<'_>) -> Option<String> {
    let is_free = |task: &Launched<'_>| {
        task.setting != Setting::Deadline && task.processors.len() == usize::from(settings.processors)
    };
    settings.tasks.iter().any(is_free).then(|| all_processors(settings))
}

/// The JSON file, its tasks in the scenario's order.
pub(super) fn write(scenario: &Scenario, settings: &Settings<'_>, remarks: &Remarks) -> String {
    let global = json!({
        "duration": scenario.horizon.as_ns().div_ceil(SECOND),
        "calibration": "CPU0",
        "default_policy": "SCHED_OTHER",
        "lock_pages": true,
        "logdir": ".",
    });
    let tasks = settings.tasks.iter().map(|task| {
        let name = Value::String(task.spec.name.clone());
        format!("    {name}: {}", indented(&one(task, settings.processors.into()), 4))
    });
    let tasks: Vec<String> = tasks.collect();
    let body = format!("  \"tasks\": {{\n{}\n  }}", tasks.join(",\n"));
    format!("{}{{\n  \"global\": {},\n{body}\n}}\n", starred(&remarks.general), indented(&global, 2))
}

/// Prints a value on several lines, with all but the first indented.
fn indented(value: &Value, spaces: usize) -> String {
    format!("{value:#}").replace('\n', &format!("\n{}", " ".repeat(spaces)))
}

fn one(task: &Launched<'_>, all: usize) -> Value {
    let (wcet, period) = (up(task.spec.wcet.as_ns()), down(task.spec.period.as_ns()));
    let mut fields = Map::new();
    match task.setting {
        Setting::Fifo(priority) => {
            fields.insert("policy".into(), json!("SCHED_FIFO"));
            fields.insert("priority".into(), json!(priority));
            if task.processors.len() < all {
                fields.insert("cpus".into(), json!(task.processors));
            }
        }
        // The kernel refuses SCHED_DEADLINE threads whose affinity is less than their cpuset's.
        Setting::Deadline => {
            fields.insert("policy".into(), json!("SCHED_DEADLINE"));
            fields.insert("dl-runtime".into(), json!(wcet));
            fields.insert("dl-deadline".into(), json!(down(task.spec.relative_deadline.as_ns())));
            fields.insert("dl-period".into(), json!(period));
        }
    }
    if task.spec.offset.as_ns() > 0 {
        fields.insert("delay".into(), json!(up(task.spec.offset.as_ns())));
    }
    fields.insert("loop".into(), json!(-1));
    fields.insert("run".into(), json!(wcet));
    fields.insert("timer".into(), json!({ "ref": "unique", "period": period, "mode": "absolute" }));
    Value::Object(fields)
}
