//! UUniFast-Discard: uniform over all sets of utilizations with a given sum and none above a maximum.
//!
//! E. Bini, G. Buttazzo, "Measuring the performance of schedulability tests", Real-Time Systems 30, 2005
//! (UUniFast); R. I. Davis, A. Burns, "Priority assignment for global fixed priority pre-emptive scheduling
//! in multiprocessor real-time systems", RTSS 2009 (discarding, for totals above 1).

use super::range::check_total;
use super::together::{DrawSet, Joint, JointUtilizations, Sampler};
use crate::generate::form::SpecForm;
use crate::generate::{GenerateError, MAX_TASKS};
use crate::random::Random;
use crate::ratio::Ratio;
use crate::words::{SpecError, Words};

pub(super) const FORM: SpecForm<JointUtilizations> = SpecForm {
    written: &[(
        "uunifast-discard [max MAX]",
        "uniform over the sets of a given total; needs `tasks N total TOTAL`",
    )],
    read: |words| Ok(JointUtilizations::new(Largest::parse(words)?)),
};

/// Sets thrown away before giving up. Davis and Burns give up after 1,000.
const MAX_DISCARDS: u32 = 100_000;

/// The largest utilization of one task.
#[derive(Debug)]
struct Largest(f64);

impl Largest {
    fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
        let max = if words.take("max") { words.number("the largest utilization")? } else { 1.0 };
        if !(max > 0.0 && max <= 1.0) {
            return Err(words.out_of_range("the largest utilization", max, "above 0, at most 1"));
        }
        Ok(Largest(max))
    }
}

impl Joint for Largest {
    fn sampler(&self, tasks: u32, total: Ratio) -> Result<Sampler, SpecError> {
        let Largest(max) = *self;
        check_total((0.0, max), MAX_TASKS, tasks, total)?;
        Ok(Sampler::new(Sets { tasks, total: total.to_f64(), max }))
    }
}

/// Sets of `tasks` tasks of sum `total`, each at most `max`.
#[derive(Debug)]
struct Sets {
    tasks: u32,
    total: f64,
    max: f64,
}

impl DrawSet for Sets {
    fn draw_into(&self, random: &mut Random, out: &mut Vec<f64>) -> Result<(), GenerateError> {
        for _ in 0..MAX_DISCARDS {
            out.clear();
            if attempt(self.tasks, self.total, self.max, random, out) {
                return Ok(());
            }
        }
        Err(GenerateError::TooManyRedraws {
            name: FORM.name(),
            sets: MAX_DISCARDS,
            why: "the total is too close to the number of tasks, use randfixedsum",
        })
    }
}

/// One run of UUniFast; false, early, if a utilization is above `max`.
fn attempt(tasks: u32, total: f64, max: f64, random: &mut Random, out: &mut Vec<f64>) -> bool {
    let mut rest = total;
    for left in (1..tasks).rev() {
        // The sum of the `left` remaining utilizations, relative to `rest`, is the maximum of `left`
        // uniform numbers.
        let next = rest * libm::pow(random.unit(), 1.0 / f64::from(left));
        if rest - next > max {
            return false;
        }
        out.push(rest - next);
        rest = next;
    }
    out.push(rest);
    rest <= max
}
