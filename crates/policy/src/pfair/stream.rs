//! A task as a sequence of subtasks, with delays.
//!
//! Pfair tasks release subtasks at their pseudo-releases. Early-release tasks (ERfair) release them as soon as
//! the one before has run, within their pattern. Intra-sporadic tasks (IS) delay subtasks, and with them all
//! later ones; generalized intra-sporadic tasks (GIS) omit some as well. Deadlines follow the windows always
//! (A. Srinivasan and J. Anderson, "Optimal rate-based scheduling on multiprocessors", STOC 2002).

use super::window::Window;
use crate::setup::Weight;

/// Position of a task in its sequence: its next subtask and when that may run.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    weight: Weight,
    early_release: bool,
    /// The slot at which the current pattern starts, delays included.
    pattern: u64,
    /// Number of the next subtask within its pattern, from 1.
    nth: u64,
    window: Window,
    /// Window of the subtask that was charged last.
    charged: Window,
    /// The slot after the last one in which the task ran, or the one at which it was resumed if that is later.
    not_before: u64,
}

impl Stream {
    /// A task of `weight` whose first pattern starts at slot `start`.
    pub fn new(weight: Weight, early_release: bool, start: u64) -> Self {
        let window = weight.window_in_pattern(1).delayed(start);
        Stream { weight, early_release, pattern: start, nth: 1, window, charged: window, not_before: 0 }
    }

    /// The weight.
    pub fn weight(&self) -> Weight {
        self.weight
    }

    /// The window of the next subtask.
    #[inline]
    pub fn window(&self) -> Window {
        self.window
    }

    /// The first slot in which the next subtask may run.
    #[inline]
    pub fn eligible(&self) -> u64 {
        let released = if self.early_release { self.pattern } else { self.window.release };
        released.max(self.not_before)
    }

    /// The window of the subtask that has just run, before anything was delayed or restarted.
    pub fn window_before(&self) -> Window {
        match self.nth {
            1 => {
                let pattern = self.pattern.saturating_sub(self.weight.slots());
                self.weight.window_in_pattern(self.weight.quanta()).delayed(pattern)
            }
            nth => self.weight.window_in_pattern(nth - 1).delayed(self.pattern),
        }
    }

    /// Number of the next subtask within its pattern, from 1.
    #[inline]
    pub fn nth(&self) -> u64 {
        self.nth
    }

    /// The first slot at which a new pattern may start: the end of the pattern of the last subtask that ran or was
    /// charged.
    #[inline]
    pub fn next_pattern(&self) -> u64 {
        if self.nth == 1 {
            self.pattern
        } else {
            self.pattern + self.weight.slots()
        }
    }

    /// The window of the subtask that has run, or was charged, last.
    #[inline]
    pub(crate) fn charged(&self) -> Window {
        self.charged
    }

    /// Charges the next subtask for `slot`, in which it has run, and goes on to the one after it.
    #[inline]
    pub fn advance(&mut self, slot: u64) {
        self.charged = self.window;
        self.step();
        self.not_before = slot + 1;
    }

    /// Delays the release of the next subtask, and with it of all later ones, to `slot` or later (IS).
    pub fn delay_until(&mut self, slot: u64) {
        let late = slot.saturating_sub(self.window.release);
        self.pattern += late;
        self.window = self.window.delayed(late);
        self.not_before = self.not_before.max(slot);
    }

    /// Starts a new pattern at `start`; the rest of the current one is left out.
    ///
    /// Panics if that is before [`Self::next_pattern`]: the task would receive more than its weight.
    pub fn restart(&mut self, start: u64) {
        assert!(start >= self.next_pattern(), "a pattern starts after the one before it");
        let (not_before, charged) = (self.not_before, self.charged);
        *self = Stream { not_before, charged, ..Stream::new(self.weight, self.early_release, start) };
    }

    #[inline]
    fn step(&mut self) {
        if self.nth == self.weight.quanta() {
            self.pattern += self.weight.slots();
            self.nth = 0;
        }
        self.nth += 1;
        self.window = self.weight.window_in_pattern(self.nth).delayed(self.pattern);
    }

    /// True if the windows from `slot` on are those of a task that starts there.
    pub(super) fn repeats_at(&self, slot: u64) -> bool {
        (u128::from(slot - self.pattern) * u128::from(self.weight.quanta())) % u128::from(self.weight.slots())
            == 0
    }

    /// Returns the subtask after the next one, as if it were never delayed, for the comparisons of PF.
    pub(super) fn successor(&self) -> Stream {
        let mut after = *self;
        after.step();
        after
    }
}
