//! Operations that are measured, and their times.

use crate::costs::calls::clock;
use crate::values::samples::Samples;
use schedlab_objects::Request;
use schedlab_runtime::sys;
use schedlab_workload::Random;
use std::hint::black_box;

/// Words of the buffer, and the most values of the queue and of the heap, as in the paper, which states none for the
/// queue.
pub(super) const WORDS: usize = 10;
pub(super) const VALUES: usize = 1_000;

/// Operations of a task on a queue or heap, in order.
pub(super) struct Operations(Vec<Request>);

impl Operations {
    /// Draws `count` operations, the same ones each time.
    pub(super) fn draw(count: usize) -> Self {
        let mut random = Random::new(1, *b"Requests", 0);
        Operations((0..count).map(|_| request(&mut random)).collect())
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Measures the time of each operation.
    pub(super) fn time(&self, each: impl FnMut(Request)) -> Samples {
        time(self.0.iter().copied(), each)
    }
}

/// Draws the task's next operation: of five operations three put, or write; then a value.
fn request(random: &mut Random) -> Request {
    if random.below(5) < 3 {
        Request::Put(random.bits())
    } else {
        Request::Take
    }
}

/// Measures the time of each operation on the given items. The items are read before, and the memory for the times has
/// been touched: an operation with an atomic exchange waits until the note before it is in the cache.
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

/// Returns alternating writes and reads: true for a write.
pub(super) fn turns(count: usize) -> impl ExactSizeIterator<Item = bool> {
    (0..count).map(|turn| turn % 2 == 0)
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
        let requests = Operations::draw(10_000).0;
        let puts = requests.iter().filter(|request| matches!(request, Request::Put(_))).count();
        assert!(puts.abs_diff(6_000) < 200, "{puts}");
    }
}
