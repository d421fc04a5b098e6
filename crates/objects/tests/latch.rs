//! The number of times that a thread at a latch has to be woken.

use schedlab_objects::Latch;
use std::cell::Cell;

/// Counts what it is called for.
#[derive(Default)]
struct Wakes(Cell<u32>);

impl Wakes {
    fn one(&self) {
        self.0.set(self.0.get() + 1);
    }

    fn since(&self) -> u32 {
        self.0.take()
    }
}

#[test]
fn a_thread_that_was_woken_early_is_not_woken_again() {
    let (latch, wakes) = (Latch::shut(), Wakes::default());
    latch.sleep(|_, _| {
        assert!(latch.is_asleep());
        latch.wake_early(|_| wakes.one());
        assert_eq!((wakes.since(), latch.word(), latch.is_asleep()), (1, 0, false), "woken, and shut");
        latch.wake_early(|_| wakes.one());
        assert_eq!(latch.set(7, |_| wakes.one()), 0);
        assert_eq!((wakes.since(), latch.word()), (0, 7), "it is on its way");
    });
}

#[test]
fn a_thread_that_was_woken_too_early_is_woken_once_more() {
    let (latch, wakes) = (Latch::shut(), Wakes::default());
    latch.sleep(|_, _| latch.wake_early(|_| wakes.one()));
    assert_eq!((wakes.since(), latch.word()), (1, 0));
    latch.sleep(|word, value| {
        assert_eq!(word.load(std::sync::atomic::Ordering::SeqCst), value, "it would not sleep else");
        assert!(latch.is_asleep());
        latch.set(7, |_| wakes.one());
        assert_eq!(wakes.since(), 1);
    });
}

/// A thread that is awake is not woken, whether the latch opens or shuts.
#[test]
fn a_thread_that_is_awake_is_left_alone() {
    let (latch, wakes) = (Latch::shut(), Wakes::default());
    latch.wake_early(|_| wakes.one());
    latch.set(7, |_| wakes.one());
    assert_eq!(latch.set(8, |_| wakes.one()), 7);
    assert_eq!(latch.set(0, |_| wakes.one()), 8);
    latch.set(7, |_| wakes.one());
    latch.sleep(|_, _| {
        latch.set(0, |_| wakes.one());
        latch.set(0, |_| wakes.one());
    });
    latch.set(7, |_| wakes.one());
    assert_eq!(wakes.since(), 0);
}
