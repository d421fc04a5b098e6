//! The loads of all processors, and which is the least.

use crate::load::Load;
use core::ops::Index;

/// The load of each processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Loads {
    loads: Vec<Load>,
}

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
    }

    /// How many processors there are.
    pub(super) fn len(&self) -> usize {
        self.loads.len()
    }

    /// Adds a weight to the load of one.
    #[inline]
    pub(super) fn add(&mut self, at: usize, weight: (u64, u64)) {
        self.loads[at].add(weight.0, weight.1);
    }

    /// Puts another load in the place of one.
    pub(super) fn replace(&mut self, at: usize, load: Load) {
        self.loads[at] = load;
    }

    /// The least loaded of `candidates`, among equals the first.
    pub(super) fn least(&self, candidates: &[usize]) -> Option<usize> {
        candidates.iter().copied().reduce(|least, at| self.lighter(least, at))
    }

    /// The less loaded of two, among equals the first.
    pub(super) fn lighter(&self, first: usize, second: usize) -> usize {
        match self.loads[second].compare(&self.loads[first]).is_lt() {
            true => second,
            false => first,
        }
    }
}

impl Index<usize> for Loads {
    type Output = Load;

    #[inline]
    fn index(&self, at: usize) -> &Load {
        &self.loads[at]
    }
}
