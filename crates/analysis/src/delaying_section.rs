//! A critical section that delays a job.

use crate::sentences::{Names, Ns, Say};
use schedlab_model::{ResourceId, TaskId};
use std::fmt::{self, Formatter};

/// A critical section of one task on one resource, as often as it delays a job. Prints "b's 5 ms on map", or "2 times
/// b's 5 ms on map".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DelayingSection {
    /// Task that executes the section.
    pub task: TaskId,
    /// Resource that the section holds.
    pub resource: ResourceId,
    /// Length of the section in ns.
    pub length: u64,
    /// Number of times that the section delays the job.
    pub count: u64,
}

impl DelayingSection {
    /// All of its delays together.
    pub fn total(&self) -> u64 {
        self.length.saturating_mul(self.count)
    }
}

impl Say for DelayingSection {
    fn say(&self, names: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
        if self.count > 1 {
            write!(f, "{} times ", self.count)?;
        }
        self.task.say(names, f)?;
        f.write_str("'s ")?;
        Ns(self.length).say(names, f)?;
        f.write_str(" on ")?;
        self.resource.say(names, f)
    }
}

/// The sections that delay a job. Prints each of them, or that there are none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DelayingSections(pub Vec<DelayingSection>);

impl Say for DelayingSections {
    fn say(&self, names: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
        let Some((last, before)) = self.0.split_last() else { return f.write_str("nothing") };
        for (index, section) in before.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            section.say(names, f)?;
        }
        f.write_str(if before.is_empty() { "" } else { " and " })?;
        last.say(names, f)
    }
}
