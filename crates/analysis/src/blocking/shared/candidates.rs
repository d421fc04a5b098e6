//! Sections that may block a job on its processor, and the sums of those that count.

use crate::blocking::ceilings::ceilings;
use crate::blocking::{DelayingSection, Requests, Sharing};
use crate::steps::{BlockingRule, BlockingSum, CandidateSection, Computation, Watch};
use schedlab_model::{ResourceId, TaskId};
use std::cmp::Reverse;

/// Returns the sections of less urgent tasks of the cluster of `task` that `may_block` it.
pub(crate) fn of_less_urgent<'s>(
    sharing: &'s Sharing,
    task: usize,
    may_block: impl Fn(&Requests) -> bool + Copy + 's,
) -> impl Iterator<Item = DelayingSection> + 's {
    let tasks = sharing.tasks();
    let own = &tasks[task];
    let is_lower = |other: &usize| tasks[*other].cluster == own.cluster && tasks[*other].level > own.level;
    (0..tasks.len()).filter(is_lower).flat_map(move |other| {
        let section = move |request: &Requests| DelayingSection {
            task: TaskId(other as u32),
            resource: ResourceId(request.resource),
            length: request.length(),
            count: 1,
        };
        sharing.requests(other).iter().filter(move |request| may_block(request)).map(section)
    })
}

/// By task: the longest section of less urgent tasks of the same cluster whose ceiling is at least as urgent as the
/// task, while `watch` watches.
///
/// One job waits for no more than this if ceilings allow at most one open section of less urgent jobs.
pub(crate) fn longest_by_ceiling(sharing: &Sharing, watch: &mut impl Watch) -> Vec<u64> {
    let ceilings = ceilings(sharing);
    let of = |task: usize| {
        let level = sharing.tasks()[task].level;
        let reaches = |request: &Requests| ceilings[request.resource as usize] <= level;
        longest(task, of_less_urgent(sharing, task, &reaches), watch)
    };
    (0..sharing.tasks().len()).map(of).collect()
}

/// By task: the first of the longest sections that [`longest_by_ceiling`] finds.
pub(crate) fn longest_sections_by_ceiling(sharing: &Sharing) -> Vec<Option<DelayingSection>> {
    let ceilings = ceilings(sharing);
    let of = |task: usize| {
        let level = sharing.tasks()[task].level;
        let reaches = |request: &Requests| ceilings[request.resource as usize] <= level;
        let longer = |one: DelayingSection, other: DelayingSection| {
            if other.length > one.length {
                other
            } else {
                one
            }
        };
        of_less_urgent(sharing, task, &reaches).reduce(longer)
    };
    (0..sharing.tasks().len()).map(of).collect()
}

/// Returns the length of the longest of the sections that may block a job of `task`.
pub(crate) fn longest(
    task: usize,
    sections: impl Iterator<Item = DelayingSection>,
    watch: &mut impl Watch,
) -> u64 {
    if !watch.wants(Some(TaskId(task as u32))) {
        return sections.map(|section| section.length).max().unwrap_or(0);
    }
    let mut all = candidates(sections);
    let total = first_longest(&mut all);
    watch.add(sum(task, BlockingRule::Longest, all, total));
    total
}

/// Returns the sum of the longest section of each task, of the sections that may block a job of `task`; sections of one
/// task come together.
pub(crate) fn longest_of_each(
    task: usize,
    sections: impl Iterator<Item = DelayingSection>,
    watch: &mut impl Watch,
) -> u64 {
    if !watch.wants(Some(TaskId(task as u32))) {
        let (mut sum, mut last, mut longest) = (0u64, None, 0);
        for section in sections {
            if last.replace(section.task) != Some(section.task) {
                sum = sum.saturating_add(std::mem::take(&mut longest));
            }
            longest = longest.max(section.length);
        }
        return sum.saturating_add(longest);
    }
    let mut all = candidates(sections);
    let of_each = all.chunk_by_mut(|one, other| one.section.task == other.section.task);
    let total = of_each.map(first_longest).fold(0, u64::saturating_add);
    watch.add(sum(task, BlockingRule::LongestOfEachTask, all, total));
    total
}

fn candidates(sections: impl Iterator<Item = DelayingSection>) -> Vec<CandidateSection> {
    sections.map(|section| CandidateSection { section, counts: false }).collect()
}

/// Marks the first of the longest sections and returns its length; 0 if there are none.
fn first_longest(sections: &mut [CandidateSection]) -> u64 {
    let longest = (0..sections.len()).max_by_key(|index| (sections[*index].section.length, Reverse(*index)));
    let Some(index) = longest else { return 0 };
    sections[index].counts = true;
    sections[index].section.length
}

fn sum(task: usize, rule: BlockingRule, candidates: Vec<CandidateSection>, total: u64) -> Computation {
    Computation::Blocking(BlockingSum { of: TaskId(task as u32), rule, candidates, total })
}
