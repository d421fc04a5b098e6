//! A set of small numbers: processors or clusters that have something to do.

/// Numbers below a bound, a bit for each.
#[derive(Clone, Debug)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// An empty set of numbers below `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        BitSet { words: vec![0; bound.div_ceil(64)] }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: usize) {
        self.words[number / 64] |= 1 << (number % 64);
    }

    /// The smallest.
    #[inline]
    pub(crate) fn first(&self) -> Option<usize> {
        let at = self.words.iter().position(|word| *word != 0)?;
        Some(64 * at + self.words[at].trailing_zeros() as usize)
    }

    #[inline]
    pub(crate) fn remove(&mut self, number: usize) {
        self.words[number / 64] &= !(1 << (number % 64));
    }
}
