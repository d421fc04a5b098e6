//! Reads a `[[task]]`.

use super::program::{self, Names};
use super::utility::{abort_handler, utility};
use crate::check::MOST_TASKS;
use crate::convert::executed;
use crate::copies::copies_of;
use crate::document::{positive, prose, Table, Value};
use crate::field;
use crate::quantity::{self, BYTES, DURATION, FRACTION};
use crate::scenario::{Arrival, CostModel, TaskSpec};
use crate::words::{ARRIVALS, COSTS};
use crate::workload::Workload;
use schedlab_model::{Duration, Instant, Step, Suspension, Work};

/// A task that a file states.
pub(super) struct Stated {
    pub(super) spec: TaskSpec,
    /// True if it is another one from a change of its weight on.
    pub(super) is_change: bool,
}

/// The task and its copies; none if something is wrong.
pub(super) fn task(table: &Table<'_, '_>, names: &Names) -> Vec<Stated> {
    let copies = match table.get("copies") {
        None => Some(1),
        Some(copies) => copies.integer(1..=MOST_TASKS as u64),
    };
    let (Some(task), Some(copies)) = (one(table, names), copies) else { return Vec::new() };
    let copies = copies_of(&task, copies as usize);
    match table.get("weights") {
        None => copies.map(|spec| Stated { spec, is_change: false }).collect(),
        Some(changes) => {
            let parts: Option<Vec<_>> = copies.map(|copy| super::weights::changed(copy, &changes)).collect();
            let stated = |(at, spec)| Stated { spec, is_change: at > 0 };
            parts.into_iter().flatten().flat_map(|parts| parts.into_iter().enumerate().map(stated)).collect()
        }
    }
}

fn one(table: &Table<'_, '_>, names: &Names) -> Option<TaskSpec> {
    let name = table.need("name", "a name of its own").and_then(|value| prose(&value));
    let period = table.need("period", quantity::POSITIVE).and_then(|value| positive(&value));
    let called = name.as_deref().unwrap_or_default();
    let steps = table.get("program").map(|value| program::program(&value, called, names));
    let wcet = wcet(table, steps.as_ref());
    let deadline = table.get("deadline").map(|value| positive(&value));
    let (name, period, wcet) = (name?, period?, wcet?);
    let mut task = TaskSpec::new(name, wcet, period);
    task.relative_deadline = deadline.unwrap_or(Some(period))?;
    task.program = steps.unwrap_or_else(|| Some(Vec::new()))?;
    task.join = instant(table, "join", Instant::ZERO)?;
    task.offset = instant(table, "offset", task.join)?;
    task.leave = instant(table, "leave", Instant::NEVER)?;
    task.jitter = duration(table, "jitter")?;
    task.suspension = suspension(table, &task.program)?;
    if let Some(bytes) = table.get("working_set") {
        task.working_set = bytes.parsed_number(BYTES, quantity::bytes)?;
    }
    task.priority = number(table, "priority", u64::from(u32::MAX))?.map(|n| n as u32);
    task.priority_point = match table.get("priority_point") {
        Some(_) => Some(duration(table, "priority_point")?),
        None => None,
    };
    task.utility = table.get("utility").map_or(Some(None), |value| utility(&value).map(Some))?;
    task.abort_handler =
        table.get("abort_handler").map_or(Some(None), |value| abort_handler(&value).map(Some))?;
    task.processor = number(table, "processor", u64::from(u16::MAX))?.map(|n| n as u16);
    task.affinity = affinity(table)?;
    task.cluster = number(table, "cluster", u64::from(u16::MAX))?.map(|n| n as u16);
    task.supertask = table.get("supertask").map_or(Some(None), |value| prose(&value).map(Some))?;
    if let Some(value) = table.get("arrival") {
        task.arrival = arrival(&value, period)?;
    }
    if let Some(value) = table.get("cost") {
        task.cost = cost(&value)?;
    }
    if let Some(value) = table.get("workload") {
        task.workload = value.parsed(Workload::ALLOWED, Workload::parse)?;
    }
    if let Some(value) = table.get("wcet_may_exceed_deadline") {
        task.wcet_may_exceed_deadline = value.boolean()?;
    }
    Some(task)
}

/// The WCET, given or as the sum of what the program executes.
fn wcet(table: &Table<'_, '_>, steps: Option<&Option<Vec<Step>>>) -> Option<Work> {
    match (table.get("wcet"), steps) {
        (Some(value), _) => positive(&value).map(|length| Work::from_ns(length.as_ns())),
        (None, Some(steps)) => steps.as_deref().map(executed),
        (None, None) => {
            table.missing("wcet", &format!("{}, or a program that executes", quantity::POSITIVE));
            None
        }
    }
}

fn suspension(table: &Table<'_, '_>, program: &[Step]) -> Option<Suspension> {
    let segmented = program.iter().any(|step| matches!(step, Step::Suspend(_)));
    let bound = duration(table, "suspension")?;
    Some(match (segmented, bound.is_zero()) {
        (true, true) => Suspension::Segmented,
        (true, false) => {
            let value = table.get("suspension").expect("a bound above zero was given");
            value.refuse("stands beside a program that suspends", "one of the two");
            return None;
        }
        (false, true) => Suspension::None,
        (false, false) => Suspension::Dynamic(bound),
    })
}

fn arrival(value: &Value<'_, '_>, period: Duration) -> Option<Arrival> {
    let allowed = "periodic, sporadic, { sporadic = \"5 ms\" } or { at = [\"0 ms\", \"12 ms\"] }";
    if !value.is_table() {
        return value.choice("kind of arrival", ARRIVALS).map(|arrival| arrival(period));
    }
    let table = value.table(&[&field::ARRIVAL], allowed)?;
    match (table.get("sporadic"), table.get("like"), table.get("at")) {
        (Some(delay), like, None) => {
            let like = like.map(|name| name.text("the name of a task").map(str::to_owned));
            let delay = delay.parsed(DURATION, quantity::duration)?;
            Some(Arrival::Sporadic { delay, like: like.flatten() })
        }
        (None, None, Some(times)) => {
            let times = durations(&times)?;
            Some(Arrival::Listed(times.into_iter().map(|at| Instant::from_ns(at.as_ns())).collect()))
        }
        _ => {
            value.refuse("is not one kind of arrival", allowed);
            None
        }
    }
}

fn cost(value: &Value<'_, '_>) -> Option<CostModel> {
    let allowed =
        "wcet, { fraction = 0.25 }, { uniform = [\"1 ms\", \"2 ms\"] } or { list = [\"1 ms\", \"2 ms\"] }";
    if !value.is_table() {
        return value.choice("kind of cost", COSTS).map(|cost| cost());
    }
    let table = value.table(&[&field::TASK_COST], allowed)?;
    let work = |length: Duration| Work::from_ns(length.as_ns());
    match (table.get("fraction"), table.get("uniform"), table.get("list")) {
        (Some(part), None, None) => part.parsed_number(FRACTION, quantity::fraction).map(CostModel::Fraction),
        (None, Some(limits), None) => match durations(&limits)?[..] {
            [low, high] => Some(CostModel::Uniform(work(low), work(high))),
            _ => {
                limits.refuse("has not two limits", "a smallest and a largest cost");
                None
            }
        },
        (None, None, Some(list)) => {
            Some(CostModel::Listed(durations(&list)?.into_iter().map(work).collect()))
        }
        _ => {
            value.refuse("is not one kind of cost", allowed);
            None
        }
    }
}

fn durations(value: &Value<'_, '_>) -> Option<Vec<Duration>> {
    let items = value.items("a list of durations, such as [\"1 ms\", \"2 ms\"]")?;
    items.iter().map(|item| item.parsed(DURATION, quantity::duration)).collect()
}

/// The field `name`, zero if it is not there; `None` if it is wrong.
fn duration(table: &Table<'_, '_>, name: &str) -> Option<Duration> {
    table.get(name).map_or(Some(Duration::ZERO), |value| value.parsed(DURATION, quantity::duration))
}

fn instant(table: &Table<'_, '_>, name: &str, default: Instant) -> Option<Instant> {
    let Some(value) = table.get(name) else { return Some(default) };
    value.parsed(DURATION, quantity::duration).map(|length| Instant::from_ns(length.as_ns()))
}

/// The outer `None` if it is wrong, the inner one if it is not there.
fn number(table: &Table<'_, '_>, name: &str, largest: u64) -> Option<Option<u64>> {
    table.get(name).map_or(Some(None), |value| value.integer(0..=largest).map(Some))
}

/// The processors that the task may use; none named: all.
fn affinity(table: &Table<'_, '_>) -> Option<Vec<u16>> {
    let Some(value) = table.get("affinity") else { return Some(Vec::new()) };
    let items = value.items("a list of processors, such as [0, 2]")?;
    if items.is_empty() {
        value.refuse("names no processor", "one processor or more, such as [0, 2]");
        return None;
    }
    items.iter().map(|cpu| cpu.integer(0..=u64::from(u16::MAX)).map(|number| number as u16)).collect()
}
