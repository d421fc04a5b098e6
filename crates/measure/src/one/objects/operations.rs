//! Which operations are measured, and how long each takes.

use crate::costs::calls::clock;
use crate::values::samples::Samples;
use schedlab_objects::Request;
use schedlab_runtime::sys;
use std::hint::black_box;

/// Words of the buffer, and the most values of the queue and of the heap, as in the paper; it states none for the
/// queue.
pub(super) const WORDS: usize = 10;
pub(super) const VALUES: usize = 1_000;

/// What a task does with a queue or heap, in order.
pub(super) struct Operations(Vec<Request>);

impl Operations {
    /// The same ones each time.
    pub(super) fn draw(count: usize) -> Self {
        let mut chance = Chance(1);
        Operations((0..count).map(|_| chance.request()).collect())
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The time of each.
    pub(super) fn time(&self, each: impl FnMut(Request)) -> Samples {
        time(self.0.iter().copied(), each)
    }
}

/// What the task does next: of five operations three put, or write; then a value.
struct Chance(u64);

impl Chance {
    /// Numbers of S. Vigna, *An experimental exploration of Marsaglia's xorshift generators*, 2016: xorshift64*.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn request(&mut self) -> Request {
        if (self.next() >> 32) % 5 < 3 {
            Request::Put(self.next())
        } else {
            Request::Take
        }
    }
}

/// The time of each operation on what is given. What it reads is read before, and where times are noted has been
/// touched: an operation with an atomic exchange waits until the note before it is in the cache.
pub(super) fn time<T>(given: impl ExactSizeIterator<Item = T>, mut each: impl FnMut(T)) -> Samples {
    let clock = clock();
    let mut noted = black_box(vec![u64::MAX; given.len()]);
    for (one, ns) in given.zip(&mut noted) {
        let one = black_box(one);
        let start = sys::monotonic_ns();
        each(one);
        *ns = (sys::monotonic_ns() - start).saturating_sub(clock);
    }
    noted.into()
}

/// Writes and reads in turns: whether it writes.
pub(super) fn turns(count: usize) -> impl ExactSizeIterator<Item = bool> {
    (0..count).map(|at| at % 2 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_gets_its_own_input_in_order_and_is_noted() {
        let mut seen = Vec::new();
        let samples = time(turns(5), |writes| seen.push(writes));
        assert_eq!((seen, samples.values().len()), (vec![true, false, true, false, true], 5));
        // What is noted before anything is measured is no time.
        assert!(samples.values().iter().all(|ns| *ns < u64::MAX));
    }

    /// 60% of the requests put, but for chance: four standard deviations of 10,000.
    #[test]
    fn three_in_five_requests_put() {
        let mut chance = Chance(1);
        let puts = (0..10_000).filter(|_| matches!(chance.request(), Request::Put(_))).count();
        assert!(puts.abs_diff(6_000) < 200, "{puts}");
    }
}
