//! SimSo's XML: a `simulation` with scheduler, processors and tasks, times in milliseconds with decimals.
//!
//! Read and written: of tasks `name`, `period`, `activationDate` (the offset), `WCET`, `deadline`, `task_type`
//! with `list_activation_dates`; the number of processors; the duration (in cycles) as horizon. Speeds, overheads,
//! scheduler classes without an equal here, execution-time models that may exceed the WCET, followers, and attributes
//! that SimSo itself does not have are refused as losses. Aborts on a miss, caches, times below the WCET and data for
//! a scheduler that reads none change no verdict: they are listed. Format as in `simso/configuration/parser.py`.

use super::simso_surroundings::surroundings;
use super::xml::{escaped, whole, Reader};
use super::{checked, Converted};
use crate::aspect::{lost, Aspect};
use crate::error::{Errors, Problem};
use crate::loss::{Ignored, Imported, LossKind};
use crate::quantity::{duration_in, in_unit};
use crate::scenario::{Placement, Scenario, TaskSpec};
use crate::words::Arrival;
use roxmltree::{Document, Node};
use schedlab_model::{Duration, Instant, Work};
use schedlab_policy::{Order, Scheduler, Scope, EDF, RM};
use schedlab_workload::placement::{Fit, Overflow, PlacementOrder, PlacementWeight};
use std::collections::BTreeSet;

/// The element at the root of SimSo's files.
pub(super) const ROOT: &str = "simulation";

const MS: &str = "a number of milliseconds, such as 2.5";

/// A class of SimSo with the same behaviour as a scheduler here.
struct Class {
    path: &'static str,
    order: Order,
    scope: Scope,
    /// Order in which tasks are placed, and choice of the processor.
    packing: Option<(PlacementOrder, Fit, Overflow)>,
    /// Whether the class is for one processor only.
    is_mono: bool,
}

/// `P_EDF` packs by decreasing first fit. `P_RM` gives each task, as listed, to the least loaded processor.
const CLASSES: [Class; 6] = [
    Class { path: "simso.schedulers.EDF", order: EDF, scope: Scope::Global, packing: None, is_mono: false },
    Class { path: "simso.schedulers.RM", order: RM, scope: Scope::Global, packing: None, is_mono: false },
    Class {
        path: "simso.schedulers.P_EDF",
        order: EDF,
        scope: Scope::Partitioned,
        packing: Some((
            PlacementOrder::Decreasing(PlacementWeight::Utilization),
            Fit::First,
            Overflow::Misfit,
        )),
        is_mono: false,
    },
    Class {
        path: "simso.schedulers.P_RM",
        order: RM,
        scope: Scope::Partitioned,
        packing: Some((PlacementOrder::Given, Fit::Worst, Overflow::LeastLoaded)),
        is_mono: false,
    },
    Class {
        path: "simso.schedulers.EDF_mono",
        order: EDF,
        scope: Scope::Global,
        packing: None,
        is_mono: true,
    },
    Class { path: "simso.schedulers.RM_mono", order: RM, scope: Scope::Global, packing: None, is_mono: true },
];

/// Aspects of a simulation that the format holds, besides its scheduler.
const KEPT: &[Aspect] = &[
    Aspect::Horizon,
    Aspect::Processors,
    Aspect::ShortDeadline,
    Aspect::LongDeadline,
    Aspect::Offset,
    Aspect::Listed,
];

impl Class {
    /// Name of the scheduler here.
    fn scheduler(&self) -> String {
        Scheduler::of_order(self.order, true, self.scope).name
    }

    /// Placement of tasks by the class; `None` if it places none.
    fn placement(&self) -> Option<Placement> {
        let (order, fit, overflow) = self.packing?;
        let fit = Some(fit);
        Some(Placement { order, fit, overflow, weight: PlacementWeight::Utilization, ..Placement::default() })
    }
}

/// Reads a `simulation`.
pub(crate) fn read(file: &str, text: &str, ignored: &Ignored) -> Result<Imported<Scenario>, Errors> {
    let mut reader = Reader::new(file);
    let mut scenario = Scenario::new(Vec::new());
    let mut places = Vec::new();
    let document = reader.parse(text);
    if let Some(root) = document.as_ref().and_then(|document| simulation(&mut reader, document)) {
        let named = |name: &'static str| root.descendants().filter(move |node| node.has_tag_name(name));
        for part in ["processors", "tasks", "sched", "caches"] {
            if let Some(second) = named(part).nth(1) {
                let why = "is there twice, and SimSo reads the first alone";
                reader.report(second, "", Problem::refused(part, why, format!("one {part} element")));
            }
        }
        for node in named("task") {
            places.push(reader.place(node));
            let task = task(&mut reader, node);
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
        match named("sched").next() {
            Some(node) => scheduler(&mut reader, node, &mut scenario),
            None => reader.report(root, "sched", Problem::missing("a sched element with a class")),
        }
        surroundings(&mut reader, root);
    }
    let losses = reader.losses.judged(reader.errors, ignored)?;
    Ok(Imported { value: checked(scenario, &places)?, losses })
}

/// Returns the root, if the file is a configuration of SimSo: other tools have simulations, too.
fn simulation<'a, 'i>(reader: &mut Reader<'_>, document: &'a Document<'i>) -> Option<Node<'a, 'i>> {
    const PARTS: [&str; 3] = ["sched", "processors", "tasks"];
    let root = reader.expect_root(document, ROOT)?;
    if root.children().any(|child| PARTS.contains(&child.tag_name().name())) {
        return Some(root);
    }
    let sentence = "this simulation is no configuration of SimSo";
    reader.report(root, "", Problem::rule(sentence, format!("a simulation with {}", PARTS.join(", "))));
    None
}

/// Reads the duration, which is in cycles, as horizon; the default of a scenario if it is not given.
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

/// Sets the scheduler and the placement of the class; a loss if it has no equal here.
fn scheduler(reader: &mut Reader<'_>, node: Node<'_, '_>, scenario: &mut Scenario) {
    let path = node.attribute("class").unwrap_or("");
    let file = node.attribute("className").unwrap_or("");
    let named = CLASSES.iter().find(|class| class.path == path);
    if let Some(class) = named.filter(|class| !class.is_mono || scenario.platform.processors == 1) {
        scenario.scheduler.name = class.scheduler();
        scenario.scheduler.placement = class.placement().unwrap_or(scenario.scheduler.placement);
        return;
    }
    // SimSo looks at the file only if there is no class.
    let (attribute, what, why) = match (named, path, file) {
        (Some(_), ..) => {
            let many = scenario.platform.processors;
            ("class", format!("scheduler {path:?}"), format!("for one processor, and there are {many}; "))
        }
        (None, "", "") => ("class", "the scheduler that no class names".to_owned(), String::new()),
        (None, "", _) => {
            let known = CLASSES[0].path;
            let why = format!("a Python file; SimSo's own have a class, such as {known}; ");
            ("className", format!("className {file:?}"), why)
        }
        (None, ..) => ("class", format!("scheduler {path:?}"), String::new()),
    };
    let lost = format!("{what} ({why}instead: {})", scenario.scheduler.name);
    reader.losses.flatters(LossKind::Scheduler, reader.place_of(node, attribute), lost);
}

fn task(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Option<TaskSpec> {
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
    // SimSo aborts a late job unless the file says otherwise. It was late all the same.
    if node.attribute("abort_on_miss").is_none_or(|value| value == "yes") {
        let lost = format!("abort_on_miss of {}: late jobs go on here", task.name);
        reader.losses.harmless(LossKind::Aborts, reader.place_of(node, "abort_on_miss"), lost);
    }
    if let Some(next) = node.attribute("followed_by") {
        let place = reader.place_of(node, "followed_by");
        reader.losses.flatters(LossKind::Precedence, place, format!("followed_by {next} of {}", task.name));
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
            let why = match other {
                "APeriodic" => {
                    "is a task whose jobs begin when those of another end: precedence constraints are not supported"
                }
                _ => "is no type of SimSo's, which takes such a task for a periodic one without a word",
            };
            reader.report(node, "task_type", Problem::refused(other, why, "Periodic or Sporadic"));
            None
        }
    }
}

/// Returns a name that SimSo accepts (a letter, then letters, digits, spaces, `_` and `-`) and that is not taken.
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
    let class = CLASSES.iter().find(|class| class.scheduler() == scenario.scheduler.name);
    let mut kept = KEPT.to_vec();
    if let Some(class) = class {
        kept.push(Aspect::Scheduler);
        // A class that places tasks has a line of its own below.
        kept.extend(class.packing.map(|_| Aspect::Placement));
    }
    let mut lost = lost(scenario, &kept);
    // One cycle is a nanosecond.
    let mut text = format!(
        "<?xml version=\"1.0\" ?>\n<simulation cycles_per_ms=\"1000000\" duration=\"{}\" etm=\"wcet\">\n",
        scenario.horizon.as_ns()
    );
    let placement = class.and_then(Class::placement);
    if let (Some(class), Some(_)) = (class, placement.filter(|own| *own != scenario.scheduler.placement)) {
        lost.push(format!("placement: {} places tasks in a way of its own", class.path));
    }
    let class = class.map_or("", |class| class.path);
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
