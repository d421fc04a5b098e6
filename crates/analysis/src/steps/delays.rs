//! Sections of other tasks that delay a job, and how much each adds to the bound.

use crate::delaying_section::DelayingSection;
use schedlab_model::{ResourceId, TaskId};

/// Why a section delays a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DelayCause {
    /// The job waits until the section ends.
    Waiting,
    /// The section goes, on its processor, before a section for which the job waits.
    AheadOfHolder,
    /// Other jobs of its processor execute before the section for which the job waits, for so long.
    HolderKeptOff,
    /// A less urgent job is in the section when the job arrives.
    Arrival,
    /// A less urgent job waits until the section ends, and is not preempted, when the job arrives.
    ArrivalSpinning,
    /// A section that is not preempted, or is more urgent, keeps a job from its processor that has waited or pends.
    KeptOff,
}

/// A part of a bound on blocking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayPart {
    /// The section, and how often it delays the job.
    pub section: DelayingSection,
    /// The reason.
    pub cause: DelayCause,
}

/// How the delay of a job by sections of others was bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelaySum {
    /// The task whose job is delayed.
    pub of: TaskId,
    /// The parts, those without length left out.
    pub parts: Vec<DelayPart>,
    /// The bound, in ns; `None` if there is none.
    pub total: Option<u64>,
}

/// Receiver of the parts of a bound on the delay of one job. A bound takes the kind of receiver as a type, so that
/// nothing is noted, and nothing costs time, where no watch wants the parts.
pub trait Parts: Clone + Default {
    /// True if the parts are noted.
    const ARE_NOTED: bool;

    /// Takes `count` delays by a section of `task` on `resource`.
    fn part(&mut self, cause: DelayCause, task: usize, resource: u32, length: u64, count: u64);

    /// Takes the parts of another bound, each as often as `times` says.
    fn take(&mut self, other: &Self, times: u64);

    /// The parts that were noted.
    fn into_parts(self) -> Vec<DelayPart>;
}

impl Parts for Vec<DelayPart> {
    const ARE_NOTED: bool = true;

    fn part(&mut self, cause: DelayCause, task: usize, resource: u32, length: u64, count: u64) {
        let (task, resource) = (TaskId(task as u32), ResourceId(resource));
        if length > 0 && count > 0 {
            merge(self, DelayPart { section: DelayingSection { task, resource, length, count }, cause });
        }
    }

    fn take(&mut self, other: &Self, times: u64) {
        for part in other.iter().filter(|_| times > 0) {
            let count = part.section.count.saturating_mul(times);
            merge(self, DelayPart { section: DelayingSection { count, ..part.section }, ..*part });
        }
    }

    fn into_parts(self) -> Vec<DelayPart> {
        self
    }
}

/// Adds a part; of equal sections with one cause, the counts are added.
fn merge(parts: &mut Vec<DelayPart>, new: DelayPart) {
    let key = |part: &DelayPart| (part.cause, DelayingSection { count: 0, ..part.section });
    match parts.iter_mut().find(|part| key(part) == key(&new)) {
        Some(part) => part.section.count = part.section.count.saturating_add(new.section.count),
        None => parts.push(new),
    }
}
