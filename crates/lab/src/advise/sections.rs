//! Costs of shared resources: whose bounds each resource lengthens, and how much shorter its sections must be.
//!
//! A resource lengthens a bound by what the bound loses if the resource's sections become plain execution: the jobs
//! execute as much as before, and no longer exclude each other. Under fixed priorities, bounds beyond a deadline count
//! as well. Where deadlines are not proved, a search asks how long
//! the resource's sections may be at most such that they are. What a section is shorter by, its job executes right
//! after it, without the resource: so the answer holds if the work is moved out of the section, and no less work is
//! needed. Each length that is named is proved with all lengths that the search tried below it.

use crate::advise::sensitivity::{below_refused, bisect, is_proved, with_tasks};
use crate::prepare::prepared::Prepared;
use crate::verdict::analysis::prove;
use schedlab_analysis::blocking::with_requests;
use schedlab_model::{Duration, OrderClass, ResourceId, Step, Task, TaskId, Work};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;

/// Parts of a section's length, of which the search finds the last one that is proved; within it, the search goes on by
/// nanoseconds.
const PARTS: u32 = 1_000;

/// A task whose bound a resource lengthens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LengthenedBound {
    /// Name of the task.
    pub task: String,
    /// The growth of its bound; None if that is unknown, because no bound is proved with the resource.
    pub by_ns: Option<u64>,
}

/// The cost of a shared resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResourceCost {
    /// Name of the resource.
    pub resource: String,
    /// The longest section, in execution time, and the task that has it.
    pub longest_ns: u64,
    #[allow(missing_docs)]
    pub longest_of: String,
    /// Tasks whose bounds the resource lengthens, the most lengthened first; those of unknown growth come last. Tasks
    /// without a bound in either case are not among them.
    pub lengthens: Vec<LengthenedBound>,
    /// True if the bounds of all tasks are known with and without the resource.
    pub all_known: bool,
    /// The length of the resource's sections at which all deadlines are proved, if longer ones are cut to it and the
    /// rest of their work is done after them. None if the deadlines are proved as it is, and if no length was found.
    pub enough_ns: Option<u64>,
}

/// Returns the costs of all resources that tasks request. Where deadlines are not proved, those of which shorter
/// sections suffice come first; then those that lengthen a bound the most.
pub fn resource_costs(prepared: &Prepared) -> Vec<ResourceCost> {
    let proved = is_proved(prepared);
    let bounds = bounds(prepared);
    let ids = (0..prepared.resources.len()).map(|index| ResourceId(index as u32));
    let mut found: Vec<ResourceCost> =
        ids.filter_map(|resource| cost(prepared, resource, &bounds, proved)).collect();
    let most = |one: &ResourceCost| one.lengthens.iter().filter_map(|task| task.by_ns).max().unwrap_or(0);
    found.sort_by_key(|one| (one.enough_ns.is_none(), Reverse(most(one))));
    found
}

/// Returns the least bound on the response time of each task; none of them if nothing can be analysed.
///
/// Tests stop where a task may be late, and then bound no task. Where the schedule does not depend on deadlines, such
/// tasks have the bounds of the same tasks with longer deadlines.
fn bounds(prepared: &Prepared) -> Vec<Option<Duration>> {
    let of = |prepared: &Prepared| {
        let analysis = prove(prepared).ok().and_then(|found| found.analysis);
        analysis.map_or_else(|| vec![None; prepared.tasks.len()], |analysis| analysis.response_times)
    };
    let mut found = of(prepared);
    if !ignores_deadlines(prepared) {
        return found;
    }
    for periods in [1, MOST_PERIODS] {
        if !found.contains(&None) {
            break;
        }
        let longer = |task: &Task| with_deadline(task, task.relative_deadline.max(task.period * periods));
        let tasks = prepared.tasks.iter().map(longer).collect();
        let later = of(&with_tasks(prepared, tasks));
        found.iter_mut().zip(later).for_each(|(bound, later)| *bound = bound.or(later));
    }
    found
}

/// Periods after which a bound is of no interest.
const MOST_PERIODS: u64 = 8;

fn with_deadline(task: &Task, relative_deadline: Duration) -> Task {
    Task { relative_deadline, ..task.clone() }
}

/// True if jobs are executed in the same order whatever the deadlines are: by fixed priorities that do not come of
/// deadlines.
fn ignores_deadlines(prepared: &Prepared) -> bool {
    match prepared.order_class() {
        OrderClass::Fixed(key) => {
            let is_same = |task: &Task| key(task) == key(&with_deadline(task, task.relative_deadline * 2));
            prepared.tasks.iter().all(is_same)
        }
        OrderClass::FixedOpenTies(_)
        | OrderClass::Deadline
        | OrderClass::AfterArrival(_)
        | OrderClass::Pfair { .. }
        | OrderClass::Theorem(_)
        | OrderClass::Unanalysed => false,
    }
}

fn cost(
    prepared: &Prepared,
    resource: ResourceId,
    bounds_with: &[Option<Duration>],
    proved: bool,
) -> Option<ResourceCost> {
    let length = |task: &Task| longest_section(&task.program, resource);
    let all = prepared.tasks.iter().enumerate();
    let sections = all.filter_map(|(index, task)| Some((length(task)?, Reverse(index))));
    let (longest, Reverse(of)) = sections.max()?;
    let name = |index: usize| prepared.scenario.task_name(TaskId(index as u32)).to_owned();
    let others = |asked: ResourceId| asked != resource;
    let tasks = prepared.tasks.iter().map(|task| with_requests(task, others)).collect();
    let bounds_without = bounds(&with_tasks(prepared, tasks));
    let pairs: Vec<_> = bounds_with.iter().zip(&bounds_without).enumerate().collect();
    let mut lengthens: Vec<LengthenedBound> = pairs
        .iter()
        .filter_map(|(index, (with, without))| match (with, without) {
            (Some(with), Some(without)) => {
                let by = with.as_ns().saturating_sub(without.as_ns());
                (by > 0).then(|| LengthenedBound { task: name(*index), by_ns: Some(by) })
            }
            (None, Some(_)) => Some(LengthenedBound { task: name(*index), by_ns: None }),
            (Some(_) | None, None) => None,
        })
        .collect();
    lengthens.sort_by_key(|task| Reverse(task.by_ns));
    Some(ResourceCost {
        resource: prepared.scenario.resources[resource.index()].name.clone(),
        longest_ns: longest,
        longest_of: name(of),
        lengthens,
        all_known: pairs.iter().all(|(_, (with, without))| with.is_some() && without.is_some()),
        enough_ns: if proved { None } else { enough(prepared, resource, longest) },
    })
}

/// Returns the largest length to which sections on `resource` can be cut such that all deadlines are proved.
fn enough(prepared: &Prepared, resource: ResourceId, longest: u64) -> Option<u64> {
    let suffices = |length: u64| {
        let tasks: Option<Vec<Task>> =
            prepared.tasks.iter().map(|task| cut(task, resource, length)).collect();
        tasks.is_some_and(|tasks| is_proved(&with_tasks(prepared, tasks)))
    };
    let length_of = |parts: u32| (u128::from(longest) * u128::from(parts)).div_ceil(PARTS.into()) as u64;
    // Next to no section at all.
    if longest == 0 || !suffices(length_of(1)) {
        return None;
    }
    let by_parts = |parts: u32| suffices(length_of(parts));
    let parts = below_refused(prepared, 0, bisect(1, PARTS, by_parts), by_parts);
    let (least, step) = (length_of(parts), length_of(parts + 1) - length_of(parts));
    let more = bisect(0, u32::try_from(step).unwrap_or(u32::MAX), |more| suffices(least + u64::from(more)));
    Some(least + u64::from(more))
}

/// Returns the execution time of the longest section on `resource`; `None` if the program requests it nowhere.
fn longest_section(program: &[Step], resource: ResourceId) -> Option<u64> {
    let mut longest = None;
    let mut open: Vec<u64> = Vec::new();
    let mut now = 0u64;
    for step in program {
        match step {
            Step::Execute(work) => now = now.saturating_add(work.as_ns()),
            Step::Request(asked, _) if *asked == resource => open.push(now),
            Step::Release(held, _) if *held == resource => {
                let since = open.pop().unwrap_or(now);
                longest = longest.max(Some(now - since));
            }
            Step::Request(..)
            | Step::Release(..)
            | Step::Suspend(_)
            | Step::Serve(_)
            | Step::NpEnter
            | Step::NpExit => {}
        }
    }
    longest
}

/// Returns the task with its sections on `resource` cut to `length`: what they execute beyond it comes right after
/// them. `None` if a section cannot be cut so far, because other sections within it are longer.
fn cut(task: &Task, resource: ResourceId, length: u64) -> Option<Task> {
    let mut program: Vec<Step> = Vec::with_capacity(task.program.len());
    // Where the section begins in the new program, and how many sections are open within it.
    let mut begin: Option<usize> = None;
    for step in &task.program {
        program.push(*step);
        match step {
            Step::Request(asked, _) if *asked == resource => begin = begin.or(Some(program.len())),
            Step::Release(held, _) if *held == resource => {
                let Some(from) = begin.take() else { continue };
                let end = program.len() - 1;
                let moved = shorten(&mut program[from..end], length)?;
                if moved > 0 {
                    program.push(Step::Execute(Work::from_ns(moved)));
                }
            }
            Step::Request(..)
            | Step::Release(..)
            | Step::Execute(_)
            | Step::Suspend(_)
            | Step::Serve(_)
            | Step::NpEnter
            | Step::NpExit => {}
        }
    }
    program.retain(|step| !matches!(step, Step::Execute(work) if work.is_zero()));
    Some(Task { program, ..task.clone() })
}

/// Shortens what a section executes outside of other sections, the last first, such that it executes `length` at most;
/// returns what it executes less.
fn shorten(section: &mut [Step], length: u64) -> Option<u64> {
    let executed = |step: &Step| match step {
        Step::Execute(work) => work.as_ns(),
        Step::Request(..)
        | Step::Release(..)
        | Step::Suspend(_)
        | Step::Serve(_)
        | Step::NpEnter
        | Step::NpExit => 0,
    };
    let excess = section.iter().map(executed).fold(0, u64::saturating_add).saturating_sub(length);
    let (mut left, mut within) = (excess, 0u32);
    for step in section.iter_mut().rev() {
        match step {
            Step::Release(..) | Step::NpExit => within += 1,
            Step::Request(..) | Step::NpEnter => within = within.saturating_sub(1),
            Step::Execute(work) if within == 0 => {
                let less = left.min(work.as_ns());
                *work = Work::from_ns(work.as_ns() - less);
                left -= less;
            }
            Step::Execute(_) | Step::Suspend(_) | Step::Serve(_) => {}
        }
    }
    (left == 0).then_some(excess)
}

#[cfg(test)]
mod tests {
    use super::*;

    const R: ResourceId = ResourceId(0);
    const S: ResourceId = ResourceId(1);

    fn run(ns: u64) -> Step {
        Step::Execute(Work::from_ns(ns))
    }

    fn task(program: Vec<Step>) -> Task {
        let period = Duration::from_ns(1_000);
        Task { program, ..Task::implicit(Work::from_ns(100), period) }
    }

    #[test]
    fn work_beyond_the_length_moves_behind_the_section() {
        let given = task(vec![run(1), Step::Request(R, 1), run(5), Step::Release(R, 1), run(2)]);
        assert_eq!(longest_section(&given.program, R), Some(5));
        assert_eq!(longest_section(&given.program, S), None);
        let found = cut(&given, R, 3).unwrap();
        let expected = vec![run(1), Step::Request(R, 1), run(3), Step::Release(R, 1), run(2), run(2)];
        assert_eq!(found.program, expected);
        assert_eq!(cut(&given, R, 5).unwrap().program, given.program);
    }

    #[test]
    fn sections_within_stay_as_they_are() {
        let inner = [Step::Request(S, 1), run(4), Step::Release(S, 1)];
        let program =
            [vec![Step::Request(R, 1), run(3)], inner.to_vec(), vec![run(2), Step::Release(R, 1)]].concat();
        let given = task(program);
        assert_eq!(longest_section(&given.program, R), Some(9));
        let found = cut(&given, R, 5).unwrap();
        let expected =
            [vec![Step::Request(R, 1), run(1)], inner.to_vec(), vec![Step::Release(R, 1), run(4)]].concat();
        assert_eq!(found.program, expected);
        // 4 are within the other section.
        assert_eq!(cut(&given, R, 3), None);
    }
}
