//! Reads a scenario file: every field in turn, then the checks of the whole.

use super::{machine, program, server, supertask, task};
use crate::check;
use crate::document::{self, positive, prose, tables, version, Loader, Table, Value};
use crate::error::{Errors, Problem};
use crate::fault::{Fault, Part};
use crate::field;
use crate::origin::Origin;
use crate::overheads;
use crate::resource::{ObjectSpec, ResourceSpec};
use crate::scenario::{default_horizon, Scenario, ServerSpec, TaskSpec};
use crate::words::{wcets_of, DEADLINE_RULES, LENGTHS, OVERRUNS, WCETS};
use schedlab_lock::Length;
use schedlab_model::{Instant, MutexProtocol, ObjectKind, Scheme, MOST_OBJECT_SIZE, MOST_OBJECT_TASKS};

/// Reads `text`, the contents of `file`.
pub(super) fn read(file: &str, text: &str, loader: Loader<'_>) -> Result<Scenario, Errors> {
    let mut scenario = document::read(file, text, &[&field::SCENARIO], |table| whole(table, loader))?;
    scenario.origin = Origin::new(file, text);
    Ok(scenario)
}

fn whole(table: &Table<'_, '_>, loader: Loader<'_>) -> Option<Scenario> {
    version(table, "schedlab");
    let mut scenario = Scenario::new(Vec::new());
    table.set("title", &mut scenario.title, prose);
    table.set("source", &mut scenario.source, prose);
    table.set("notes", &mut scenario.notes, prose);
    table.set("left_out", &mut scenario.left_out, |lines| {
        let items = lines.items("texts, a line each")?;
        items.iter().map(prose).collect()
    });
    table.set("seed", &mut scenario.seed, |v| v.seed());
    table.set("deadlines", &mut scenario.deadlines, |v| v.choice("rule for deadlines", DEADLINE_RULES));
    scenario.wcets = wcets_of(&scenario.source);
    table.set("wcets", &mut scenario.wcets, |v| v.choice("standing of WCETs", WCETS));
    table.set("overruns", &mut scenario.overruns, |v| v.choice("handling of overruns", OVERRUNS));
    table.set("protocol", &mut scenario.protocol, machine::protocol);
    machine::scheduler(table, &mut scenario.scheduler);
    if let Some(platform) = platform(table) {
        machine::platform(&platform, &mut scenario.platform);
    }
    table.set("overheads", &mut scenario.overheads, |value| overheads::choice(value, loader));
    let (parts, servers, tasks) = Parts::read(table);
    scenario.resources = parts.resources();
    scenario.supertasks = parts.supertasks.iter().filter_map(supertask::supertask).collect();
    scenario.servers = servers;
    scenario.tasks = tasks;
    scenario.horizon = table.given_or("horizon", default_horizon(&scenario.tasks), |value| {
        positive(value).map(|length| Instant::ZERO + length)
    })?;
    if table.get("task").is_none() {
        table.missing("task", "at least one [[task]]");
    }
    for find in check::ALL {
        if table.doc.is_fine() {
            parts.report(find(&scenario));
        }
    }
    Some(scenario)
}

fn resource(table: &Table<'_, '_>) -> Option<ResourceSpec> {
    let name = table.need("name", "a word");
    let units = table.given_or("units", 1, |units| Some(units.integer(1..=u64::from(u32::MAX))? as u32))?;
    let length =
        table.given_or("length", Length::Short, |length| length.choice("length of a resource", LENGTHS))?;
    let protocol = table.given_or("protocol", None, |protocol| {
        protocol.choice("protocol of a mutex", &MutexProtocol::NAMED).map(Some)
    })?;
    let object = object(table)?;
    Some(ResourceSpec { name: name?.text("a word")?.to_owned(), units, length, protocol, object })
}

/// Reads the object of a resource that has a scheme of its own. The inner `None` means that there is none, the outer
/// one that it is wrong.
fn object(table: &Table<'_, '_>) -> Option<Option<ObjectSpec>> {
    let kind = table.get("kind").map(|kind| kind.choice("kind of object", &ObjectKind::NAMED));
    let scheme = table.get("scheme").map(|scheme| scheme.choice("scheme", &Scheme::NAMED));
    let limited = |name: &'static str, most: usize| {
        table.get(name).map(|value| (value.integer(1..=most as u64).map(|number| number as u32), value))
    };
    let (size, tasks) = (limited("size", MOST_OBJECT_SIZE), limited("tasks", MOST_OBJECT_TASKS));
    let (kind, scheme) = match (kind, scheme) {
        (Some(kind), Some(scheme)) => (kind?, scheme?),
        (Some(_), None) => {
            table.missing("scheme", "locked, lock-free or wait-free, beside a kind");
            return None;
        }
        (None, Some(_)) => {
            table.missing("kind", "buffer, queue or heap, beside a scheme");
            return None;
        }
        (None, None) => {
            let odd = [size, tasks].into_iter().flatten().map(|(_, value)| {
                value.refuse("is not of an object", "such a field beside a kind and a scheme");
            });
            return (odd.count() == 0).then_some(None);
        }
    };
    let usual = ObjectSpec::new(kind, scheme);
    let size = size.map_or(Some(usual.size), |(size, _)| size)?;
    let tasks = tasks.map_or(Some(None), |(tasks, _)| tasks.map(Some))?;
    Some(Some(ObjectSpec { size, tasks, ..usual }))
}

fn platform<'a, 't>(root: &Table<'a, 't>) -> Option<Table<'a, 't>> {
    root.get("platform").and_then(|value| value.table(&[&field::PLATFORM], "a table"))
}

/// Fields that a task which follows a change of weight does not take from its own table.
const OF_CHANGE: [&str; 5] = ["wcet", "period", "deadline", "join", "offset"];

/// Tables of a file, for errors found in the whole.
pub(super) struct Parts<'r, 'a, 't> {
    root: &'r Table<'a, 't>,
    resources: Vec<Table<'a, 't>>,
    supertasks: Vec<Table<'a, 't>>,
    servers: Vec<Table<'a, 't>>,
    tasks: Vec<Table<'a, 't>>,
    /// By task: index of the table from which it was copied.
    origin: Vec<usize>,
    /// By task: whether it follows a change of weight.
    is_change: Vec<bool>,
}

impl<'r, 'a, 't> Parts<'r, 'a, 't> {
    /// Reads the tables of `root`, the budget servers and the tasks.
    pub(super) fn read(root: &'r Table<'a, 't>) -> (Self, Vec<ServerSpec>, Vec<TaskSpec>) {
        let resources = tables(root, "resource", &[&field::RESOURCE]);
        let supertasks = tables(root, "supertask", &[&field::SUPERTASK]);
        let servers = tables(root, "server", &[&field::SERVER]);
        let tasks = tables(root, "task", &[&field::TASK]);
        let names = program::Names::of(&resources);
        let known: Vec<ServerSpec> = servers.iter().filter_map(server::server).collect();
        let read: Vec<_> = tasks.iter().map(|entry| task::task(entry, &names, &known)).collect();
        let copies = read.iter().enumerate();
        let origin = copies.flat_map(|(index, copies)| std::iter::repeat_n(index, copies.len())).collect();
        let read: Vec<task::Stated> = read.into_iter().flatten().collect();
        let is_change = read.iter().map(|stated| stated.is_change).collect();
        let specs = read.into_iter().map(|stated| stated.spec).collect();
        (Parts { root, resources, supertasks, servers, tasks, origin, is_change }, known, specs)
    }

    pub(super) fn resources(&self) -> Vec<ResourceSpec> {
        self.resources.iter().filter_map(resource).collect()
    }

    /// Marks all fields as read, for a file that was read before.
    pub(super) fn skip_rest(&self) {
        let parts = self.resources.iter().chain(&self.supertasks).chain(&self.servers);
        [self.root].into_iter().chain(parts).for_each(Table::skip_rest);
    }

    /// Reports each fault at its place.
    pub(super) fn report(&self, faults: Vec<Fault>) {
        for fault in faults {
            let (field, problem) = (fault.field, fault.problem);
            match fault.part {
                Part::Resource(index) => self.resources[index].fault(field, problem),
                Part::Supertask(index) => self.supertasks[index].fault(field, problem),
                Part::Server(index) => self.servers[index].fault(field, problem),
                Part::Task(index) => {
                    let is_of_change = self.is_change[index] && OF_CHANGE.contains(&field);
                    let field = if is_of_change { "weights" } else { field };
                    self.tasks[self.origin[index]].fault(field, problem);
                }
                Part::Step(index, step) => self.tasks[self.origin[index]].fault_of_item(field, step, problem),
                Part::Platform => match platform(self.root) {
                    Some(table) => table.fault(field, problem),
                    None => fault_of_default(self.root, "platform", field, problem),
                },
                Part::Scheduler => fault_of_scheduler(self.root, field, problem),
                Part::File => self.root.fault(field, problem),
            }
        }
    }
}

/// Reports a fault at the field of the scheduler's table, or at its name if there is no table.
fn fault_of_scheduler(root: &Table<'_, '_>, field: &str, problem: Problem) {
    let table = root.get("scheduler").filter(Value::is_table);
    match table.and_then(|value| value.table(&[&field::SCHEDULER], "a table")) {
        Some(table) => table.fault(field, problem),
        None => root.fault("scheduler", problem),
    }
}

fn fault_of_default(root: &Table<'_, '_>, section: &str, field: &str, problem: Problem) {
    root.doc.report(0, &format!("{section}.{field}"), problem);
}
