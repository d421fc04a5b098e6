//! Worst fit of tasks that may go anywhere, for as long as floating point can tell what is exact.
//!
//! Processors are kept by rising load, so that the first of them is the least loaded one and the second tells whether
//! that is clear. At the first decision that is not clear, the general way takes over.

use super::{Packing, TaskPlaces};
use crate::load::{quotient, uncertainty};
use schedlab_model::{Task, TaskId};

/// Bits of a key that hold a processor; what they hide is far below what counts as clear.
const PLACE: u32 = 10;
const PLACES: u64 = (1 << PLACE) - 1;

/// Relative error of keys, besides that of the load itself.
const HIDDEN: f64 = 1.0 / (1u64 << (51 - PLACE)) as f64;

/// Memory for loads, for one set after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    /// Load of each processor in floating point.
    sums: Vec<f64>,
    /// Keys of the processors by rising load: the load in floating point as bits (the larger number has the larger
    /// bits), and in the last [`PLACE`] of them which processor, so that among equals the lowest index comes first.
    keys: Vec<u64>,
}

impl Spread {
    /// Puts tasks on the empty processors of `placement` in this order, each on the least loaded one. Returns how many
    /// it placed: all of them, or those before the first for which it is not clear where it goes or that it fits.
    pub(super) fn place(
        &mut self,
        packing: &Packing,
        order: &[TaskId],
        tasks: &[Task],
        placement: &mut TaskPlaces,
    ) -> usize {
        let bins = &mut placement.bins;
        if bins.is_empty() || bins.len() > PLACES as usize {
            return 0;
        }
        self.sums.clear();
        self.sums.resize(bins.len(), 0.0);
        self.keys.clear();
        self.keys.extend(0..bins.len() as u64);
        // No sum has more parts than there are tasks, and two are compared.
        let unclear = uncertainty(2 * tasks.len() + 2);
        let limit = quotient((packing.fit_bound.bound.numerator(), packing.fit_bound.bound.denominator()));
        for (placed, &task) in order.iter().enumerate() {
            let Some(bin) = self.least(unclear + HIDDEN) else { return placed };
            let sum = self.sums[bin] + quotient(packing.weight.of(&tasks[task.index()]));
            if limit - sum <= (sum + limit) * unclear {
                return placed;
            }
            self.sums[bin] = sum;
            bins[bin].push(task);
            self.raise_first(sum.to_bits() & !PLACES | bin as u64);
        }
        order.len()
    }

    /// Returns the least loaded processor, if that is clear.
    #[inline]
    fn least(&self, unclear: f64) -> Option<usize> {
        let value = |key: u64| f64::from_bits(key & !PLACES);
        let first = self.keys[0];
        let least = value(first);
        // A sum that is nearly nothing is nothing: the first of those is the least.
        let clear = self.keys.get(1).is_none_or(|&key| value(key) - least > (value(key) + least) * unclear);
        (clear || least == 0.0).then_some((first & PLACES) as usize)
    }

    /// Gives the first processor this key, which is no smaller, and restores the order. It uses no branch, because the
    /// new place cannot be predicted.
    #[inline]
    fn raise_first(&mut self, key: u64) {
        let mut before = 0;
        for index in 1..self.keys.len() {
            let next = self.keys[index];
            self.keys[index - 1] = before.max(key.min(next));
            before = next;
        }
        if let Some(last) = self.keys.last_mut() {
            *last = before.max(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fit, Overflow, Pin, PlacementOrder, PlacementWeight};
    use super::*;
    use crate::random::{Purpose, Random};
    use schedlab_model::{Duration, Work};

    /// Three kinds of sets: any, of which few decisions are unclear; small numbers, where loads are often equal and
    /// processors often full to the brim; and utilizations that differ by less than doubles can tell.
    fn tasks(kind: u64, random: &mut Random) -> Vec<Task> {
        let task = |random: &mut Random| {
            let (cost, period) = match kind {
                0 => (random.between(1, 1 << 30), 1 << 32),
                1 => (random.between(1, 4), random.between(4, 8)),
                _ => ((1 << 60) + random.below(3), 1 << 62),
            };
            let relative_deadline = random.between(period / 2, 2 * period);
            Task::constrained(
                Work::from_ns(cost),
                Duration::from_ns(period),
                Duration::from_ns(relative_deadline),
            )
        };
        (0..random.between(1, 30)).map(|_| task(random)).collect()
    }

    /// Where tasks are pinned to all processors, each decision is made exactly.
    #[test]
    fn is_worst_fit_decided_exactly() {
        let mut random = Random::stream(9, Purpose::Periods, 0);
        let (mut whole, mut broken_off, mut misfits) = (0, 0, 0);
        for case in 0..3_000 {
            let tasks = tasks(case % 3, &mut random);
            let weight = [PlacementWeight::Utilization, PlacementWeight::Density][random.below(2) as usize];
            let packing = Packing {
                weight,
                order: [PlacementOrder::Given, PlacementOrder::Decreasing(weight)][random.below(2) as usize],
                fit: Fit::Worst,
                overflow: [Overflow::Misfit, Overflow::LeastLoaded][random.below(2) as usize],
                ..Packing::default()
            };
            let processors = random.between(1, 9) as u16;
            let pins = vec![Pin::Free; tasks.len()];
            let exact = packing.place_pinned(&tasks, processors, &pins).unwrap();
            assert_eq!(packing.place(&tasks, processors).unwrap(), exact, "{packing:?} {tasks:?}");
            let order: Vec<TaskId> = (0..tasks.len() as u32).map(TaskId).collect();
            let mut placement =
                TaskPlaces { bins: vec![Vec::new(); processors.into()], ..TaskPlaces::default() };
            let placed = Spread::default().place(&packing, &order, &tasks, &mut placement);
            whole += u32::from(placed == tasks.len());
            broken_off += u32::from(placed < tasks.len());
            misfits += u32::from(!exact.fits());
        }
        assert!(whole > 700 && broken_off > 700 && misfits > 500, "{whole} {broken_off} {misfits}");
    }

    /// Six twelfths are a half, which doubles see as a little less: of equally loaded processors the first takes the
    /// last task.
    #[test]
    fn equality_that_rounding_hides_is_seen() {
        let task = |cost, period| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        assert!((0..6).fold(0.0, |sum, _| sum + quotient((1, 12))) < 0.5);
        let mut tasks = vec![task(1, 12); 8];
        tasks[0] = task(1, 2);
        let packing = Packing { fit: Fit::Worst, ..Packing::default() };
        assert_eq!(packing.place(&tasks, 2).unwrap().bins[0], [TaskId(0), TaskId(7)]);
    }

    #[test]
    fn keys_stay_in_order() {
        let mut random = Random::stream(8, Purpose::Periods, 0);
        for _ in 0..500 {
            let mut keys: Vec<u64> = (0..random.between(1, 9)).map(|_| random.below(20)).collect();
            keys.sort_unstable();
            let mut spread = Spread { sums: Vec::new(), keys: keys.clone() };
            keys[0] = random.between(keys[0], 21);
            spread.raise_first(keys[0]);
            keys.sort_unstable();
            assert_eq!(spread.keys, keys);
        }
    }
}
