//! SimSo's XML: a `simulation` with scheduler, processors and tasks, times in milliseconds with decimals.
//!
//! Read and written: of tasks `name`, `period`, `activationDate` (the offset), `WCET`, `deadline`, `task_type`
//! with `list_activation_dates`; the number of processors; the duration (in cycles) as horizon. SimSo's
//! scheduler classes other than EDF and RM in their three scopes, its overheads, caches, execution-time
//! models, and aborts on a miss have no equal here: they are reported as lost unless they change nothing.
//! Format as in `simso/configuration/parser.py`.

use super::xml::{escaped, whole, Reader};
use super::{checked, Converted};
use crate::aspect::{lost, Aspect};
use crate::error::{Errors, Problem};
use crate::quantity::{duration_in, in_unit};
use crate::scenario::{Scenario, TaskSpec};
use crate::words::Arrival;
use roxmltree::Node;
use schedlab_model::{Duration, Instant, Work};
use schedlab_policy::{Order, Scheduler, Scope, EDF, RM};
use std::collections::BTreeSet;

const MS: &str = "a number of milliseconds, such as 2.5";

/// SimSo's classes that do what a scheduler here does.
const CLASSES: [(&str, Order, Scope); 4] = [
    ("simso.schedulers.EDF", EDF, Scope::Global),
    ("simso.schedulers.RM", RM, Scope::Global),
    ("simso.schedulers.P_EDF", EDF, Scope::Partitioned),
    ("simso.schedulers.P_RM", RM, Scope::Partitioned),
];

/// What a simulation says, besides its scheduler.
const KEPT: &[Aspect] = &[
    Aspect::Horizon,
    Aspect::Processors,
    Aspect::ShortDeadline,
    Aspect::LongDeadline,
    Aspect::Offset,
    Aspect::Listed,
];

/// SimSo's classes, and what the schedulers are called here.
fn classes() -> impl Iterator<Item = (&'static str, String)> {
    CLASSES.into_iter().map(|(class, order, scope)| (class, Scheduler::of_order(order, true, scope).name))
}

/// Reads a `simulation`.
pub(crate) fn read(file: &str, text: &str) -> Result<Converted<Scenario>, Errors> {
    let mut reader = Reader::new(file);
    let mut lost = Vec::new();
    let mut scenario = Scenario::new(Vec::new());
    let mut places = Vec::new();
    let document = reader.parse(text);
    if let Some(document) = &document {
        let root = document.root_element();
        if root.tag_name().name() != "simulation" {
            let problem =
                Problem::refused(root.tag_name().name(), "is no simulation", "a simulation element");
            reader.report(root, "", problem);
        }
        let named = |name: &'static str| root.descendants().filter(move |node| node.has_tag_name(name));
        for node in named("task") {
            places.push(reader.place(node));
            let task = task(&mut reader, node, &mut lost);
            scenario.tasks.extend(task);
        }
        let processors = named("processor").count();
        match u16::try_from(processors) {
            Ok(count) if count > 0 => scenario.platform.processors = count,
            _ => {
                let problem =
                    Problem::refused(processors, "is no number of processors", "1 to 4096 processors");
                reader.report(root, "processors", problem);
            }
        }
        scenario.horizon = horizon(&mut reader, root, &scenario).unwrap_or(scenario.horizon);
        surroundings(root, &mut scenario, &mut lost);
    }
    Errors::check(reader.errors)?;
    Ok(Converted { value: checked(scenario, &places)?, lost })
}

/// The duration, which is in cycles; the default of a scenario if it is not given.
fn horizon(reader: &mut Reader<'_>, root: Node<'_, '_>, scenario: &Scenario) -> Option<Instant> {
    let allowed = "a whole number of cycles";
    let duration = reader.get(root, "duration", allowed, whole)?;
    let per_ms = reader.get(root, "cycles_per_ms", allowed, whole)?.unwrap_or(1_000_000);
    let Some(cycles) = duration else { return Some(crate::scenario::default_horizon(&scenario.tasks)) };
    let ns = u128::from(cycles) * 1_000_000;
    let exact = per_ms > 0 && ns % u128::from(per_ms) == 0;
    match exact.then(|| u64::try_from(ns / u128::from(per_ms)).ok()).flatten() {
        Some(ns) if ns <= crate::quantity::LONGEST.as_ns() => Some(Instant::from_ns(ns)),
        _ => {
            let why = "is no whole number of nanoseconds up to a year";
            reader.report(root, "duration", Problem::refused(cycles, why, allowed));
            None
        }
    }
}

fn surroundings(root: Node<'_, '_>, scenario: &mut Scenario, lost: &mut Vec<String>) {
    if let Some(etm) = root.attribute("etm").filter(|etm| *etm != "wcet") {
        lost.push(format!("execution-time model {etm}"));
    }
    for node in root.descendants().filter(Node::is_element) {
        match node.tag_name().name() {
            "sched" => {
                let class = node.attribute("class").or_else(|| node.attribute("className")).unwrap_or("");
                match classes().find(|(known, _)| *known == class) {
                    Some((_, name)) => scenario.scheduler.name = name,
                    None => lost.push(format!("scheduler {class:?}, taken for {}", scenario.scheduler.name)),
                }
            }
            "cache" if node.attribute("name").is_some() => lost.push("caches".to_owned()),
            _ => {}
        }
        for attribute in node.attributes().filter(|attribute| costs_time(attribute.name(), attribute.value()))
        {
            lost.push(format!("{} {} of {}", attribute.name(), attribute.value(), node.tag_name().name()));
        }
    }
}

/// True for an overhead or speed that changes what happens.
fn costs_time(name: &str, value: &str) -> bool {
    let zero = value.parse::<f64>() == Ok(0.0);
    match name {
        "overhead" | "overhead_activate" | "overhead_terminate" | "cl_overhead" | "cs_overhead"
        | "migration_overhead" | "preemption_cost" => !zero,
        "speed" => value.parse::<f64>() != Ok(1.0),
        _ => false,
    }
}

fn task(reader: &mut Reader<'_>, node: Node<'_, '_>, lost: &mut Vec<String>) -> Option<TaskSpec> {
    let ms = |text: &str| duration_in(text, "ms");
    let name = reader.need(node, "name", "a name of its own", |text| Ok(text.to_owned()));
    let wcet = reader.need(node, "WCET", MS, ms);
    let period = reader.need(node, "period", MS, ms);
    let deadline = reader.need(node, "deadline", MS, ms);
    let offset = reader.get(node, "activationDate", MS, ms);
    let arrival = arrival(reader, node);
    let (name, wcet, period, deadline, offset) = (name?, wcet?, period?, deadline?, offset?);
    let mut task = TaskSpec::new(name, Work::from_ns(wcet.as_ns()), period);
    task.relative_deadline = deadline;
    task.wcet_may_exceed_deadline = wcet > deadline;
    task.offset = Instant::ZERO + offset.unwrap_or(Duration::ZERO);
    task.arrival = arrival?;
    // SimSo aborts a late job unless the file says otherwise.
    if node.attribute("abort_on_miss").is_none_or(|value| value == "yes") {
        lost.push(format!("abort_on_miss of {}: late jobs go on here", task.name));
    }
    if let Some(next) = node.attribute("followed_by") {
        lost.push(format!("followed_by {next} of {}", task.name));
    }
    Some(task)
}

fn arrival(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Option<Arrival> {
    let kind = match (node.attribute("task_type"), node.attribute("periodic")) {
        (Some(kind), _) => kind,
        (None, Some("no")) => "APeriodic",
        (None, _) => "Periodic",
    };
    match kind {
        "Periodic" => Some(Arrival::Periodic),
        "Sporadic" => {
            let list = |text: &str| {
                let times: Result<Vec<Instant>, &'static str> =
                    text.split(',').map(|part| Ok(Instant::ZERO + duration_in(part, "ms")?)).collect();
                times.map(|mut times| {
                    times.sort_unstable();
                    times
                })
            };
            reader
                .need(node, "list_activation_dates", "times in ms, such as 0, 10, 25", list)
                .map(Arrival::Listed)
        }
        other => {
            reader.report(
                node,
                "task_type",
                Problem::refused(other, "has no equal here", "Periodic or Sporadic"),
            );
            None
        }
    }
}

/// A name that SimSo accepts (a letter, then letters, digits, spaces, `_` and `-`) and that is not taken.
fn name_for(name: &str, index: usize, taken: &mut BTreeSet<String>) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || " _-".contains(c);
    let mut plain: String = name.chars().map(|c| if fits(c) { c } else { '-' }).collect();
    if !plain.starts_with(|c: char| c.is_ascii_alphabetic()) {
        plain.insert(0, 'T');
    }
    while !taken.insert(plain.clone()) {
        plain.push_str(&format!("-{index}"));
    }
    plain
}

/// Writes tasks, processors, horizon and, if SimSo has it, the scheduler.
pub(crate) fn write(scenario: &Scenario) -> Result<Converted<String>, Errors> {
    let class = classes().find(|(_, name)| *name == scenario.scheduler.name);
    let scheduler = class.as_ref().map(|_| Aspect::Scheduler);
    let mut lost = lost(scenario, &[KEPT, scheduler.as_slice()].concat());
    // One cycle is a nanosecond.
    let mut text = format!(
        "<?xml version=\"1.0\" ?>\n<simulation cycles_per_ms=\"1000000\" duration=\"{}\" etm=\"wcet\">\n",
        scenario.horizon.as_ns()
    );
    let class = class.map_or("", |(class, _)| class);
    text.push_str(&format!(
        "  <sched class=\"{class}\" overhead=\"0\" overhead_activate=\"0\" overhead_terminate=\"0\"/>\n"
    ));
    text.push_str("  <caches memory_access_time=\"100\"/>\n  <processors>\n");
    for cpu in 0..scenario.platform.processors {
        text.push_str(&format!(
            "    <processor name=\"CPU {cpu}\" id=\"{cpu}\" cl_overhead=\"0\" cs_overhead=\"0\" speed=\"1.0\"/>\n"
        ));
    }
    text.push_str("  </processors>\n  <tasks>\n");
    let mut names = BTreeSet::new();
    for (index, task) in scenario.tasks.iter().enumerate() {
        let name = name_for(&task.name, index, &mut names);
        if name != task.name {
            lost.push(format!("name {}, written as {name}", task.name));
        }
        text.push_str(&task_text(index, &name, task));
    }
    text.push_str("  </tasks>\n</simulation>\n");
    Ok(Converted { value: text, lost })
}

fn task_text(index: usize, name: &str, task: &TaskSpec) -> String {
    let ms = |ns: u64| in_unit(Duration::from_ns(ns), 1_000_000, false).unwrap_or_default();
    let (kind, dates) = match &task.arrival {
        Arrival::Periodic | Arrival::Sporadic { .. } => ("Periodic", String::new()),
        Arrival::Listed(times) => {
            ("Sporadic", times.iter().map(|at| ms(at.as_ns())).collect::<Vec<_>>().join(", "))
        }
    };
    format!(
        "    <task name=\"{}\" id=\"{}\" task_type=\"{kind}\" abort_on_miss=\"no\" period=\"{}\" activationDate=\"{}\" \
         list_activation_dates=\"{dates}\" deadline=\"{}\" base_cpi=\"1.0\" instructions=\"0\" mix=\"0.5\" WCET=\"{}\" \
         ACET=\"0\" preemption_cost=\"0\" et_stddev=\"0\"/>\n",
        escaped(name),
        index + 1,
        ms(task.period.as_ns()),
        ms(task.offset.as_ns()),
        ms(task.relative_deadline.as_ns()),
        ms(task.wcet.as_ns()),
    )
}
