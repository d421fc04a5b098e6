//! BACKTEST, figure 11 of litmus-rt-2006: the difference of two elements of an array at random places, again and again.
//!
//! ```text
//! M1 := RAND() mod size;   M2 := size - M1 - 1;   T := T + (iArray[M1] - iArray[M2])
//! ```

use super::Code;
use std::hint::black_box;

/// The state of the function, of which a round is one iteration.
pub(super) struct Backtest {
    array: Vec<i32>,
    random: u32,
    sum: i32,
}

impl Backtest {
    /// The function on an array of `bytes` bytes, at least two integers. Each `seed` looks at other places.
    pub(super) fn new(bytes: usize, seed: u32) -> Self {
        let size = (bytes / size_of::<i32>()).max(2);
        Backtest { array: (0..size as i32).map(|index| index * index % 1009).collect(), random: seed, sum: 0 }
    }

    /// A random number as the libraries' RAND of that time made it: a linear congruence, whose upper bits are the
    /// better ones.
    fn random(&mut self) -> usize {
        self.random = self.random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        (self.random >> 1) as usize
    }
}

impl Code for Backtest {
    fn run(&mut self, rounds: u64) {
        let size = self.array.len();
        for _ in 0..rounds {
            let here = self.random() % size;
            let there = size - here - 1;
            self.sum = self.sum.wrapping_add(self.array[here].wrapping_sub(self.array[there]));
        }
        black_box(self.sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterations by hand: places drawn from seed 1, and the difference of the elements at both ends.
    #[test]
    fn iterations_by_hand() {
        let mut test = Backtest::new(16, 1);
        assert_eq!(test.array, [0, 1, 4, 9]);
        // 1103527590 / 2 = 551763795, which is 3 modulo 4; then 2524885223 / 2 = 1262442611: 3 again.
        test.run(1);
        assert_eq!(test.sum, 9);
        test.run(1);
        assert_eq!((test.random, test.sum), (2_524_885_223, 18));
    }

    /// In any row of places all of the array is used.
    #[test]
    fn places_are_all_over_the_array() {
        let mut test = Backtest::new(16 << 10, 7);
        let mut seen = vec![false; test.array.len()];
        for _ in 0..100_000 {
            let index = test.random() % test.array.len();
            seen[index] = true;
        }
        assert!(seen.iter().all(|seen| *seen), "{}", seen.iter().filter(|seen| !**seen).count());
    }
}
