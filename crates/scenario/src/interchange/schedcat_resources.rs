//! SchedCAT's `resources`: how often and for how long at most a job reads and writes each resource.
//!
//! The elements do not state when a job requests, and no bound of SchedCAT's depends on it. On reading, a job's
//! sections are spread evenly over its WCET, of which they are part, by resource and writes first; a note says so.
//! Resource `5` is called `R5`. One that a task reads has as many units as there are tasks: a request for one reads,
//! one for all writes. On writing, numbers and greatest lengths are kept, places and nesting are named as lost.

use super::spread::spread;
use super::xml::{whole, Reader};
use crate::error::Problem;
use crate::quantity::duration_in;
use crate::resource::ResourceSpec;
use crate::scenario::TaskSpec;
use roxmltree::Node;
use schedlab_model::{ResourceId, Step};

/// Requests of a job for one resource, at most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Requirement {
    resource: String,
    /// Number and greatest length of reads, in ns.
    reads: (u64, u64),
    writes: (u64, u64),
}

const COUNT: &str = "a whole number of requests up to 1000";
const LENGTH: &str = "a whole number of microseconds, such as 25";

/// Reads the requirements of a task's element, with SchedCAT's defaults for missing attributes.
pub(super) fn requirements(reader: &mut Reader<'_>, task: Node<'_, '_>) -> Option<Vec<Requirement>> {
    let is = |name: &'static str| move |node: &Node<'_, '_>| node.tag_name().name() == name;
    let lists = || task.children().filter(is("resources"));
    lists().for_each(|list| reader.note_unknown(list, "resources", &[], &["requirement"]));
    let all = lists().flat_map(|node| node.children()).filter(is("requirement"));
    all.map(|node| requirement(reader, node)).collect()
}

/// The attributes of a requirement.
const ATTRIBUTES: [&str; 5] = ["res_id", "max_reads", "max_writes", "max_read_length", "max_write_length"];

fn requirement(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Option<Requirement> {
    reader.note_unknown(node, "requirement", &ATTRIBUTES, &[]);
    let few = |text: &str| whole(text).and_then(|n| if n <= 1_000 { Ok(n) } else { Err("is too large") });
    let mut count = |name, default| Some(reader.get(node, name, COUNT, few)?.unwrap_or(default));
    let (reads, writes) = (count("max_reads", 0)?, count("max_writes", 1)?);
    let us = |text: &str| duration_in(text, "us").map(|length| length.as_ns());
    let mut length = |name, count: u64, default| match count {
        0 => Some(0),
        _ => Some(reader.get(node, name, LENGTH, us)?.unwrap_or(default)),
    };
    let reads = (reads, length("max_read_length", reads, 0)?);
    let writes = (writes, length("max_write_length", writes, 1_000)?);
    Some(Requirement { resource: node.attribute("res_id").unwrap_or("0").trim().to_owned(), reads, writes })
}

/// The resources that tasks require, and each task's program; reports sections that do not fit into a WCET.
pub(super) fn programs(
    reader: &mut Reader<'_>,
    tasks: &mut [TaskSpec],
    required: &[(Vec<Requirement>, Node<'_, '_>)],
) -> Vec<ResourceSpec> {
    let mut names: Vec<&str> = Vec::new();
    let everything = || required.iter().flat_map(|(all, _)| all);
    everything().for_each(|one| {
        if !names.contains(&one.resource.as_str()) {
            names.push(&one.resource);
        }
    });
    let units = |name: &str| match everything().any(|one| one.resource == name && one.reads.0 > 0) {
        true => (tasks.len() as u32).max(2),
        false => 1,
    };
    let resources: Vec<ResourceSpec> = names
        .iter()
        .map(|name| ResourceSpec { units: units(name), ..ResourceSpec::new(format!("R{name}")) })
        .collect();
    for (task, (all, node)) in tasks.iter_mut().zip(required) {
        let sections = sections(all, &names, &resources);
        match spread(task.wcet.as_ns(), &sections) {
            Some(program) => task.program = program,
            None => {
                let problem = Problem::refused(
                    format!("the sections of {}", task.name),
                    "are longer than its wcet",
                    "sections that are part of the wcet",
                );
                reader.report(*node, "", problem);
            }
        }
    }
    resources
}

/// Resource, units and length of each section.
fn sections(all: &[Requirement], names: &[&str], resources: &[ResourceSpec]) -> Vec<(ResourceId, u32, u64)> {
    let mut sections = Vec::new();
    for one in all {
        let index = names.iter().position(|name| *name == one.resource).expect("all names are listed");
        let id = ResourceId(index as u32);
        for (units, (count, length)) in [(resources[index].units, one.writes), (1, one.reads)] {
            sections.extend((0..count).map(|_| (id, units, length)));
        }
    }
    sections
}

/// Returns the requests of `program`, by resource: (resource, numbers and greatest lengths of writes and reads); a
/// request for all of `units` writes. An outer section's length counts what is nested in it.
pub(super) fn required(program: &[Step], units: &[u32]) -> Vec<(usize, [(u64, u64); 2])> {
    let mut found: Vec<(usize, [(u64, u64); 2])> = Vec::new();
    let mut open: Vec<(ResourceId, u32, u64)> = Vec::new();
    let mut now = 0;
    for step in program {
        match step {
            Step::Execute(work) => now += work.as_ns(),
            Step::Request(resource, count) => open.push((*resource, *count, now)),
            Step::Release(resource, _) => {
                let Some(index) = open.iter().rposition(|(held, ..)| held == resource) else { continue };
                let (_, count, since) = open.remove(index);
                let index = resource.index();
                let place = found.iter().position(|(known, _)| *known == index).unwrap_or_else(|| {
                    found.push((index, [(0, 0); 2]));
                    found.len() - 1
                });
                let reads = usize::from(count < units[index]);
                let (number, longest) = &mut found[place].1[reads];
                (*number, *longest) = (*number + 1, (*longest).max(now - since));
            }
            Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => {}
        }
    }
    found.sort_unstable_by_key(|(index, _)| *index);
    found
}
