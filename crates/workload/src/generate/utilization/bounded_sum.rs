//! Uniform over all sets of utilizations with a given sum, each within bounds of its own.
//!
//! The Dirichlet-rescale algorithm was withdrawn by its author since it is not uniform, and the convolution of the
//! bounds' densities (RTAS 2025) takes seconds for a hundred tasks. Here the box is cut into cells instead, and the
//! parts are drawn exactly.
//!
//! Let h be the width of a cell, and let each range \[lo_i, hi_i\] be covered by w_i = ceil((hi_i - lo_i) / h) cells. A
//! vector is x_i = lo_i + h (k_i + f_i) with whole 0 <= k_i < w_i and 0 <= f_i < 1, and the sum of x is as wanted if
//! sum k + sum f = s. With j the whole part of sum f and p the fraction of s, sum k = K - j for K = floor(s). For each
//! j, the vectors are the product of a set of whole vectors k and of a slice of the unit cube, sum f = j + p, so that
//!
//! ```text
//! P(j)     is in proportion to  A(j + p) N(K - j),
//! k given j is uniform over the whole vectors of sum K - j,   f given j is uniform over the slice
//! ```
//!
//! where A is the density of a sum of n uniform numbers (Irwin and Hall) and N counts whole vectors. Both obey
//! recurrences that only add positive numbers, so that floating point is off by a relative 10^-9 at most for what is
//! allowed here. f comes from the cube by trying again, or where that is seldom right from
//! [`super::RandFixedSumTable`], k by walking back from the last task, with the counts of what is left for the others.
//! Whatever leaves its range by the last cell's excess is thrown away, which leaves the rest uniform.

use super::randfixedsum::RandFixedSumTable;
use crate::random::Random;
use std::sync::OnceLock;

/// Numbers of cells into which the widest range may be cut. The first with which few draws are thrown away is used,
/// since tables grow with it.
const CELLS: [f64; 10] = [16.0, 32.0, 48.0, 64.0, 96.0, 128.0, 192.0, 256.0, 384.0, 512.0];

/// Most cells of the sum; if there would be more, ranges are cut into fewer cells.
const MOST_CELLS: f64 = 16_384.0;

/// Logarithm of how much larger the box of all cells may be than the box of the ranges: about one draw in seven stays.
const EXCESS: f64 = 2.0;

/// Frequency from which on slices of the cube are drawn by trying again; for others a table is made.
const FREQUENT: f64 = 1.0 / 256.0;

/// Sampler for one list of bounds and one sum.
#[derive(Clone, Debug)]
pub struct BoundedSum {
    lows: Vec<f64>,
    highs: Vec<f64>,
    /// The width of a cell.
    cell: f64,
    /// Row by row for i = 0, 1, ... tasks: the number of whole vectors of i tasks with each sum up to K, in proportion.
    counts: Vec<Vec<f64>>,
    /// By j: the sum of the probabilities up to it.
    carried: Vec<f64>,
    /// The whole part K of the sum in cells; `part` is its fraction p.
    whole: usize,
    part: f64,
    /// By j: the frequency of a sum of that whole part among those of the fraction p.
    shares: Vec<f64>,
    /// By j: a table to draw f where that whole part is rare, made at its first use.
    slices: Vec<OnceLock<RandFixedSumTable>>,
}

/// Reason why there is nothing to draw from.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BoundsError {
    /// A range is empty, infinite or begins below 0.
    #[error("the bounds of task {0} are no range; allowed: 0 <= low < high, both finite")]
    Range(usize),
    /// The sum is not between the sums of the bounds.
    #[error("the sum lies outside what the bounds allow: above {least}, below {most}")]
    Sum {
        /// Least possible sum.
        least: f64,
        /// Greatest possible sum.
        most: f64,
    },
    /// There are no tasks, or more than 500.
    #[error("{0} tasks; allowed: 1 to {most}", most = BoundedSum::MOST_TASKS)]
    Tasks(usize),
}

impl BoundedSum {
    /// Most tasks, because tables hold a number for each task and cell of the sum.
    pub(super) const MOST_TASKS: usize = 500;

    /// Sets thrown away in a row after which a draw is given up.
    pub(super) const MOST_REDRAWS: u32 = 100_000;

    /// Utilizations within `bounds`, (low, high) by task, with sum `total`.
    pub fn new(bounds: &[(f64, f64)], total: f64) -> Result<Self, BoundsError> {
        if !(1..=BoundedSum::MOST_TASKS).contains(&bounds.len()) {
            return Err(BoundsError::Tasks(bounds.len()));
        }
        let is_range = |&(low, high): &(f64, f64)| low >= 0.0 && low < high && high.is_finite();
        if let Some(index) = bounds.iter().position(|range| !is_range(range)) {
            return Err(BoundsError::Range(index));
        }
        let (lows, highs): (Vec<f64>, Vec<f64>) = bounds.iter().copied().unzip();
        let (least, most) = (lows.iter().sum::<f64>(), highs.iter().sum::<f64>());
        if !(total > least && total < most) {
            return Err(BoundsError::Sum { least, most });
        }
        let widest = bounds.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        // A whole number, so that ranges as wide as the widest are covered exactly.
        let most = libm::floor(MOST_CELLS * widest / (total - least)).clamp(CELLS[0], CELLS[CELLS.len() - 1]);
        let excess = |cells: f64| -> f64 {
            let of = |(low, high): (&f64, &f64)| {
                let part = (high - low) / (widest / cells);
                libm::log(libm::ceil(part).max(1.0) / part)
            };
            lows.iter().zip(&highs).map(of).sum()
        };
        let cells = CELLS.into_iter().find(|&cells| excess(cells) <= EXCESS).unwrap_or(most).min(most);
        let cell = widest / cells;
        let mut drawn = BoundedSum {
            lows,
            highs,
            cell,
            counts: Vec::new(),
            carried: Vec::new(),
            whole: 0,
            part: 0.0,
            shares: Vec::new(),
            slices: Vec::new(),
        };
        drawn.fill((total - least) / cell);
        Ok(drawn)
    }

    /// Returns how many cells cover the range of the task at `index`.
    fn width(&self, index: usize) -> usize {
        (libm::ceil((self.highs[index] - self.lows[index]) / self.cell) as usize).max(1)
    }

    fn fill(&mut self, scaled: f64) {
        let n = self.lows.len();
        let (whole, part) = (scaled as usize, scaled - libm::floor(scaled));
        let mut row = vec![1.0];
        let mut windows = Windows::default();
        for index in 0..n {
            let width = self.width(index);
            // Beyond what the tasks so far can have together there is nothing to count.
            let next = windows.sums(&row, width, whole.min(row.len() - 1 + width - 1));
            self.counts.push(core::mem::replace(&mut row, next));
        }
        let densities = irwin_hall(n, part);
        let all: f64 = densities.iter().sum();
        self.shares.extend(densities.iter().map(|density| density / all));
        let mut sum = 0.0;
        for (j, density) in densities.into_iter().enumerate() {
            let ways = whole.checked_sub(j).and_then(|rest| row.get(rest));
            sum += ways.map_or(0.0, |ways| density * ways);
            self.carried.push(sum);
        }
        (self.whole, self.part) = (whole, part);
        self.slices = vec![OnceLock::new(); n];
    }

    /// Draws utilizations of the given sum, one for each task; `None` if the ranges are so unequal that none was found.
    pub fn draw(&self, random: &mut Random) -> Option<Vec<f64>> {
        (0..BoundedSum::MOST_REDRAWS).find_map(|_| self.try_to_draw(random))
    }

    fn try_to_draw(&self, random: &mut Random) -> Option<Vec<f64>> {
        let wanted = random.unit() * self.carried.last().copied().unwrap_or(0.0);
        let j = self.carried.partition_point(|&sum| sum <= wanted).min(self.carried.len() - 1);
        let mut drawn = self.draw_slice(j, random);
        let mut left = self.whole - j;
        for index in (0..drawn.len()).rev() {
            let whole = self.cells_of(index, left, random);
            left -= whole;
            drawn[index] = self.lows[index] + self.cell * (whole as f64 + drawn[index]);
            if drawn[index] > self.highs[index] {
                return None;
            }
        }
        Some(drawn)
    }

    /// Draws f, uniform over the slice of the cube where the sum is j + p.
    ///
    /// All but the last number are free; the last one makes the fraction of the sum p, and is as uniform as they are.
    /// Therefore each of these vectors is as likely as any other whose sum has the fraction p, and those of the wrong
    /// whole part are thrown away.
    fn draw_slice(&self, j: usize, random: &mut Random) -> Vec<f64> {
        let n = self.lows.len();
        if self.shares[j] < FREQUENT {
            let make = || RandFixedSumTable::new(n as u32, j as f64 + self.part, 0.0, 1.0);
            return self.slices[j].get_or_init(make).draw(random);
        }
        let mut drawn = vec![0.0; n];
        loop {
            let mut sum = 0.0;
            for part in &mut drawn[..n - 1] {
                *part = random.unit();
                sum += *part;
            }
            let last = self.part - sum;
            drawn[n - 1] = last - libm::floor(last);
            // A whole number, up to rounding.
            if (libm::round(sum + drawn[n - 1] - self.part) as usize) == j {
                return drawn;
            }
        }
    }

    /// Draws how many of the `left` cells task `index` has, in proportion to the ways of those before it to have the
    /// rest.
    fn cells_of(&self, index: usize, left: usize, random: &mut Random) -> usize {
        let row = &self.counts[index];
        let most = left.min(self.width(index) - 1);
        // What is left for those before: no more than they can have.
        let (low, high) = (left - most, left.min(row.len() - 1));
        let Some(ways) = row.get(low..=high) else { return most };
        let mut wanted = random.unit() * ways.iter().sum::<f64>();
        for (rest, way) in ways.iter().enumerate() {
            wanted -= way;
            if wanted < 0.0 {
                return most - rest;
            }
        }
        // Rounding: the last one that there is.
        ways.iter().rposition(|&way| way > 0.0).map_or(most, |rest| most - rest)
    }
}

/// Buffers for sums over windows.
#[derive(Default)]
struct Windows {
    begun: Vec<f64>,
    ended: Vec<f64>,
}

impl Windows {
    /// Returns, by sum s up to `last`, the sum of `row[s - width + 1..=s]`, scaled so that the largest is 1. Only
    /// additions: the sums of blocks from their begin and from their end make up every window (M. van Herk, Pattern
    /// Recognition Letters 13, 1992).
    fn sums(&mut self, row: &[f64], width: usize, last: usize) -> Vec<f64> {
        let (begun, ended) = (&mut self.begun, &mut self.ended);
        for buffer in [&mut *begun, &mut *ended] {
            buffer.clear();
            buffer.extend(&row[..row.len().min(last + 1)]);
            buffer.resize(last + 1, 0.0);
        }
        for block in begun.chunks_mut(width) {
            let mut sum = 0.0;
            for value in block {
                sum += *value;
                *value = sum;
            }
        }
        for block in ended.chunks_mut(width) {
            let mut sum = 0.0;
            for value in block.iter_mut().rev() {
                sum += *value;
                *value = sum;
            }
        }
        // The window that ends at s has a block's begin up to s, and the end of the block before from s - width + 1 on;
        // whole blocks have no block before.
        let mut sums = begun.clone();
        for first in (width..=last).step_by(width) {
            let end = (first + width - 1).min(last + 1);
            for (sum, before) in sums[first..end].iter_mut().zip(&ended[first + 1 - width..first]) {
                *sum += before;
            }
        }
        let largest = sums.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let scale = 1.0 / largest;
        sums.iter_mut().for_each(|sum| *sum *= scale);
        sums
    }
}

/// The density of the sum of n uniform numbers at `part`, `part` + 1, ..., in proportion:
/// A_n(x) = (x A_(n-1)(x) + (n - x) A_(n-1)(x - 1)) / (n - 1).
fn irwin_hall(n: usize, part: f64) -> Vec<f64> {
    let mut densities = vec![0.0; n];
    densities[0] = 1.0;
    for i in 2..=n {
        for j in (0..i).rev() {
            let x = j as f64 + part;
            let before = if j > 0 { densities[j - 1] } else { 0.0 };
            densities[j] = (x * densities[j] + (i as f64 - x) * before) / (i - 1) as f64;
        }
    }
    densities
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn windows_are_sums() {
        let row: Vec<f64> = (0..37).map(|index| f64::from(index * index % 11)).collect();
        for width in 1..45 {
            let sums = Windows::default().sums(&row, width, row.len() - 1);
            let sum_to = |end: usize| row[(end + 1).saturating_sub(width)..=end].iter().sum();
            let direct: Vec<f64> = (0..row.len()).map(sum_to).collect();
            let largest = direct.iter().copied().fold(0.0, f64::max);
            for (sum, direct) in sums.iter().zip(&direct) {
                assert!((sum * largest - direct).abs() < 1e-9, "{width}");
            }
        }
    }

    #[test]
    fn bad_bounds_are_named() {
        let error = |bounds: &[(f64, f64)], total| BoundedSum::new(bounds, total).unwrap_err();
        assert_eq!(error(&[(0.0, 1.0), (0.5, 0.5)], 1.0), BoundsError::Range(1));
        assert_eq!(error(&[(0.0, f64::NAN)], 1.0), BoundsError::Range(0));
        assert_eq!(error(&[(0.1, 0.5)], 0.6), BoundsError::Sum { least: 0.1, most: 0.5 });
        assert_eq!(error(&[], 0.6), BoundsError::Tasks(0));
        assert!(error(&[(0.1, 0.5)], 0.6).to_string().contains("above 0.1, below 0.5"));
    }

    #[test]
    fn sums_and_bounds_are_kept() {
        let mut random = Random::stream(1, Purpose::Periods, 0);
        for n in [1, 2, 5, 40] {
            let range = |index| (0.01 * f64::from(index % 3), 0.1 + 0.8 * f64::from(index % 7) / 7.0);
            let bounds: Vec<(f64, f64)> = (0..n).map(range).collect();
            let (low, high): (Vec<f64>, Vec<f64>) = bounds.iter().copied().unzip();
            let (low, high) = (low.iter().sum::<f64>(), high.iter().sum::<f64>());
            for share in [0.02, 0.3, 0.5, 0.9] {
                let total = low + share * (high - low);
                let from = BoundedSum::new(&bounds, total).unwrap();
                for _ in 0..20 {
                    let drawn = from.draw(&mut random).unwrap();
                    assert!((drawn.iter().sum::<f64>() - total).abs() < 1e-9);
                    assert!(drawn.iter().zip(&bounds).all(|(u, (low, high))| low <= u && u <= high));
                }
            }
        }
    }

    /// Three tasks with unequal bounds: the triangle is cut into small parallelograms of equal area inside the box, and
    /// the numbers of vectors in them are as uniform as chance allows (chi-squared, far beyond the 99.99% quantile
    /// otherwise).
    #[test]
    fn is_uniform_on_the_plane() {
        let mut random = Random::stream(2, Purpose::Periods, 0);
        let bounds = [(0.0, 0.5), (0.1, 0.9), (0.05, 0.35)];
        let from = BoundedSum::new(&bounds, 0.8).unwrap();
        const SIDE: usize = 12;
        const DRAWS: usize = 60_000;
        let mut seen = vec![0u32; SIDE * SIDE];
        for _ in 0..DRAWS {
            let drawn = from.draw(&mut random).unwrap();
            let side = |u: f64, (low, high): (f64, f64)| {
                (((u - low) / (high - low) * SIDE as f64) as usize).min(SIDE - 1)
            };
            seen[side(drawn[0], bounds[0]) * SIDE + side(drawn[2], bounds[2])] += 1;
        }
        // A cell counts if the second utilization is within its bounds on all of it.
        let corner = |side: usize, (low, high): (f64, f64)| low + (high - low) * side as f64 / SIDE as f64;
        let inside = |x: usize, z: usize| {
            let least = 0.8 - corner(x + 1, bounds[0]) - corner(z + 1, bounds[2]);
            let most = 0.8 - corner(x, bounds[0]) - corner(z, bounds[2]);
            least >= bounds[1].0 && most <= bounds[1].1
        };
        let whole: Vec<f64> = (0..SIDE * SIDE)
            .filter(|index| inside(index / SIDE, index % SIDE))
            .map(|index| f64::from(seen[index]))
            .collect();
        let mean = whole.iter().sum::<f64>() / whole.len() as f64;
        let chi: f64 = whole.iter().map(|count| (count - mean) * (count - mean) / mean).sum();
        let freedom = (whole.len() - 1) as f64;
        assert!(whole.len() > 80 && chi < freedom + 4.0 * libm::sqrt(2.0 * freedom), "{chi} of {freedom}");
    }

    /// Moments agree with rejection: unequal bounds on five tasks, means and second moments of each.
    #[test]
    fn moments_are_those_of_rejection() {
        let mut random = Random::stream(3, Purpose::Periods, 0);
        let bounds = [(0.0, 0.4), (0.1, 0.3), (0.0, 1.0), (0.2, 0.9), (0.0, 0.05)];
        let total = 1.3;
        let from = BoundedSum::new(&bounds, total).unwrap();
        let plain = RandFixedSumTable::new(5, total, 0.0, 1.0);
        let rejected = |random: &mut Random| loop {
            let drawn = plain.draw(random);
            if drawn.iter().zip(&bounds).all(|(u, (low, high))| low <= u && u <= high) {
                return drawn;
            }
        };
        const DRAWS: usize = 6_000;
        let mut moments = [[[0.0; 2]; 5]; 2];
        for _ in 0..DRAWS {
            for (of, drawn) in
                [from.draw(&mut random).unwrap(), rejected(&mut random)].into_iter().enumerate()
            {
                for (moment, (u, (low, high))) in moments[of].iter_mut().zip(drawn.iter().zip(&bounds)) {
                    let scaled = (u - low) / (high - low);
                    moment[0] += scaled / DRAWS as f64;
                    moment[1] += scaled * scaled / DRAWS as f64;
                }
            }
        }
        for (ours, theirs) in moments[0].iter().flatten().zip(moments[1].iter().flatten()) {
            // Five standard deviations of the difference of two means of numbers in [0, 1].
            assert!((ours - theirs).abs() < 5.0 * 0.3 * libm::sqrt(2.0 / DRAWS as f64), "{ours} {theirs}");
        }
    }

    /// With equal bounds the distribution of the first utilization is that of RandFixedSum (Kolmogorov and Smirnov).
    #[test]
    fn with_equal_bounds_it_is_randfixedsum() {
        let mut random = Random::stream(4, Purpose::Periods, 0);
        let (n, total) = (12, 2.7);
        let from = BoundedSum::new(&[(0.0, 0.6); 12], total).unwrap();
        let table = RandFixedSumTable::new(n, total, 0.0, 0.6);
        const DRAWS: usize = 4_000;
        let mut ours: Vec<f64> = (0..DRAWS).map(|_| from.draw(&mut random).unwrap()[3]).collect();
        let mut theirs: Vec<f64> = (0..DRAWS).map(|_| table.draw(&mut random)[0]).collect();
        ours.sort_by(f64::total_cmp);
        theirs.sort_by(f64::total_cmp);
        let below =
            |sorted: &[f64], u: f64| sorted.partition_point(|other| *other <= u) as f64 / DRAWS as f64;
        let distance = ours.iter().map(|&u| (below(&ours, u) - below(&theirs, u)).abs()).fold(0.0, f64::max);
        assert!(distance < 2.2 * libm::sqrt(2.0 / DRAWS as f64), "{distance}");
    }
}
