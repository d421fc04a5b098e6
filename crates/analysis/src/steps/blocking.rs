//! Sections that may block a job.

use crate::delaying_section::DelayingSection;
use schedlab_model::TaskId;

/// How many of the sections that may block a job do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockingRule {
    /// The longest of all.
    Longest,
    /// The longest of each less urgent task.
    LongestOfEachTask,
}

/// A section that may block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateSection {
    /// The section.
    pub section: DelayingSection,
    /// True if it is one of those that the bound consists of.
    pub counts: bool,
}

/// How the blocking of a job was bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockingSum {
    /// The task whose job is blocked.
    pub of: TaskId,
    /// The rule.
    pub rule: BlockingRule,
    /// All sections that may block, by task and resource.
    pub candidates: Vec<CandidateSection>,
    /// The bound, in ns.
    pub total: u64,
}
