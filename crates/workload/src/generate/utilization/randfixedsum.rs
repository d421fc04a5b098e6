//! RandFixedSum: uniform over all sets of utilizations in a range with a given sum.
//!
//! R. Stafford, "Random vectors with fixed sum", 2006; P. Emberson, R. Stafford, R. I. Davis, "Techniques
//! for the synthesis of multiprocessor tasksets", WATERS 2010. The set of such vectors, scaled so that each
//! coordinate is in [0, 1], is cut into simplices. Walking from `n` coordinates down to one, each step
//! decides at random, by the volumes of the parts, on which side of a cut the vector lies, and draws a
//! position between the cut and the opposite vertex. A random permutation restores the symmetry.

use super::range::{check_total, range};
use super::together::{DrawSet, Joint, JointUtilizations, Sampler};
use crate::generate::form::SpecForm;
use crate::generate::GenerateError;
use crate::random::Random;
use crate::ratio::Ratio;
use crate::words::SpecError;

pub(super) const FORM: SpecForm<JointUtilizations> = SpecForm {
    written: &[(
        "randfixedsum [MIN MAX]",
        "the same, also for totals near the number of tasks, and for a range",
    )],
    read: |words| {
        let range = if words.is_empty() { (0.0, 1.0) } else { range(words)? };
        Ok(JointUtilizations::new(RandFixedSum { range }))
    },
};

/// Most tasks; the table has the square of this many numbers.
const MAX_TASKS: u32 = 2_000;

/// Uniform over all sets with utilizations in a range.
#[derive(Debug)]
struct RandFixedSum {
    range: (f64, f64),
}

impl Joint for RandFixedSum {
    fn sampler(&self, tasks: u32, total: Ratio) -> Result<Sampler, SpecError> {
        check_total(self.range, MAX_TASKS, tasks, total)?;
        let (min, max) = self.range;
        Ok(Sampler::new(RandFixedSumTable::new(tasks, total.to_f64(), min, max)))
    }
}

/// The probabilities of the walk, for one number of tasks, one sum and one range.
#[derive(Clone, Debug)]
pub struct RandFixedSumTable {
    tasks: usize,
    min: f64,
    width: f64,
    /// The sum after scaling each coordinate to [0, 1].
    sum: f64,
    /// The whole part of `sum`, less one if `sum` is the number of tasks.
    floor: usize,
    /// For `i` from 2 coordinates on, the probability of a one at each floor `j`, in rows of `tasks`.
    step_up: Vec<f64>,
}

impl RandFixedSumTable {
    /// The table for `tasks` utilizations in `min..=max` with sum `total`, which is within
    /// `tasks*min ..= tasks*max`.
    pub fn new(tasks: u32, total: f64, min: f64, max: f64) -> Self {
        let (n, width) = (tasks as usize, max - min);
        let scaled = ((total - f64::from(tasks) * min) / width).clamp(0.0, f64::from(tasks));
        let floor = (scaled as usize).min(n - 1);
        let mut table = RandFixedSumTable { tasks: n, min, width, sum: scaled, floor, step_up: Vec::new() };
        table.fill();
        table
    }

    /// Row by row, the volumes of the parts of the unit cube of `i` coordinates that the walk can be in,
    /// from those with one coordinate less. Only ratios within a row matter, so each is scaled to keep its
    /// largest volume at 1.
    fn fill(&mut self) {
        let (n, k) = (self.tasks, self.floor as f64);
        let mut volumes = vec![0.0; n + 1];
        volumes[1] = 1.0;
        self.step_up = vec![0.0; n.saturating_sub(1) * n];
        for i in 2..=n {
            let mut next = vec![0.0; n + 1];
            for j in 0..i {
                let stay = volumes[j + 1] * (self.sum - k + j as f64) / i as f64;
                let rise = volumes[j] * (k + (i - j) as f64 - self.sum) / i as f64;
                let volume = stay + rise;
                next[j + 1] = volume;
                // The last floor has no way but up, even where its volume is too small to represent.
                let certain = if j + 1 == i { 1.0 } else { 0.0 };
                self.step_up[(i - 2) * n + j] = if volume > 0.0 { rise / volume } else { certain };
            }
            let largest = next.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            next.iter_mut().for_each(|volume| *volume /= largest);
            volumes = next;
        }
    }

    /// Utilizations of the table's sum, one for each task.
    pub fn draw(&self, random: &mut Random) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.tasks);
        self.fill_with(random, &mut out);
        out
    }

    /// Draws utilizations of the table's sum in place of those in `out`.
    fn fill_with(&self, random: &mut Random, out: &mut Vec<f64>) {
        out.clear();
        let (mut sum, mut floor) = (self.sum, self.floor);
        let (mut fixed, mut scale) = (0.0, 1.0);
        for i in (1..self.tasks).rev() {
            let up = random.unit() < self.step_up[(i - 1) * self.tasks + floor];
            let one = f64::from(u8::from(up));
            let shrink = libm::pow(random.unit(), 1.0 / i as f64);
            fixed += (1.0 - shrink) * scale * sum / (i + 1) as f64;
            scale *= shrink;
            out.push(fixed + scale * one);
            sum -= one;
            floor -= usize::from(up);
        }
        out.push(fixed + scale * sum);
        random.shuffle(out);
        let max = self.min + self.width;
        out.iter_mut().for_each(|u| *u = (self.min + self.width * *u).clamp(self.min, max));
    }
}

impl DrawSet for RandFixedSumTable {
    fn draw_into(&self, random: &mut Random, out: &mut Vec<f64>) -> Result<(), GenerateError> {
        self.fill_with(random, out);
        Ok(())
    }
}
