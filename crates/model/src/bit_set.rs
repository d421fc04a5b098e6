//! A set of small numbers, such as processors or clusters that have something to do.

use alloc::vec::Vec;

/// Number of bits that lie in the set itself.
const LOW: usize = 63;
/// Bit of the first word that is set if larger numbers are in the set.
const OTHERS: u64 = 1 << LOW;

/// Numbers below a bound, a bit for each. Most sets fit into the first word, which lies in the set itself. It is zero
/// only if the set is empty.
#[derive(Clone, Debug, Default)]
pub struct BitSet {
    low: u64,
    /// Words for numbers from 63 on, and the count of these numbers.
    high: Vec<u64>,
    in_high: usize,
}

impl BitSet {
    /// An empty set of numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        let mut set = BitSet::default();
        set.renew(bound);
        set
    }

    /// Empties the set, and sets its bound.
    pub fn renew(&mut self, bound: usize) {
        (self.low, self.in_high) = (0, 0);
        self.high.clear();
        self.high.resize(bound.saturating_sub(LOW).div_ceil(64), 0);
    }

    /// True if the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0
    }

    /// Adds `number`, if it is not there.
    #[inline]
    pub fn insert(&mut self, number: usize) {
        if number < LOW {
            self.low |= 1 << number;
        } else {
            self.insert_high(number - LOW);
        }
    }

    #[cold]
    fn insert_high(&mut self, number: usize) {
        let word = &mut self.high[number / 64];
        let before = *word;
        *word |= 1 << (number % 64);
        self.in_high += usize::from(*word != before);
        self.low |= OTHERS;
    }

    /// True if `number` is in the set.
    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        if number < LOW {
            return self.low >> number & 1 != 0;
        }
        let number = number - LOW;
        self.high.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// The smallest number in the set.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        if self.low == 0 {
            return None;
        }
        match self.low.trailing_zeros() as usize {
            LOW => self.first_high(),
            first => Some(first),
        }
    }

    #[cold]
    fn first_high(&self) -> Option<usize> {
        let index = self.high.iter().position(|word| *word != 0)?;
        Some(LOW + 64 * index + self.high[index].trailing_zeros() as usize)
    }

    /// Removes `number`, if it is there.
    #[inline]
    pub fn remove(&mut self, number: usize) {
        if number < LOW {
            self.low &= !(1 << number);
        } else {
            self.remove_high(number - LOW);
        }
    }

    #[cold]
    fn remove_high(&mut self, number: usize) {
        let word = &mut self.high[number / 64];
        let before = *word;
        *word &= !(1 << (number % 64));
        self.in_high -= usize::from(*word != before);
        if self.in_high == 0 {
            self.low &= !OTHERS;
        }
    }

    /// Removes and returns the smallest number.
    #[inline]
    pub fn take_first(&mut self) -> Option<usize> {
        if self.low == 0 {
            return None;
        }
        let first = self.low.trailing_zeros() as usize;
        if first == LOW {
            return self.take_first_high();
        }
        self.low &= self.low - 1;
        Some(first)
    }

    #[cold]
    fn take_first_high(&mut self) -> Option<usize> {
        let first = self.first_high()?;
        self.remove_high(first - LOW);
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_each_number_once_and_by_size() {
        let mut set = BitSet::new(300);
        assert!(set.is_empty());
        for number in [299, 3, 64, 63, 62, 128, 64, 3, 0] {
            set.insert(number);
        }
        set.remove(3);
        set.remove(70);
        set.remove(128);
        let contained: Vec<usize> = (0..400).filter(|number| set.contains(*number)).collect();
        assert_eq!(contained, [0, 62, 63, 64, 299]);
        let taken: Vec<usize> = core::iter::from_fn(|| set.take_first()).collect();
        assert_eq!(taken, [0, 62, 63, 64, 299]);
        assert!(set.is_empty());
    }
}
