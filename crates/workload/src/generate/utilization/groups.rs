//! Groups of tasks, each with a range of utilizations of its own, as `bounded-sum` writes them.

use super::bounded_sum::{BoundedSum, BoundsError};
use super::range::{range, wrong_tasks, wrong_total};
use super::together::{DrawSet, Joint, JointUtilizations, Sampler};
use crate::generate::form::SpecForm;
use crate::generate::GenerateError;
use crate::random::Random;
use crate::ratio::Ratio;
use crate::words::{SpecError, Words};

pub(super) const FORM: SpecForm<JointUtilizations> = SpecForm {
    written: &[(
        "bounded-sum N MIN MAX [N MIN MAX]...",
        "the same with several ranges: N tasks in the first, N in the next; up to 500 tasks in all",
    )],
    read: |words| Ok(JointUtilizations::new(Groups::parse(words)?)),
};

/// Ranges of utilizations, each with its number of tasks; a set's tasks come in this order.
#[derive(Debug)]
struct Groups(Vec<Group>);

#[derive(Debug)]
struct Group {
    tasks: u32,
    range: (f64, f64),
}

impl Groups {
    fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
        let mut groups = Vec::new();
        while groups.is_empty() || !words.is_empty() {
            let tasks = words.count_to("the number of tasks of a range", BoundedSum::MOST_TASKS as u32)?;
            groups.push(Group { tasks, range: range(words)? });
        }
        Ok(Groups(groups))
    }
}

impl Joint for Groups {
    fn sampler(&self, tasks: u32, total: Ratio) -> Result<Sampler, SpecError> {
        let bounded: u64 = self.0.iter().map(|group| u64::from(group.tasks)).sum();
        if bounded != u64::from(tasks) {
            return Err(wrong_tasks(tasks, format!("{bounded}, as many as have a range")));
        }
        let of = |group: &Group| core::iter::repeat_n(group.range, group.tasks as usize);
        let bounds: Vec<(f64, f64)> = self.0.iter().flat_map(of).collect();
        let sets = BoundedSum::new(&bounds, total.to_f64()).map_err(|error| match error {
            BoundsError::Sum { least, most } => {
                wrong_total(total, format!("above {least}, below {most} for these ranges"))
            }
            BoundsError::Tasks(_) => {
                wrong_tasks(tasks, format!("1 to {} for this distribution", BoundedSum::MOST_TASKS))
            }
            BoundsError::Range(_) => unreachable!("ranges are checked where they are read"),
        })?;
        Ok(Sampler::new(sets))
    }
}

impl DrawSet for BoundedSum {
    fn draw_into(&self, random: &mut Random, out: &mut Vec<f64>) -> Result<(), GenerateError> {
        *out = self.draw(random).ok_or(GenerateError::TooManyRedraws {
            name: FORM.name(),
            sets: BoundedSum::MOST_REDRAWS,
            why: "the ranges are too unequal in width for this total",
        })?;
        Ok(())
    }
}
