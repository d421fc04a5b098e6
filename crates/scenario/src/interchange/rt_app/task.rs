//! One task of a workload.

use super::json::{whole, Fields, Reader};
use super::keys::{key, Key};
use crate::error::{Location, Problem};
use crate::loss::LossKind;
use crate::scenario::TaskSpec;
use jsonc_parser::ast::Value;
use schedlab_model::{Duration, Instant, ThreadClass, Work};
use std::ops::RangeInclusive;

pub(super) const POLICIES: &str =
    "SCHED_FIFO, SCHED_DEADLINE or SCHED_OTHER, of the task or as global.default_policy";

/// rt-app's priority of a task under `SCHED_FIFO` that states none.
const DEFAULT_PRIORITY: u32 = 10;

/// Policies of Linux that a scenario can state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    Fifo,
    Deadline,
    /// `SCHED_OTHER`, or `SCHED_BATCH`, whose threads share the same time.
    Ordinary,
}

impl Policy {
    /// The class that a task of this policy states beside those of others.
    pub(super) fn class(self) -> ThreadClass {
        match self {
            Policy::Fifo => ThreadClass::Fifo,
            Policy::Deadline => ThreadClass::Deadline,
            Policy::Ordinary => ThreadClass::Ordinary,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Policy::Fifo => "SCHED_FIFO",
            Policy::Deadline => "SCHED_DEADLINE",
            Policy::Ordinary => "SCHED_OTHER",
        }
    }
}

/// What a thread reserves with each of its periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reservation {
    pub(super) runtime_ns: u64,
    pub(super) period_ns: u64,
}

/// A task as its file states it.
pub(super) struct Stated {
    pub(super) spec: TaskSpec,
    pub(super) policy: Policy,
    /// What each of its threads reserves under `SCHED_DEADLINE`.
    pub(super) reservation: Option<Reservation>,
    /// The number of threads that run the task.
    pub(super) instances: usize,
    pub(super) place: Location,
    /// Name and place of a timer that other threads may use.
    pub(super) timer: Option<(String, Location)>,
    /// Place of the task's processors.
    pub(super) cpus: Option<Location>,
}

/// Events of a task: the length of all its runs, and the period and the name of its timer.
#[derive(Default)]
struct Events {
    run: Option<u64>,
    period: Option<u64>,
    timer: Option<(String, Location)>,
}

/// Reads the task `name`; `None` if it is refused.
pub(super) fn task<'a>(
    reader: &mut Reader<'_>,
    name: &str,
    value: &'a Value<'a>,
    default_policy: Option<&str>,
) -> Option<Stated> {
    let path = format!("tasks.{name}");
    let Some(object) = value.as_object() else {
        reader.refuse(path, value, "is no task", "an object");
        return None;
    };
    let fields = reader.fields(&path, object);
    let events = events(reader, name, &fields);
    let policy = policy(reader, name, value, &fields, default_policy)?;
    let events = events?;
    let (mut spec, reservation) = match policy {
        Policy::Fifo | Policy::Ordinary => (by_timer(reader, name, value, &fields, &events, policy)?, None),
        Policy::Deadline => {
            let (spec, reservation) = under_deadline(reader, name, value, &fields, &events)?;
            (spec, Some(reservation))
        }
    };
    spec.offset = Instant::from_ns(us(reader, &path, &fields, "delay")?.unwrap_or(0));
    let cpus = processors(reader, &path, &fields, &mut spec);
    let loops = fields.get("loop").filter(|loops| whole(loops) != Some(-1));
    if let Some(loops) = loops {
        let what = format!("loop {} of {name}, whose jobs go on here", reader.written(loops));
        reader.losses.harmless(LossKind::Loops, reader.place(loops), what);
    }
    let instances = match fields.get("instance") {
        None => 1,
        Some(given) => match whole(given).filter(|count| (1..=1_000).contains(count)) {
            Some(count) => count as usize,
            None => {
                reader.refuse(
                    format!("{path}.instance"),
                    given,
                    "is no number of instances",
                    "from 1 to 1000",
                );
                return None;
            }
        },
    };
    let place = reader.place(value);
    Some(Stated { spec, policy, reservation, instances, place, timer: events.timer, cpus })
}

/// Reads whole microseconds, as nanoseconds. The inner `None` means that the field is not there.
fn us(reader: &mut Reader<'_>, path: &str, fields: &Fields<'_>, key: &str) -> Option<Option<u64>> {
    let Some(value) = fields.get(key) else { return Some(None) };
    time(reader, &format!("{path}.{key}"), value).map(Some)
}

fn time(reader: &mut Reader<'_>, field: &str, value: &Value<'_>) -> Option<u64> {
    let us = whole(value).and_then(|us| u64::try_from(us).ok());
    let ns = us.and_then(|us| us.checked_mul(1_000));
    if ns.is_none() {
        reader.refuse(field, value, "is no time", "whole microseconds");
    }
    ns
}

/// Reads the events, and refuses those that are not supported.
fn events(reader: &mut Reader<'_>, name: &str, fields: &Fields<'_>) -> Option<Events> {
    let path = format!("tasks.{name}");
    let mut found = Some(Events::default());
    for (written, value) in fields.all() {
        let place = reader.place_of_key(fields, written);
        let field = format!("{path}.{written}");
        match key(written) {
            Key::Read => {}
            Key::Run => match (time(reader, &field, value), &mut found) {
                (Some(ns), Some(found)) => found.run = Some(found.run.unwrap_or(0).saturating_add(ns)),
                (None, _) => found = None,
                (Some(_), None) => {}
            },
            Key::Timer => match (timer(reader, &field, value), &mut found) {
                (Some(_), Some(found)) if found.period.is_some() => {
                    let why = "is another timer, and phases are not supported";
                    reader.refuse(field, value, why, "one timer");
                }
                (Some((period, name)), Some(found)) => (found.period, found.timer) = (Some(period), name),
                (None, _) => found = None,
                (Some(_), None) => {}
            },
            // Nothing is what a pause of no length does.
            Key::Refused(..) if written.starts_with("sleep") && whole(value) == Some(0) => {}
            Key::Refused(why, allowed) => {
                let problem = Problem::refused(format!("{written:?}"), why, allowed);
                reader.report(place, field, problem);
            }
            Key::Frequency => {
                let what = format!("{written} {} of {name}", reader.written(value));
                reader.losses.flatters(LossKind::Speed, place, what);
            }
            Key::Unknown => {
                let what = format!("{written} of {name}, which is no key of rt-app's,");
                reader.losses.flatters(LossKind::UnknownFields, place, what);
            }
        }
    }
    found
}

/// The period of a timer, and its name and place unless it is the task's own.
fn timer(
    reader: &mut Reader<'_>,
    path: &str,
    value: &Value<'_>,
) -> Option<(u64, Option<(String, Location)>)> {
    let Some(object) = value.as_object() else {
        reader.refuse(path, value, "is no timer", "an object with ref and period");
        return None;
    };
    let fields = reader.fields(path, object);
    for (written, _) in fields.all().filter(|(written, _)| !["ref", "period", "mode"].contains(written)) {
        let what = format!("{written} of {path}, which is no key of rt-app's,");
        reader.losses.flatters(LossKind::UnknownFields, reader.place_of_key(&fields, written), what);
    }
    let Some(period) = us(reader, path, &fields, "period")? else {
        reader.report(reader.place(value), format!("{path}.period"), Problem::missing("whole microseconds"));
        return None;
    };
    for key in ["ref", "mode"] {
        if let Some(value) = fields.get(key).filter(|value| value.as_string_lit().is_none()) {
            reader.refuse(
                format!("{path}.{key}"),
                value,
                "is no text",
                "a text, such as \"unique\" or \"absolute\"",
            );
        }
    }
    // Without a name, rt-app calls the timer "unknown"; threads that do so share it.
    let name = fields.get("ref").and_then(Value::as_string_lit).map_or("unknown", |name| &name.value);
    let shared = (!name.starts_with("unique")).then(|| (name.to_owned(), reader.place(value)));
    Some((period, shared))
}

fn policy(
    reader: &mut Reader<'_>,
    name: &str,
    task: &Value<'_>,
    fields: &Fields<'_>,
    default_policy: Option<&str>,
) -> Option<Policy> {
    let field = format!("tasks.{name}.policy");
    let own = fields.get("policy");
    let (policy, place) = match own {
        Some(own) => (own.as_string_lit().map(|own| own.value.as_ref()), reader.place(own)),
        None => (Some(default_policy.unwrap_or("SCHED_OTHER")), reader.place(task)),
    };
    let why = match policy {
        Some("SCHED_FIFO") => return Some(Policy::Fifo),
        Some("SCHED_DEADLINE") => return Some(Policy::Deadline),
        Some("SCHED_OTHER" | "SCHED_BATCH") => return Some(Policy::Ordinary),
        Some("SCHED_RR") => "shares a priority by turns, which is not supported",
        Some("SCHED_IDLE") => "goes behind ordinary threads, which is not supported",
        Some(_) | None => "is no policy of rt-app's",
    };
    let shown = match own {
        Some(own) => reader.written(own),
        None => policy.unwrap_or_default().to_owned(),
    };
    reader.report(place, field, Problem::refused(shown, why, POLICIES));
    None
}

fn no_run_or_period(reader: &mut Reader<'_>, name: &str, task: &Value<'_>) {
    let allowed = "run and timer.period, or dl-runtime and dl-period";
    let problem = Problem::refused(format!("{name:?}"), "has no run or no period", allowed);
    reader.report(reader.place(task), format!("tasks.{name}"), problem);
}

/// Reads a task whose jobs arrive by its timer, under a policy that knows no deadlines: the jobs get the deadline that
/// `SCHED_DEADLINE` would use, but none beyond the period, because the next job has to begin then.
fn by_timer<'a>(
    reader: &mut Reader<'_>,
    name: &str,
    task: &'a Value<'a>,
    fields: &Fields<'_>,
    events: &Events,
    policy: Policy,
) -> Option<TaskSpec> {
    let path = format!("tasks.{name}");
    let deadline = us(reader, &path, fields, "dl-deadline")?;
    let (Some(wcet), Some(period)) = (events.run, events.period) else {
        no_run_or_period(reader, name, task);
        return None;
    };
    for key in ["dl-runtime", "dl-period", "dl-deadline"] {
        let is_read = key == "dl-deadline" && deadline.is_some_and(|deadline| deadline <= period);
        if let Some(value) = fields.get(key).filter(|_| !is_read) {
            let what = format!(
                "{key} {} of {name}, of which {} takes no notice",
                reader.written(value),
                policy.name()
            );
            reader.losses.harmless(LossKind::Budgets, reader.place_of_key(fields, key), what);
        }
    }
    let mut spec = spec(name, wcet, period, deadline.unwrap_or(period).min(period));
    spec.priority = Some(match policy {
        Policy::Ordinary => nice(reader, name, fields)?,
        Policy::Fifo | Policy::Deadline => match fields.get("priority") {
            None => DEFAULT_PRIORITY,
            Some(given) => number(reader, &path, given, 1..=99, "a whole number from 1 to 99")? as u32,
        },
    });
    Some(spec)
}

/// Reads the priority of an ordinary thread, its nice value. Such threads share their processor by it, of which no
/// scenario has a field. Returns the number that a task states where all do: nothing reads it.
fn nice(reader: &mut Reader<'_>, name: &str, fields: &Fields<'_>) -> Option<u32> {
    if let Some(given) = fields.get("priority") {
        let path = format!("tasks.{name}");
        let nice = number(reader, &path, given, -20..=19, "a nice value from -20 to 19")?;
        if nice != 0 {
            let what =
                format!("nice {nice} of {name}: ordinary threads go in the order in which they came here");
            reader.losses.harmless(LossKind::Priorities, reader.place_of_key(fields, "priority"), what);
        }
    }
    Some(0)
}

/// Reads the number of a task's priority.
fn number(
    reader: &mut Reader<'_>,
    path: &str,
    given: &Value<'_>,
    range: RangeInclusive<i64>,
    allowed: &str,
) -> Option<i64> {
    let found = whole(given).filter(|number| range.contains(number));
    if found.is_none() {
        reader.refuse(format!("{path}.priority"), given, "is no priority", allowed);
    }
    found
}

/// Reads a task with a reservation. Without a timer, a job is one budget: the thread always wants more.
fn under_deadline<'a>(
    reader: &mut Reader<'_>,
    name: &str,
    task: &'a Value<'a>,
    fields: &Fields<'_>,
    events: &Events,
) -> Option<(TaskSpec, Reservation)> {
    let path = format!("tasks.{name}");
    let (budget, every) = (us(reader, &path, fields, "dl-runtime")?, us(reader, &path, fields, "dl-period")?);
    let deadline = us(reader, &path, fields, "dl-deadline")?;
    let (Some(budget), Some(every)) = (budget, every) else {
        let lacking = if budget.is_none() { "dl-runtime" } else { "dl-period" };
        let problem = Problem::missing("whole microseconds, for SCHED_DEADLINE");
        reader.report(reader.place(task), format!("{path}.{lacking}"), problem);
        return None;
    };
    let reserved = deadline.unwrap_or(every);
    if budget > reserved || reserved > every {
        let key = if deadline.is_some() { "dl-deadline" } else { "dl-period" };
        let at = fields.get(key).unwrap_or(task);
        let why = "is out of order, which the kernel refuses";
        reader.refuse(format!("{path}.{key}"), at, why, "dl-runtime <= dl-deadline <= dl-period");
        return None;
    }
    let run = events.run.unwrap_or(budget);
    let us = |ns: u64| ns / 1_000;
    if run > budget {
        let what = format!("dl-runtime {} of {name}, which its run of {} exceeds,", us(budget), us(run));
        reader.losses.flatters(LossKind::Budgets, reader.place_of_key(fields, "dl-runtime"), what);
    }
    if let Some(period) = events.period.filter(|period| *period < every) {
        let what = format!(
            "dl-period {} of {name}, which its timer's period of {} undercuts,",
            us(every),
            us(period)
        );
        reader.losses.flatters(LossKind::Budgets, reader.place_of_key(fields, "dl-period"), what);
    }
    if let (Some(_), None) = (events.run.filter(|run| *run < budget), events.period) {
        let what = format!("run {} of {name}, which without a timer uses all of its dl-runtime", us(run));
        reader.losses.harmless(LossKind::Budgets, reader.place_of_key(fields, "dl-runtime"), what);
    }
    let wcet = if events.period.is_some() { run } else { run.max(budget) };
    let reservation = Reservation { runtime_ns: budget, period_ns: every };
    Some((spec(name, wcet, events.period.unwrap_or(every), reserved), reservation))
}

fn spec(name: &str, wcet: u64, period: u64, deadline: u64) -> TaskSpec {
    let mut spec = TaskSpec::new(name, Work::from_ns(wcet), Duration::from_ns(period));
    spec.relative_deadline = Duration::from_ns(deadline);
    spec.wcet_may_exceed_deadline = spec.wcet.at_unit_speed() > spec.relative_deadline;
    spec
}

/// Notes the processors, and returns their place.
fn processors(
    reader: &mut Reader<'_>,
    path: &str,
    fields: &Fields<'_>,
    spec: &mut TaskSpec,
) -> Option<Location> {
    let list = fields.get("cpus")?;
    let cpu = |value: &Value<'_>| whole(value).and_then(|number| u16::try_from(number).ok());
    let cpus: Option<Vec<u16>> = list.as_array().and_then(|all| all.elements.iter().map(cpu).collect());
    match cpus.as_deref() {
        Some([only]) => spec.processor = Some(*only),
        Some([_, ..]) => spec.affinity = cpus.unwrap_or_default(),
        _ => {
            reader.refuse(format!("{path}.cpus"), list, "is no list of processors", "such as [0, 2]");
            return None;
        }
    }
    Some(reader.place(list))
}
