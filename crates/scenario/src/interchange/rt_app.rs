//! Workloads of rt-app, in JSON: threads that execute for a while in each period. What [`crate::launch`] writes is read
//! back.
//!
//! Read of a task: `run` (its WCET) or `dl-runtime`, the period of its `timer` or `dl-period`, `dl-deadline`, `delay`
//! (the offset), `priority` under `SCHED_FIFO` (the largest is the most urgent), `cpus`; times in whole microseconds.
//! Of `global` only `duration` means something here. All tasks need one real-time policy; with one processor each,
//! scheduling is partitioned. Phases, several runs, sleeping and locks are programs that this reader does not know:
//! such tasks are refused. Format as in rt-app's doc/tutorial.txt.

use super::{checked, strict_json, Converted};
use crate::error::{Error, Errors, Location, Problem};
use crate::scenario::{Scenario, TaskSpec};
use crate::words::UrgentPriority;
use schedlab_model::{Duration, Instant, Work};
use schedlab_policy::{Scheduler, Scope, EDF, FP};
use serde_json::{Map, Value};

/// Keys of a task that are read, or that change nothing here.
const KNOWN: [&str; 11] = [
    "policy",
    "priority",
    "dl-runtime",
    "dl-deadline",
    "dl-period",
    "cpus",
    "delay",
    "loop",
    "run",
    "timer",
    "instance",
];

/// The policies that carry real-time theory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    Fifo,
    Deadline,
}

struct Reader<'f> {
    file: &'f str,
    errors: Vec<Error>,
}

impl Reader<'_> {
    fn refuse(&mut self, field: String, value: &Value, why: &str, allowed: &str) {
        let problem = Problem::refused(value, why, allowed);
        self.errors.push(Error { place: Some(Location::line(self.file, 1)), field, problem });
    }

    /// Whole microseconds; the inner `None` if it is not there.
    fn us(&mut self, task: &str, fields: &Map<String, Value>, name: &str) -> Option<Option<u64>> {
        let Some(value) = fields.get(name) else { return Some(None) };
        match value.as_u64().and_then(|us| us.checked_mul(1_000)) {
            Some(ns) => Some(Some(ns)),
            None => {
                self.refuse(format!("tasks.{task}.{name}"), value, "is no time", "whole microseconds");
                None
            }
        }
    }
}

/// Reads a workload.
pub(crate) fn read(file: &str, text: &str) -> Result<Converted<Scenario>, Errors> {
    let root = strict_json::parse(file, text)?;
    let Some(tasks) = root.get("tasks").and_then(Value::as_object) else {
        return Err(Errors::missing(file, "tasks", "an object of tasks by name"));
    };
    let mut reader = Reader { file, errors: Vec::new() };
    let mut lost: Vec<String> = ["global", "resources"]
        .iter()
        .filter_map(|name| root.get(*name)?.as_object())
        .flat_map(|fields| fields.keys().filter(|name| *name != "duration"))
        .map(|name| format!("global {name}"))
        .collect();
    let others = root.as_object().into_iter().flat_map(Map::keys);
    let others = others.filter(|name| !["tasks", "global", "resources"].contains(&name.as_str()));
    lost.extend(others.map(|name| format!("{name} beside the tasks")));
    let read: Vec<(TaskSpec, Policy, u64)> =
        tasks.iter().filter_map(|(name, value)| task(&mut reader, name, value, &mut lost)).collect();
    if let Some(first) = read.first() {
        if let Some((other, ..)) = read.iter().find(|(_, policy, _)| *policy != first.1) {
            let name = Value::String(other.name.clone());
            let why = "has another policy than the tasks before";
            reader.refuse("tasks".into(), &name, why, "one policy for all tasks");
        }
    }
    Errors::check(reader.errors)?;
    let deadline = read.first().is_some_and(|(_, policy, _)| *policy == Policy::Deadline);
    let bound = !read.is_empty() && read.iter().all(|(task, ..)| task.processor.is_some());
    let instances: Vec<TaskSpec> =
        read.iter().flat_map(|(task, _, count)| crate::copies::copies_of(task, *count as usize)).collect();
    let places = vec![Location::line(file, 1); instances.len()];
    let mut scenario = Scenario::new(instances);
    scenario.scheduler.urgent_priority =
        if deadline { UrgentPriority::Smallest } else { UrgentPriority::Largest };
    let scope = if bound { Scope::Partitioned } else { Scope::Global };
    scenario.scheduler.name = Scheduler::of_order(if deadline { EDF } else { FP }, true, scope).name;
    let named = scenario.tasks.iter().flat_map(|task| task.processor.iter().chain(&task.affinity)).max();
    scenario.platform.processors = named.map_or(1, |largest| largest.saturating_add(1));
    if let Some(seconds) =
        root.pointer("/global/duration").and_then(Value::as_u64).filter(|seconds| *seconds > 0)
    {
        scenario.horizon = Instant::from_ns(seconds.saturating_mul(1_000_000_000));
    }
    Ok(Converted { value: checked(scenario, &places)?, lost })
}

fn task(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value,
    lost: &mut Vec<String>,
) -> Option<(TaskSpec, Policy, u64)> {
    let path = format!("tasks.{name}");
    let Some(fields) = value.as_object() else {
        reader.refuse(path, value, "is no task", "an object");
        return None;
    };
    for key in fields.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
        let why = "is a program that is not known here";
        let known = "run, and a timer; or a SCHED_DEADLINE task with dl-runtime and dl-period";
        reader.refuse(format!("{path}.{key}"), &Value::String(key.clone()), why, known);
    }
    let policy = match fields.get("policy").and_then(Value::as_str) {
        Some("SCHED_FIFO") => Policy::Fifo,
        Some("SCHED_DEADLINE") => Policy::Deadline,
        _ => {
            let policy = fields.get("policy").unwrap_or(&Value::Null);
            let allowed = "SCHED_FIFO or SCHED_DEADLINE";
            reader.refuse(format!("{path}.policy"), policy, "is no real-time policy", allowed);
            return None;
        }
    };
    let timer = fields.get("timer").and_then(Value::as_object).cloned().unwrap_or_default();
    let (run, runtime) = (reader.us(name, fields, "run")?, reader.us(name, fields, "dl-runtime")?);
    let (timer, period) = (reader.us(name, &timer, "period")?, reader.us(name, fields, "dl-period")?);
    let (deadline, delay) = (reader.us(name, fields, "dl-deadline")?, reader.us(name, fields, "delay")?);
    let (Some(wcet), Some(period)) = (run.or(runtime), timer.or(period)) else {
        let allowed = "run and timer.period, or dl-runtime and dl-period";
        reader.refuse(path, &Value::String(name.into()), "has no run or no period", allowed);
        return None;
    };
    let loops = fields.get("loop").filter(|loops| loops.as_i64() != Some(-1));
    lost.extend(loops.map(|loops| format!("loop {loops} of {name}, whose jobs go on here")));
    let timer = fields.get("timer").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let timer = timer.filter(|key| !["ref", "period", "mode"].contains(&key.as_str()));
    lost.extend(timer.map(|key| format!("timer {key} of {name}")));
    if runtime.is_some_and(|runtime| runtime > wcet) {
        lost.push(format!("dl-runtime of {name} above its run"));
    }
    let mut spec = TaskSpec::new(name, Work::from_ns(wcet), Duration::from_ns(period));
    spec.relative_deadline = Duration::from_ns(deadline.unwrap_or(period));
    spec.wcet_may_exceed_deadline = spec.wcet.at_unit_speed() > spec.relative_deadline;
    spec.offset = Instant::from_ns(delay.unwrap_or(0));
    urgency_and_place(reader, &path, fields, policy, &mut spec)?;
    let instances =
        fields.get("instance").map_or(Some(1), Value::as_u64).filter(|count| (1..=1_000).contains(count));
    let Some(instances) = instances else {
        let field = format!("{path}.instance");
        reader.refuse(field, &fields["instance"], "is no number of instances", "from 1 to 1000");
        return None;
    };
    Some((spec, policy, instances))
}

/// Notes the priority and the processors; `None` if a priority is needed and not there.
fn urgency_and_place(
    reader: &mut Reader<'_>,
    path: &str,
    fields: &Map<String, Value>,
    policy: Policy,
    spec: &mut TaskSpec,
) -> Option<()> {
    if policy == Policy::Fifo {
        let given =
            fields.get("priority").and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
        let Some(priority) = given else {
            let found = fields.get("priority").unwrap_or(&Value::Null);
            reader.refuse(format!("{path}.priority"), found, "is no priority", "a whole number from 1 to 99");
            return None;
        };
        spec.priority = Some(priority);
    }
    if let Some(list) = fields.get("cpus") {
        let cpu = |value: &Value| value.as_u64().and_then(|number| u16::try_from(number).ok());
        let cpus: Option<Vec<u16>> = list.as_array().and_then(|all| all.iter().map(cpu).collect());
        match cpus.as_deref() {
            Some([only]) => spec.processor = Some(*only),
            Some([_, ..]) => spec.affinity = cpus.unwrap_or_default(),
            _ => reader.refuse(format!("{path}.cpus"), list, "is no list of processors", "such as [0, 2]"),
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interchange::Format;

    /// What is exported comes back: under partitioned fixed priorities, and under global EDF.
    #[test]
    fn exported_workloads_read_back() {
        let rows = "[[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\npriority = 98\nprocessor = 1\noffset = \"3 ms\"\n\
            [[task]]\nname = \"b\"\nwcet = \"2 ms\"\nperiod = \"20 ms\"\npriority = 97\nprocessor = 1\n";
        for scheduler in ["P-FP", "G-EDF"] {
            let text = format!(
                "schedlab = 1\nplatform.processors = 2\nhorizon = \"5 s\"\n\
                 scheduler = {{ name = \"{scheduler}\", urgent_priority = \"largest\" }}\n{rows}"
            );
            let given = Scenario::parse("given", &text).unwrap();
            let written = Format::RtApp.write(&given).unwrap().value;
            let read = read("w.json", &written).unwrap().value;
            assert_eq!((&read.scheduler.name, read.horizon), (&given.scheduler.name, given.horizon));
            for (task, was) in read.tasks.iter().zip(&given.tasks) {
                let key = |task: &TaskSpec| {
                    (task.name.clone(), task.wcet, task.period, task.relative_deadline, task.offset)
                };
                assert_eq!(key(task), key(was));
                if scheduler == "P-FP" {
                    assert_eq!((task.priority, task.processor), (was.priority, was.processor));
                }
            }
        }
    }

    /// A file that says more than jobs without end is read, and what it says is named.
    #[test]
    fn what_is_not_taken_over_is_lost() {
        let task = "{\"policy\": \"SCHED_FIFO\", \"priority\": 9, \"run\": 1, \"loop\": 5, \"timer\": {\"period\": 9, \"slack\": 1}}";
        let read = read("w", &format!("{{\"tasks\": {{\"t\": {task}}}, \"phases\": 3}}")).unwrap();
        let lost = ["phases beside the tasks", "loop 5 of t, whose jobs go on here", "timer slack of t"];
        assert_eq!(read.lost, lost);
    }

    #[test]
    fn equal_keys_are_refused() {
        for text in ["{\"tasks\": {}, \"tasks\": {}}", "{\"tasks\": {\"t\": {\"run\": 1,\n\"run\": 2}}}"] {
            let found = read("w", text).unwrap_err().to_string();
            assert!(found.contains("stands there twice"), "{found}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let of =
            |task: &str| read("w", &format!("{{\"tasks\": {{\"t\": {task}}}}}")).unwrap_err().to_string();
        for (task, wanted) in [
            ("{\"policy\": \"SCHED_OTHER\", \"run\": 1}", "w:1:1: tasks.t.policy: \"SCHED_OTHER\" is no real-time policy"),
            ("{\"policy\": \"SCHED_FIFO\", \"run\": 1}", "w:1:1: tasks.t: \"t\" has no run or no period"),
            ("{\"policy\": \"SCHED_FIFO\", \"run\": 1, \"timer\": {\"period\": 9}}", "w:1:1: tasks.t.priority: null is no priority"),
            ("{\"policy\": \"SCHED_FIFO\", \"run\": -1, \"timer\": {\"period\": 9}}", "w:1:1: tasks.t.run: -1 is no time"),
            ("{\"policy\": \"SCHED_FIFO\", \"priority\": 9, \"run\": 1, \"timer\": {\"period\": 9}, \"sleep\": 5}", "w:1:1: tasks.t.sleep: \"sleep\" is a program that is not known here"),
            ("{\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": 1, \"dl-period\": 9, \"cpus\": []}", "w:1:1: tasks.t.cpus: [] is no list of processors"),
            ("7", "w:1:1: tasks.t: 7 is no task"),
        ] {
            let found = of(task);
            assert!(found.starts_with(wanted), "{found}\nwanted {wanted}");
        }
        assert!(read("w", "{").unwrap_err().to_string().starts_with("w:1:1: not valid JSON"));
        assert!(read("w", "{}").unwrap_err().to_string().starts_with("w:1:1: tasks: missing"));
    }
}
