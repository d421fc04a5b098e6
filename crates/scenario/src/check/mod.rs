//! Checks of a whole scenario: names that are unique, values that fit each other.
//!
//! The same rules hold for a scenario from a file, from another tool's format, after an override, and
//! for one that a program made.

pub(crate) mod aborts;
pub(crate) mod joining;
pub(crate) mod linux;
mod mutexes;
pub(crate) mod objects;
mod place;
mod program;
mod servers;
mod task;
mod thread_class;
mod utility;
mod ways_out;

use crate::error::Problem;
use crate::fault::{Fault, Faults, Part};
use crate::quantity::MOST_PROCESSORS;
use crate::resource::ObjectSpec;
use crate::scenario::{Clusters, Scenario};
use crate::unknown::{unknown_protocol, unknown_scheduler};
use schedlab_lock::Length;
use schedlab_model::{Alignment, Duration, MOST_OBJECT_SIZE, MOST_OBJECT_TASKS};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{Needs, Throttling};
use std::collections::BTreeMap;

/// The largest number of tasks.
pub const MOST_TASKS: usize = 100_000;

/// All checks, in order. Each looks only at scenarios in which the checks before it have found nothing.
pub(crate) const ALL: [fn(&Scenario) -> Vec<Fault>; 4] =
    [faults, ways_out::faults, aborts::faults, joining::faults];

/// Returns everything that does not fit in the scenario itself.
pub(crate) fn faults(scenario: &Scenario) -> Vec<Fault> {
    let mut faults = Faults::default();
    file(scenario, &mut faults);
    platform(scenario, &mut faults);
    resources(scenario, &mut faults);
    mutexes::mutexes(scenario, &mut faults);
    supertasks(scenario, &mut faults);
    servers::servers(scenario, &mut faults);
    let needs = scenario.known_scheduler().map_or(Needs::Nothing, |scheduler| scheduler.needs());
    let mut names = BTreeMap::new();
    for (index, spec) in scenario.tasks.iter().enumerate().take(MOST_TASKS) {
        let part = Part::Task(index);
        name(&spec.name, part, &mut faults);
        if names.insert(spec.name.as_str(), index).is_some() {
            faults.add(part, "name", Problem::duplicate("task", &spec.name));
        }
        let of_task = &mut faults.of(part);
        task::task(scenario, spec, of_task);
        place::place(scenario, spec, of_task);
        thread_class::class(scenario, spec, of_task);
        utility::utility(spec, of_task);
        if spec.server.is_none() {
            task::needed(scenario, spec, needs, of_task);
        }
        program::task(scenario, spec, index, &mut faults);
    }
    faults.all()
}

fn file(scenario: &Scenario, faults: &mut Faults) {
    let count = scenario.tasks.len();
    if count == 0 {
        faults.add(Part::File, "task", Problem::missing("at least one [[task]]"));
    }
    if count > MOST_TASKS {
        let value = format!("{count} tasks, copies counted,");
        faults.of(Part::File).refuse("task", value, "are too many", format!("at most {MOST_TASKS}"));
    }
    let texts = [("title", &scenario.title), ("source", &scenario.source), ("notes", &scenario.notes)];
    for (field, text) in texts {
        if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            let allowed = "text with line breaks and tabs";
            faults.of(Part::File).refuse(field, format!("{text:?}"), "has control characters", allowed);
        }
    }
    match schedlab_lock::find_protocol(&scenario.protocol) {
        Ok(known) if known.name == scenario.protocol => {}
        _ => faults.add(Part::File, "protocol", unknown_protocol(&scenario.protocol)),
    }
    faults.of(Part::File).positive("horizon", Duration::from_ns(scenario.horizon.as_ns()));
    match schedlab_policy::find(&scenario.scheduler.name) {
        Ok(known) if known.name == scenario.scheduler.name => {}
        _ => faults.add(Part::Scheduler, "name", unknown_scheduler(&scenario.scheduler.name)),
    }
    affinity(scenario, faults);
    throttling(scenario, faults);
}

/// Checks throttling, also under schedulers that do not heed it.
fn throttling(scenario: &Scenario, faults: &mut Faults) {
    let Some(Throttling { runtime, period }) = scenario.scheduler.throttling else { return };
    const ALLOWED: &str = "runtime and period above zero, the runtime at most the period";
    let (mut of_scheduler, field) = (faults.of(Part::Scheduler), "throttling");
    of_scheduler.positive(field, runtime);
    of_scheduler.positive(field, period);
    if runtime > period {
        let why = format!("exceeds the period of {period}");
        of_scheduler.refuse(field, format!("runtime {runtime}"), why, ALLOWED);
    }
}

/// Checks that the affinity keeps staggered quanta of one task apart.
fn affinity(scenario: &Scenario, faults: &mut Faults) {
    let affinity = scenario.scheduler.affinity;
    let quanta = scenario.known_scheduler().and_then(|known| known.quanta);
    if quanta == Some(Alignment::Staggered) {
        if let Some(why) = affinity.unsafe_when_staggered() {
            let value = format!("\"{}\"", affinity.name());
            faults.of(Part::Scheduler).refuse("affinity", value, why, Affinity::STAGGERED);
        }
    }
}

fn platform(scenario: &Scenario, faults: &mut Faults) {
    let platform = &scenario.platform;
    let processors = platform.processors;
    if processors == 0 || processors > MOST_PROCESSORS {
        let allowed = format!("a whole number from 1 to {MOST_PROCESSORS}");
        faults.of(Part::Platform).refuse("processors", processors, "is zero or too large", allowed);
    }
    faults.of(Part::Platform).positive("quantum", platform.quantum);
    match &platform.clusters {
        Clusters::Halves => {}
        Clusters::OfSize(size) => {
            if *size == 0 || *size > processors {
                let why = "is zero or more than there are processors";
                faults.of(Part::Platform).refuse(
                    "cluster_size",
                    size,
                    why,
                    format!("from 1 to {processors}"),
                );
            }
        }
        Clusters::Listed(lists) => listed(lists, processors, faults),
    }
}

/// Checks that each processor stands in exactly one list, and each list is in rising order.
fn listed(lists: &[Vec<u16>], processors: u16, faults: &mut Faults) {
    let allowed =
        format!("each processor from 0 to {} in exactly one list, rising", processors.saturating_sub(1));
    let mut refuse = |value: String, why: &str| {
        faults.of(Part::Platform).refuse("clusters", value, why, allowed.clone());
    };
    let mut seen = vec![false; usize::from(processors)];
    for list in lists {
        if list.is_empty() {
            refuse("[]".into(), "has no processor");
        }
        if list.windows(2).any(|pair| pair[0] >= pair[1]) {
            refuse(format!("{list:?}"), "is not in rising order");
        }
        for cpu in list {
            match seen.get_mut(usize::from(*cpu)) {
                None => refuse(format!("processor {cpu}"), "does not exist"),
                Some(true) => refuse(format!("processor {cpu}"), "stands in two lists"),
                Some(entry) => *entry = true,
            }
        }
    }
    if let Some(cpu) = seen.iter().position(|seen| !seen) {
        refuse(format!("processor {cpu}"), "stands in no list");
    }
}

fn resources(scenario: &Scenario, faults: &mut Faults) {
    let mut names = BTreeMap::new();
    for (index, resource) in scenario.resources.iter().enumerate() {
        let part = Part::Resource(index);
        name(&resource.name, part, faults);
        if resource.name.contains(char::is_whitespace) {
            faults.of(part).refuse("name", format!("{:?}", resource.name), "has spaces", "a word");
        }
        if names.insert(resource.name.as_str(), index).is_some() {
            faults.add(part, "name", Problem::duplicate("resource", &resource.name));
        }
        if resource.units == 0 {
            faults.of(part).refuse("units", 0, "is too small", "a whole number from 1 to 4294967295");
        }
        if let Some(object) = &resource.object {
            self::object(scenario, index, object, faults);
        }
    }
}

/// Checks an object: it has one unit, is for jobs that never hold it long, and is made for all tasks that access it.
fn object(scenario: &Scenario, index: usize, object: &ObjectSpec, faults: &mut Faults) {
    let (part, resource) = (Part::Resource(index), &scenario.resources[index]);
    if resource.units != 1 {
        faults.of(part).refuse("units", resource.units, "is not for an object", "1, or no units");
    }
    if resource.length != Length::Short {
        faults.of(part).refuse("length", "\"long\"", "is not for an object", "short, or no length");
    }
    let size = object.size as usize;
    if !(1..=MOST_OBJECT_SIZE).contains(&size) {
        faults.of(part).refuse("size", size, "is zero or too large", format!("from 1 to {MOST_OBJECT_SIZE}"));
    }
    let users = scenario.tasks.iter().filter(|task| task.requests(index)).count();
    let made = object.tasks.map_or(users, |tasks| tasks as usize);
    if made > MOST_OBJECT_TASKS {
        let why = "is for more tasks than an object can be made for";
        faults.of(part).refuse("tasks", made, why, format!("at most {MOST_OBJECT_TASKS}"));
    } else if made < users {
        let why = format!("is for fewer tasks than the {users} that access it");
        faults.of(part).refuse("tasks", made, why, format!("from {users} to {MOST_OBJECT_TASKS}"));
    }
}

/// Checks that each supertask has components, and that each supertask that a task names exists.
fn supertasks(scenario: &Scenario, faults: &mut Faults) {
    let mut components = BTreeMap::new();
    for (index, supertask) in scenario.supertasks.iter().enumerate() {
        let part = Part::Supertask(index);
        name(&supertask.name, part, faults);
        if components.insert(supertask.name.as_str(), 0u32).is_some() {
            faults.add(part, "name", Problem::duplicate("supertask", &supertask.name));
        }
    }
    for (index, task) in scenario.tasks.iter().enumerate().take(MOST_TASKS) {
        let Some(wanted) = task.supertask.as_deref() else { continue };
        match components.get_mut(wanted) {
            Some(count) => *count += 1,
            None => {
                let names = scenario.supertasks.iter().map(|supertask| supertask.name.as_str());
                let problem = Problem::unknown_name("supertask", wanted, names);
                faults.add(Part::Task(index), "supertask", problem);
            }
        }
    }
    for (index, supertask) in scenario.supertasks.iter().enumerate() {
        if components[supertask.name.as_str()] == 0 {
            let value = format!("\"{}\"", supertask.name);
            let allowed = "a supertask that some task names in its field supertask";
            faults.of(Part::Supertask(index)).refuse("name", value, "has no component", allowed);
        }
    }
}

fn name(name: &str, part: Part, faults: &mut Faults) {
    const LONGEST_NAME: usize = 200;
    let allowed = "a name of 1 to 200 characters on one line, not beginning or ending with a space";
    if name.is_empty() || name.trim() != name {
        faults.of(part).refuse("name", format!("{name:?}"), "is empty or has spaces at its ends", allowed);
    } else if name.chars().any(char::is_control) {
        faults.of(part).refuse("name", format!("{name:?}"), "has control characters", allowed);
    } else if name.chars().count() > LONGEST_NAME {
        faults.of(part).refuse("name", format!("{name:?}"), "is too long", allowed);
    }
}
