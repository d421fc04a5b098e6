//! Reads a `[[task]]`.

use super::program::{self, Names};
use super::utility::{abort_handler, utility};
use crate::check::MOST_TASKS;
use crate::convert::executed;
use crate::copies::copies_of;
use crate::document::{duration, positive, prose, Table, Value};
use crate::field;
use crate::quantity::{self, BYTES, FRACTION};
use crate::scenario::{ServerSpec, TaskSpec};
use crate::words::{Arrival, CostModel, ARRIVALS, COSTS};
use crate::workload::Workload;
use schedlab_model::{CpuId, Duration, Instant, Step, Suspension, TaskPiece, ThreadClass, Work};

/// A task that a file states.
pub(super) struct Stated {
    pub(super) spec: TaskSpec,
    /// True if the task follows a change of weight.
    pub(super) is_change: bool,
}

/// Reads a task and its copies, beside `servers`; none if something is wrong.
pub(super) fn task(table: &Table<'_, '_>, names: &Names, servers: &[ServerSpec]) -> Vec<Stated> {
    let copies = table.given_or("copies", 1, |copies| copies.integer(1..=MOST_TASKS as u64));
    let (Some(task), Some(copies)) = (one(table, names, servers), copies) else { return Vec::new() };
    let copies = copies_of(&task, copies as usize);
    match table.get("weights") {
        None => copies.map(|spec| Stated { spec, is_change: false }).collect(),
        Some(changes) => {
            let parts: Option<Vec<_>> = copies.map(|copy| super::weights::changed(copy, &changes)).collect();
            let stated = |(index, spec)| Stated { spec, is_change: index > 0 };
            parts.into_iter().flatten().flat_map(|parts| parts.into_iter().enumerate().map(stated)).collect()
        }
    }
}

fn one(table: &Table<'_, '_>, names: &Names, servers: &[ServerSpec]) -> Option<TaskSpec> {
    let name = table.needed("name", "a name of its own", prose);
    let period = table.needed("period", quantity::POSITIVE, positive);
    let called = name.as_deref().unwrap_or_default();
    let steps = table.get("program").map(|value| program::program(&value, called, names));
    let wcet = wcet(table, steps.as_ref());
    let deadline = table.given("deadline", positive);
    let (name, period, wcet) = (name?, period?, wcet?);
    let mut task = TaskSpec::new(name, wcet, period);
    task.program = steps.unwrap_or_else(|| Some(Vec::new()))?;
    task.join = table.given_or("join", Instant::ZERO, instant)?;
    task.offset = table.given_or("offset", task.join, instant)?;
    task.leave = table.given_or("leave", Instant::NEVER, instant)?;
    task.jitter = table.given_or("jitter", Duration::ZERO, duration)?;
    task.suspension = suspension(table, &task.program)?;
    task.working_set =
        table.given_or("working_set", 0, |bytes| bytes.parsed_number(BYTES, quantity::bytes))?;
    task.priority = table.given("priority", |value| Some(value.integer(0..=u64::from(u32::MAX))? as u32))?;
    task.class = table.given_or("class", ThreadClass::Fifo, |value| {
        value.choice("class of a thread", &ThreadClass::NAMED)
    })?;
    task.priority_point = table.given("priority_point", duration)?;
    task.utility = table.given("utility", utility)?;
    task.abort_handler = table.given("abort_handler", abort_handler)?;
    task.processor = table.given("processor", short)?;
    task.pieces = pieces(table)?;
    task.affinity = affinity(table)?;
    task.cluster = table.given("cluster", short)?;
    task.supertask = table.given("supertask", prose)?;
    task.server = table.given("server", prose)?;
    task.relative_deadline = deadline?.unwrap_or_else(|| task.usual_deadline(servers));
    task.arrival = table.given_or("arrival", Arrival::Periodic, |value| arrival(value, period))?;
    task.cost = table.given_or("cost", CostModel::Wcet, cost)?;
    task.workload = table.given_or("workload", Workload::default(), |value| {
        value.parsed(Workload::ALLOWED, Workload::parse)
    })?;
    task.wcet_may_exceed_deadline = table.given_or("wcet_may_exceed_deadline", false, Value::boolean)?;
    Some(task)
}

/// Reads the WCET, given or as the sum of what the program executes.
fn wcet(table: &Table<'_, '_>, steps: Option<&Option<Vec<Step>>>) -> Option<Work> {
    match (table.get("wcet"), steps) {
        (Some(value), _) => positive(&value).map(Work::done_in),
        (None, Some(steps)) => steps.as_deref().map(executed),
        (None, None) => {
            table.missing("wcet", &format!("{}, or a program that executes", quantity::POSITIVE));
            None
        }
    }
}

fn suspension(table: &Table<'_, '_>, program: &[Step]) -> Option<Suspension> {
    let segmented = program.iter().any(|step| matches!(step, Step::Suspend(_)));
    let bound = table.given_or("suspension", Duration::ZERO, duration)?;
    Some(match (segmented, bound.is_zero()) {
        (true, true) => Suspension::Segmented,
        (true, false) => {
            let value = table.get("suspension").expect("a bound above zero was given");
            return value.refused("stands beside a program that suspends", "one of the two");
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
            Some(Arrival::Sporadic { delay: duration(&delay)?, like: like.flatten() })
        }
        (None, None, Some(times)) => {
            let since_zero = |length| Instant::ZERO + length;
            Some(Arrival::Listed(durations(&times)?.into_iter().map(since_zero).collect()))
        }
        _ => value.refused("is not one kind of arrival", allowed),
    }
}

fn cost(value: &Value<'_, '_>) -> Option<CostModel> {
    let allowed =
        "wcet, { fraction = 0.25 }, { uniform = [\"1 ms\", \"2 ms\"] }, { list = [\"1 ms\", \"2 ms\"] } or \
        { least = \"0.5 ms\", quantiles = [[0.5, \"1 ms\"], [0.99, \"2 ms\"]] }";
    if !value.is_table() {
        return value.choice("kind of cost", COSTS).map(|cost| cost());
    }
    let table = value.table(&[&field::TASK_COST], allowed)?;
    let least = table.given("least", duration)?;
    if let (Some(points), None, None, None) =
        (table.get("quantiles"), table.get("fraction"), table.get("uniform"), table.get("list"))
    {
        return quantiles(&points, least.map(Work::done_in));
    }
    if table.get("quantiles").is_some() || least.is_some() {
        return value.refused("is not one kind of cost", allowed);
    }
    match (table.get("fraction"), table.get("uniform"), table.get("list")) {
        (Some(part), None, None) => part.parsed_number(FRACTION, quantity::fraction).map(CostModel::Fraction),
        (None, Some(limits), None) => match durations(&limits)?[..] {
            [low, high] => Some(CostModel::Uniform(Work::done_in(low), Work::done_in(high))),
            _ => limits.refused("has not two limits", "a smallest and a largest cost"),
        },
        (None, None, Some(list)) => {
            Some(CostModel::Listed(durations(&list)?.into_iter().map(Work::done_in).collect()))
        }
        _ => value.refused("is not one kind of cost", allowed),
    }
}

/// Reads quantiles. Without a stated least cost, no job costs less than the first of them.
fn quantiles(value: &Value<'_, '_>, least: Option<Work>) -> Option<CostModel> {
    let allowed =
        "quantiles such as [[0.5, \"1 ms\"], [0.99, \"2 ms\"]]: share of the jobs and largest cost of these";
    let point = |item: &Value<'_, '_>| match &item.items(allowed)?[..] {
        [share, cost] => {
            Some((share.parsed_number(FRACTION, quantity::fraction)?, Work::done_in(duration(cost)?)))
        }
        _ => item.refused("is no pair of a share and a cost", allowed),
    };
    let points: Vec<_> = value.items(allowed)?.iter().map(point).collect::<Option<_>>()?;
    let Some(first) = points.first().map(|(_, cost)| *cost) else {
        return value.refused("has no quantile", allowed);
    };
    Some(CostModel::Quantiles { least: least.unwrap_or(first), points })
}

fn durations(value: &Value<'_, '_>) -> Option<Vec<Duration>> {
    value.items("a list of durations, such as [\"1 ms\", \"2 ms\"]")?.iter().map(duration).collect()
}

fn instant(value: &Value<'_, '_>) -> Option<Instant> {
    duration(value).map(|length| Instant::ZERO + length)
}

/// The number of a processor or of a cluster.
pub(super) fn short(value: &Value<'_, '_>) -> Option<u16> {
    Some(value.integer(0..=u64::from(u16::MAX))? as u16)
}

/// Reads the pieces in which the task executes; none if it is whole.
fn pieces(table: &Table<'_, '_>) -> Option<Vec<TaskPiece>> {
    let Some(value) = table.get("pieces") else { return Some(Vec::new()) };
    let allowed = "pieces such as [{ processor = 0, budget = \"4 ms\", deadline = \"4 ms\" }, { processor = 1, budget = \
                   \"2 ms\", begin = \"4 ms\", deadline = \"6 ms\" }]";
    let items = value.items(allowed)?;
    if items.is_empty() {
        return value.refused("names no piece", "one piece or more, or no pieces");
    }
    let pieces: Vec<Option<TaskPiece>> = items.iter().map(|item| piece(item, allowed)).collect();
    pieces.into_iter().collect()
}

fn piece(value: &Value<'_, '_>, allowed: &str) -> Option<TaskPiece> {
    let table = value.table(&[&field::PIECE], allowed)?;
    let cpu = table.needed("processor", "the number of a processor", short);
    let budget = table.needed("budget", quantity::POSITIVE, positive);
    let begin = table.given_or("begin", Duration::ZERO, duration);
    let relative_deadline = table.needed("deadline", quantity::POSITIVE, positive);
    Some(TaskPiece {
        cpu: CpuId(cpu?),
        budget: Work::done_in(budget?),
        begin: begin?,
        relative_deadline: relative_deadline?,
    })
}

/// Reads the processors that the task may use; an empty list means all.
fn affinity(table: &Table<'_, '_>) -> Option<Vec<u16>> {
    let Some(value) = table.get("affinity") else { return Some(Vec::new()) };
    let items = value.items("a list of processors, such as [0, 2]")?;
    if items.is_empty() {
        return value.refused("names no processor", "one processor or more, such as [0, 2]");
    }
    items.iter().map(short).collect()
}
