//! Windows of subtasks: where each quantum of a task has to lie.
//!
//! A task of weight w is a sequence of subtasks of one quantum, numbered from 1. Keeping every lag in (-1, 1)
//! means to run subtask i in the slots of its window (J. Anderson and A. Srinivasan, "Mixed Pfair/ERfair
//! scheduling of asynchronous periodic tasks", Journal of Computer and System Sciences 68, 2004):
//!
//! ```text
//! pseudo-release   r = floor((i-1)/w)        b-bit  b = ceil(i/w) - floor(i/w)
//! pseudo-deadline  d = ceil(i/w)             group deadline  D = ceil(ceil(d(1-w)) / (1-w))
//! ```
//!
//! The b-bit says that the window overlaps its successor's. The group deadline of a heavy task (w >= 1/2) is
//! when a cascade of forced allocations ends: the first time t >= d with t = d_j and b_j = 0, or t+1 = d_j of a
//! window of three slots. It is 0 for a light task. All of it repeats: a pattern of e subtasks in p slots.

use crate::setup::Weight;

/// The window of one subtask, in slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first slot of the window.
    pub release: u64,
    /// The slot after the last one of the window.
    pub deadline: u64,
    /// True if the successor's window begins before this one ends.
    pub overlaps: bool,
    /// Latest end of a cascade that starts with this subtask, in slots; 0 for a light task.
    pub group_deadline: u64,
}

impl Window {
    /// Returns this window delayed by `slots`, as a whole; the group deadline of a light task stays 0.
    #[inline]
    pub const fn delayed(self, slots: u64) -> Window {
        let group_deadline = if self.group_deadline == 0 { 0 } else { self.group_deadline + slots };
        Window {
            release: self.release + slots,
            deadline: self.deadline + slots,
            overlaps: self.overlaps,
            group_deadline,
        }
    }
}

impl Weight {
    /// The window of subtask `index` (from 1) of a task that starts at slot 0 and is never delayed.
    ///
    /// `None` for index 0 and beyond slot 2^63.
    pub fn window(self, index: u64) -> Option<Window> {
        let before = index.checked_sub(1)?;
        let start = (before / self.quanta()).checked_mul(self.slots())?;
        if start > (1 << 63) - self.slots() {
            return None;
        }
        Some(self.window_in_pattern(before % self.quanta() + 1).delayed(start))
    }

    /// The window of subtask `nth` of a pattern that starts at slot 0; 1 <= nth <= quanta.
    #[inline]
    pub(super) fn window_in_pattern(self, nth: u64) -> Window {
        assert!(0 < nth && nth <= self.quanta());
        let (e, p) = (self.quanta(), self.slots());
        let (deadline, floor) = (div_ceil(nth, p, e), div_floor(nth, p, e));
        let group_deadline = match p - e {
            _ if !self.is_heavy() => 0,
            // A task that always runs has windows of one slot, none of which overlaps.
            0 => deadline,
            rest => div_ceil(div_ceil(deadline, rest, p), p, rest),
        };
        Window { release: div_floor(nth - 1, p, e), deadline, overlaps: deadline != floor, group_deadline }
    }
}

/// floor(a b / c), where a <= c, exactly.
#[inline]
fn div_floor(a: u64, b: u64, c: u64) -> u64 {
    match a.checked_mul(b) {
        Some(product) => product / c,
        None => (u128::from(a) * u128::from(b) / u128::from(c)) as u64,
    }
}

/// ceil(a b / c), where a <= c, exactly.
#[inline]
fn div_ceil(a: u64, b: u64, c: u64) -> u64 {
    match a.checked_mul(b) {
        Some(product) => product.div_ceil(c),
        None => (u128::from(a) * u128::from(b)).div_ceil(u128::from(c)) as u64,
    }
}
