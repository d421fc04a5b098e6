//! Walks through a working set, a line at a time, again and again.

use super::Code;
use std::hint::black_box;

/// Number of words in a line of the caches.
const LINE: usize = 8;

/// A walk through memory, of which a round is one line.
pub(super) struct Walk {
    words: Vec<u64>,
    writes: bool,
    next: usize,
}

impl Walk {
    /// A walk through `bytes` bytes, whole lines and at least one, writing or reading.
    pub(super) fn new(bytes: usize, writes: bool) -> Self {
        // Not zero: pages of zeros are not there before they are written.
        Walk { words: vec![1; bytes.div_ceil(8 * LINE).max(1) * LINE], writes, next: 0 }
    }
}

impl Code for Walk {
    fn run(&mut self, mut rounds: u64) {
        let lines = self.words.len() / LINE;
        while rounds > 0 {
            let many = rounds.min((lines - self.next) as u64) as usize;
            let part = &mut self.words[LINE * self.next..LINE * (self.next + many)];
            if self.writes {
                part.iter_mut().step_by(LINE).for_each(|word| *word = word.wrapping_add(1));
                black_box(part);
            } else {
                black_box(part.iter().step_by(LINE).fold(0u64, |sum, word| sum.wrapping_add(*word)));
            }
            self.next = (self.next + many) % lines;
            rounds -= many as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three lines of 192 bytes, and where a walk of five rounds has been.
    #[test]
    fn a_walk_goes_round_line_by_line() {
        let mut walk = Walk::new(129, true);
        assert_eq!(walk.words.len(), 24);
        walk.run(2);
        walk.run(3);
        let firsts: Vec<u64> = walk.words.iter().step_by(LINE).copied().collect();
        assert_eq!((firsts, walk.next), (vec![3, 3, 2], 2));
        assert!(walk.words.iter().enumerate().all(|(index, word)| index % LINE == 0 || *word == 1));
        let mut reads = Walk::new(129, false);
        reads.run(1_000_001);
        assert_eq!((reads.next, reads.words.iter().sum::<u64>()), (2, 24));
    }
}
