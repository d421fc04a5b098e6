//! The loads of all processors, and which is the least.

use crate::load::{unclear, Load};
use core::ops::Index;

/// The load of each processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Loads {
    loads: Vec<Load>,
    /// About each load, as bits (the larger number has the larger bits), its place in the last [`PLACE`] of them.
    keys: Vec<u64>,
    /// No load has more parts than this.
    terms: usize,
}

/// Bits of a key that hold a place; what they hide is far below what the comparison calls unclear.
const PLACE: u32 = 10;
const PLACES: u64 = (1 << PLACE) - 1;

/// Keys are a part of this off, besides what the load itself is.
const HIDDEN: f64 = 1.0 / (1u64 << (51 - PLACE)) as f64;

impl Loads {
    /// That of nothing, on so many processors.
    pub(super) fn none(processors: usize) -> Self {
        let mut loads = Loads::default();
        loads.clear(processors);
        loads
    }

    /// Empties all of so many processors.
    pub(super) fn clear(&mut self, processors: usize) {
        self.loads.resize_with(processors, Load::default);
        self.loads.iter_mut().for_each(Load::clear);
        self.keys.clear();
        self.keys.extend((0..processors as u64).map(|at| at & PLACES));
        self.terms = 0;
    }

    /// How many processors there are.
    pub(super) fn len(&self) -> usize {
        self.loads.len()
    }

    /// Adds a weight to the load of one.
    #[inline]
    pub(super) fn add(&mut self, at: usize, weight: (u64, u64)) {
        self.loads[at].add(weight.0, weight.1);
        self.terms = self.terms.max(self.loads[at].terms());
        self.keys[at] = self.loads[at].nearly().to_bits() & !PLACES | at as u64 & PLACES;
    }

    /// Puts another load in the place of one.
    pub(super) fn replace(&mut self, at: usize, load: Load) {
        self.loads[at] = load;
        self.add(at, (0, 1));
    }

    /// The least loaded of `candidates`, among equals the first.
    pub(super) fn least(&self, candidates: &[usize]) -> Option<usize> {
        let exactly = || candidates.iter().copied().reduce(|least, at| self.lighter(least, at));
        self.clearly_least(candidates).or_else(exactly)
    }

    /// The less loaded of two, among equals the first.
    pub(super) fn lighter(&self, first: usize, second: usize) -> usize {
        match self.loads[second].compare(&self.loads[first]).is_lt() {
            true => second,
            false => first,
        }
    }

    /// The least loaded of all, if floating point can tell. The candidates are known to be all if they are as many.
    #[inline]
    fn clearly_least(&self, candidates: &[usize]) -> Option<usize> {
        if candidates.len() != self.keys.len() || self.keys.len() > PLACES as usize || self.keys.is_empty() {
            return None;
        }
        let (mut least, mut second) = (u64::MAX, u64::MAX);
        for &key in &self.keys {
            second = second.min(key.max(least));
            least = least.min(key);
        }
        let value = |key: u64| f64::from_bits(key & !PLACES);
        let at = (least & PLACES) as usize;
        // A sum that is nearly nothing is nothing: the first of those is the least, as is the only processor.
        if self.keys.len() == 1 || value(least) == 0.0 {
            return Some(at);
        }
        let (a, b) = (value(least), value(second));
        (b - a > unclear(a, b, 2 * self.terms) + (a + b) * HIDDEN).then_some(at)
    }
}

impl Index<usize> for Loads {
    type Output = Load;

    #[inline]
    fn index(&self, at: usize) -> &Load {
        &self.loads[at]
    }
}
