//! Turns sections into a program.

use crate::random::Random;
use schedlab_model::{ResourceId, Step, Task, Work};

/// One outermost request: the first resource, and those nested within it, each inside the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NestedRequest {
    /// Time in ns for which the outermost resource is held; at least one for each resource.
    pub(super) length: u64,
    pub(super) resources: Vec<ResourceId>,
}

/// Relation between the lengths of a task's sections and its WCET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// The WCET contains the sections, and grows to their length if it is shorter.
    Within,
    /// The WCET contains the sections, and stays even if it is shorter than what the program executes.
    Kept,
    /// The sections are added to the WCET.
    Added,
}

/// Gives `task` a program with `sections`.
pub(super) fn give(task: &mut Task, sections: &[NestedRequest], cost: Cost, random: &mut Random) {
    if sections.is_empty() {
        return;
    }
    let inside: u64 = sections.iter().map(|section| section.length).sum();
    let outside = match cost {
        Cost::Within | Cost::Kept => task.wcet.as_ns().saturating_sub(inside),
        Cost::Added => task.wcet.as_ns(),
    };
    match cost {
        Cost::Within | Cost::Added => task.wcet = Work::from_ns(outside + inside),
        Cost::Kept => {}
    }
    let mut cuts: Vec<u64> = sections.iter().map(|_| random.between(0, outside)).collect();
    cuts.sort_unstable();
    let mut done = 0;
    for (section, cut) in sections.iter().zip(cuts) {
        execute(&mut task.program, cut - done);
        done = cut;
        nest(&mut task.program, section.length, &section.resources, random);
    }
    execute(&mut task.program, outside - done);
}

/// Writes a section that holds the first of `resources` for `length`, and the others somewhere within, each within the
/// one before it.
fn nest(program: &mut Vec<Step>, length: u64, resources: &[ResourceId], random: &mut Random) {
    let Some((outer, inner)) = resources.split_first() else {
        return execute(program, length);
    };
    program.push(Step::Request(*outer, 1));
    if inner.is_empty() {
        execute(program, length);
    } else {
        // Each level keeps a nanosecond at least.
        let within = random.between(inner.len() as u64, length);
        let before = random.between(0, length - within);
        execute(program, before);
        nest(program, within, inner, random);
        execute(program, length - within - before);
    }
    program.push(Step::Release(*outer, 1));
}

fn execute(program: &mut Vec<Step>, length: u64) {
    if length > 0 {
        program.push(Step::Execute(Work::from_ns(length)));
    }
}
