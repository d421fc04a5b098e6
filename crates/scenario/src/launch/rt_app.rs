//! A workload of rt-app (scheduler-tools/rt-app, doc/tutorial.txt): each task burns its WCET once a period.

use super::{Launched, Setting};
use crate::scenario::Scenario;
use serde_json::{json, Map, Value};

/// The JSON file. rt-app counts in microseconds; what is less is lost.
pub(super) fn write(scenario: &Scenario, tasks: &[Launched<'_>], lost: &mut Vec<String>) -> String {
    let mut all = Map::new();
    for task in tasks {
        if task.spec.wcet.as_ns() % 1_000 != 0 || task.spec.period.as_ns() % 1_000 != 0 {
            lost.push(format!("{}: rt-app counts in microseconds; times are rounded up", task.spec.name));
        }
        all.insert(task.spec.name.clone(), one(task));
    }
    let seconds = scenario.horizon.as_ns().div_ceil(1_000_000_000);
    let file = json!({
        "global": {
            "duration": seconds,
            "calibration": "CPU0",
            "default_policy": "SCHED_OTHER",
            "lock_pages": true,
            "logdir": ".",
        },
        "tasks": all,
    });
    format!("{file:#}\n")
}

fn one(task: &Launched<'_>) -> Value {
    let us = |ns: u64| ns.div_ceil(1_000);
    let (wcet, period) = (us(task.spec.wcet.as_ns()), us(task.spec.period.as_ns()));
    let mut fields = Map::new();
    match task.setting {
        Setting::Fifo(priority) => {
            fields.insert("policy".into(), json!("SCHED_FIFO"));
            fields.insert("priority".into(), json!(priority));
        }
        Setting::Deadline => {
            fields.insert("policy".into(), json!("SCHED_DEADLINE"));
            fields.insert("dl-runtime".into(), json!(wcet));
            fields.insert("dl-deadline".into(), json!(us(task.spec.relative_deadline.as_ns()).min(period)));
            fields.insert("dl-period".into(), json!(period));
        }
    }
    if let (Some(list), Setting::Fifo(_)) = (&task.processors, task.setting) {
        fields.insert("cpus".into(), json!(list));
    }
    if task.spec.offset.as_ns() > 0 {
        fields.insert("delay".into(), json!(us(task.spec.offset.as_ns())));
    }
    fields.insert("loop".into(), json!(-1));
    fields.insert("run".into(), json!(wcet));
    fields.insert("timer".into(), json!({ "ref": "unique", "period": period, "mode": "absolute" }));
    Value::Object(fields)
}
