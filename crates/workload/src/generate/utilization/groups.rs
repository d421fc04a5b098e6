//! Groups of tasks, each with a range of utilizations of its own, as `bounded-sum` writes them.

use super::{range, wrong_tasks, wrong_total, BoundedSum, BoundsError};
use crate::ratio::Ratio;
use crate::words::{SpecError, Words};

/// Ranges of utilizations, and how many tasks have each; a set's tasks come in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups(Vec<Group>);

#[derive(Clone, Debug, PartialEq)]
struct Group {
    tasks: u32,
    range: (f64, f64),
}

impl Groups {
    pub(super) fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
        let mut groups = Vec::new();
        while groups.is_empty() || !words.is_empty() {
            let tasks = words.count_to("the number of tasks of a range", BoundedSum::MOST_TASKS as u32)?;
            groups.push(Group { tasks, range: range(words)? });
        }
        Ok(Groups(groups))
    }

    /// What sets of `tasks` tasks with this total are drawn from.
    pub(in crate::generate) fn sampler(&self, tasks: u32, total: Ratio) -> Result<BoundedSum, SpecError> {
        let bounded: u64 = self.0.iter().map(|group| u64::from(group.tasks)).sum();
        if bounded != u64::from(tasks) {
            return Err(wrong_tasks(tasks, format!("{bounded}, as many as have a range")));
        }
        let of = |group: &Group| core::iter::repeat_n(group.range, group.tasks as usize);
        let bounds: Vec<(f64, f64)> = self.0.iter().flat_map(of).collect();
        BoundedSum::new(&bounds, total.to_f64()).map_err(|error| match error {
            BoundsError::Sum { least, most } => {
                wrong_total(total, format!("above {least}, below {most} for these ranges"))
            }
            BoundsError::Tasks(_) => {
                wrong_tasks(tasks, format!("1 to {} for this distribution", BoundedSum::MOST_TASKS))
            }
            BoundsError::Range(_) => unreachable!("ranges are checked where they are read"),
        })
    }
}
