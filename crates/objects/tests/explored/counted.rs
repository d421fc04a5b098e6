//! Words of `crate::inner`, with a count of each task's accesses, and tasks that die before one of them.

use core::sync::atomic::Ordering;
use std::cell::Cell;

use crate::inner::{thread_local, Inner};

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// A word whose accesses are counted.
#[derive(Debug)]
pub(crate) struct Word(Inner);

fn step() {
    STEPS.with(|steps| steps.set(steps.get() + 1));
    LEFT.with(|left| {
        assert!(left.get() > 0, "the task dies here");
        left.set(left.get() - 1);
    });
}

/// Runs `work` in the calling thread, unless it dies after this many accesses: then it does nothing any more.
#[allow(dead_code, reason = "not every test has tasks that die")]
pub(crate) fn dying_after<R>(accesses: usize, work: impl FnOnce() -> R) -> Option<R> {
    LEFT.with(|left| left.set(accesses));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    LEFT.with(|left| left.set(usize::MAX));
    result.ok()
}

/// The accesses of the calling thread since it asked last.
#[allow(dead_code, reason = "not every test counts")]
pub(crate) fn steps() -> usize {
    STEPS.with(|steps| steps.replace(0))
}

#[allow(dead_code, reason = "not every test makes words")]
impl Word {
    pub fn new(value: u64) -> Self {
        Word(Inner::new(value))
    }

    pub fn load(&self, ordering: Ordering) -> u64 {
        step();
        self.0.load(ordering)
    }

    pub fn store(&self, value: u64, ordering: Ordering) {
        step();
        self.0.store(value, ordering);
    }

    pub fn swap(&self, value: u64, ordering: Ordering) -> u64 {
        step();
        self.0.swap(value, ordering)
    }

    pub fn fetch_add(&self, value: u64, ordering: Ordering) -> u64 {
        step();
        self.0.fetch_add(value, ordering)
    }

    pub fn fetch_sub(&self, value: u64, ordering: Ordering) -> u64 {
        step();
        self.0.fetch_sub(value, ordering)
    }

    pub fn compare_exchange(&self, from: u64, to: u64, yes: Ordering, no: Ordering) -> Result<u64, u64> {
        step();
        self.0.compare_exchange(from, to, yes, no)
    }
}
