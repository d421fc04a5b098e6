//! SchedCAT's XML: a `taskset` of `task` elements, times in whole microseconds.
//!
//! Attributes read and written: `id` (the name, `T5` for 5), `period`, `wcet`, `deadline` (left out if it is the
//! period), `partition` (the processor), `wss` (the working set, in KiB, as in SchedCAT's tables of cache delays).
//! Shared resources are read and written by `schedcat_resources`. Format as in `schedcat/model/serialize.py`.

use super::schedcat_resources::{programs, required, requirements};
use super::xml::{escaped, whole, Reader};
use super::{checked, default_name, unwritable, Converted};
use crate::aspect::{loss, lost, Aspect};
use crate::error::Errors;
use crate::loss::{Ignored, Imported, LossKind};
use crate::quantity::{duration_in, in_unit, LARGEST_WORKING_SET};
use crate::scenario::{Scenario, TaskSpec};
use roxmltree::Node;
use schedlab_model::{Step, Work};

const US: &str = "a positive number of microseconds, such as 2500";

/// Aspects that the attributes hold; `lost_of_programs` lists what they do not hold of programs.
const KEPT: &[Aspect] = &[
    Aspect::ShortDeadline,
    Aspect::LongDeadline,
    Aspect::WorkingSet,
    Aspect::Processor,
    Aspect::Resources,
    Aspect::Units,
    Aspect::Program,
];

/// Reads a `taskset`.
pub(crate) fn read(file: &str, text: &str, ignored: &Ignored) -> Result<Imported<Scenario>, Errors> {
    let mut reader = Reader::new(file);
    let mut tasks = Vec::new();
    let mut places = Vec::new();
    let mut resources = Vec::new();
    let document = reader.parse(text);
    if let Some(root) = document.as_ref().and_then(|document| reader.expect_root(document, "taskset")) {
        // Properties are derived values, which SchedCAT does not read either.
        reader.note_unknown(root, "taskset", &[], &["task", "properties"]);
        let mut required = Vec::new();
        for node in root.children().filter(|node| node.has_tag_name("task")) {
            places.push(reader.place(node));
            let read = task(&mut reader, node, tasks.len());
            if let (Some(task), Some(all)) = (read, requirements(&mut reader, node)) {
                if !all.is_empty() {
                    let spread = format!("where sections of {} lie: they are spread evenly", task.name);
                    reader.losses.harmless(LossKind::Sections, reader.place(node), spread);
                }
                tasks.push(task);
                required.push((all, node));
            }
        }
        resources = programs(&mut reader, &mut tasks, &required);
    }
    let losses = reader.losses.judged(reader.errors, ignored)?;
    let scenario = Scenario { resources, ..Scenario::new(tasks).fitted() };
    Ok(Imported { value: checked(scenario, &places)?, losses })
}

const KIB: &str = "a whole number of KiB, at most 1024 GiB";

fn kibibytes(text: &str) -> Result<u64, &'static str> {
    let number = whole(text)?;
    number.checked_mul(1_024).filter(|size| *size <= LARGEST_WORKING_SET).ok_or("is too large")
}

/// Attributes of a task. A response time is a result, which nothing here depends on.
const ATTRIBUTES: [&str; 7] = ["id", "wcet", "period", "deadline", "partition", "wss", "response_time"];

fn task(reader: &mut Reader, node: Node, index: usize) -> Option<TaskSpec> {
    let us = |text: &str| duration_in(text, "us");
    let wcet = reader.need(node, "wcet", US, us);
    let period = reader.need(node, "period", US, us);
    let deadline = reader.get(node, "deadline", US, us);
    let partition = reader.get(node, "partition", "a processor's number", |text| {
        whole(text).and_then(|number| u16::try_from(number).map_err(|_| "is too large"))
    });
    let wss = reader.get(node, "wss", KIB, kibibytes);
    let name = node.attribute("id").map_or_else(|| default_name(index), name_of);
    reader.note_unknown(node, &name, &ATTRIBUTES, &["resources"]);
    if node.attribute("response_time").is_some() {
        let place = reader.place_of(node, "response_time");
        reader.losses.harmless(LossKind::Settings, place, format!("response_time of {name}, a result"));
    }
    let (wcet, period, deadline, partition, wss) = (wcet?, period?, deadline?, partition?, wss?);
    let mut task = TaskSpec::new(name, Work::from_ns(wcet.as_ns()), period);
    task.relative_deadline = deadline.unwrap_or(period);
    task.wcet_may_exceed_deadline = task.wcet.at_unit_speed() > task.relative_deadline;
    task.processor = partition;
    task.working_set = wss.unwrap_or(0);
    Some(task)
}

/// The `requirement` elements of a task.
fn shared(
    scenario: &Scenario,
    task: &TaskSpec,
    us: &mut impl FnMut(&'static str, schedlab_model::Duration) -> String,
) -> String {
    let units: Vec<u32> = scenario.resources.iter().map(|resource| resource.units).collect();
    let mut text = String::new();
    for (index, [(writes, write), (reads, read)]) in required(&task.program, &units) {
        let mut length = |ns| us("program", schedlab_model::Duration::from_ns(ns));
        let (write, read) = (length(write), length(read));
        let id = escaped(id_of(&scenario.resources[index].name));
        text.push_str(&format!(
            "      <requirement res_id=\"{id}\" max_reads=\"{reads}\" max_writes=\"{writes}\" max_read_length=\"{read}\" \
             max_write_length=\"{write}\" />\n"
        ));
    }
    text
}

/// SchedCAT's name of a resource.
fn id_of(name: &str) -> &str {
    name.strip_prefix('R').unwrap_or(name)
}

/// Lists what numbers and greatest lengths of requests do not hold of programs.
fn lost_of_programs(scenario: &Scenario) -> Vec<String> {
    let tasks = |of: &dyn Fn(&TaskSpec) -> bool| -> Vec<&str> {
        scenario.tasks.iter().filter(|task| of(task)).map(|task| task.name.as_str()).collect()
    };
    let resources = |of: &dyn Fn(usize) -> bool| -> Vec<&str> {
        let all = (0..scenario.resources.len()).filter(|index| of(*index));
        all.map(|index| scenario.resources[index].name.as_str()).collect()
    };
    let is_section = |step: &Step| matches!(step, Step::Execute(_) | Step::Request(..) | Step::Release(..));
    let lines = [
        loss("places and nesting of sections", &tasks(&TaskSpec::has_requests), false),
        loss("steps that are no sections", &tasks(&|task| !task.program.iter().all(is_section)), true),
        loss("units", &resources(&|index| counts_units(scenario, index)), true),
        loss("name", &resources(&|index| !scenario.resources[index].name.starts_with('R')), false),
    ];
    lines.into_iter().flatten().collect()
}

/// True if requests for the resource are neither writes of all units nor reads, which all hold one unit at once.
fn counts_units(scenario: &Scenario, resource: usize) -> bool {
    let units = scenario.resources[resource].units;
    let steps = scenario.tasks.iter().flat_map(|task| &task.program);
    let of_neither = |step: &Step| match step {
        Step::Request(asked, count) if asked.index() == resource => {
            *count < units && (*count > 1 || (units as usize) < scenario.tasks.len())
        }
        Step::Request(..)
        | Step::Execute(_)
        | Step::Suspend(_)
        | Step::Release(..)
        | Step::Serve(_)
        | Step::NpEnter
        | Step::NpExit => false,
    };
    steps.into_iter().any(of_neither)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// Returns the task's name: `5` is called `T5` here, because SchedCAT numbers its tasks. Other ids are names already.
fn name_of(id: &str) -> String {
    let id = id.trim();
    if is_number(id) {
        format!("T{id}")
    } else {
        id.to_owned()
    }
}

/// Writes the tasks. Times that are not whole microseconds are errors.
pub(crate) fn write(scenario: &Scenario) -> Result<Converted<String>, Errors> {
    let mut lost = lost(scenario, KEPT);
    lost.extend(lost_of_programs(scenario));
    let mut errors = Vec::new();
    let mut text = String::from("<taskset>\n");
    for (index, task) in scenario.tasks.iter().enumerate() {
        let mut us = |field, length| {
            in_unit(length, 1_000, true).unwrap_or_else(|| {
                errors.push(unwritable(index, field, length, "whole microseconds"));
                String::new()
            })
        };
        let (wcet, period) = (us("wcet", task.wcet.at_unit_speed()), us("period", task.period));
        let deadline = us("deadline", task.relative_deadline);
        let id = task.name.strip_prefix('T').filter(|number| is_number(number)).unwrap_or(&task.name);
        if name_of(id) != task.name {
            lost.push(format!("name {}, read back as {}", task.name, name_of(id)));
        }
        text.push_str(&format!("  <task id=\"{}\" period=\"{period}\" wcet=\"{wcet}\"", escaped(id)));
        if task.relative_deadline != task.period {
            text.push_str(&format!(" deadline=\"{deadline}\""));
        }
        if let Some(processor) = task.processor {
            text.push_str(&format!(" partition=\"{processor}\""));
        }
        if task.working_set > 0 {
            if task.working_set % 1_024 != 0 {
                lost.push(format!("working_set of {}, rounded up to whole KiB", task.name));
            }
            text.push_str(&format!(" wss=\"{}\"", task.working_set.div_ceil(1_024)));
        }
        let inside = shared(scenario, task, &mut us);
        match inside.is_empty() {
            true => text.push_str(" />\n"),
            false => text.push_str(&format!(">\n    <resources>\n{inside}    </resources>\n  </task>\n")),
        }
    }
    text.push_str("</taskset>\n");
    Errors::check(errors)?;
    Ok(Converted { value: text, lost })
}
