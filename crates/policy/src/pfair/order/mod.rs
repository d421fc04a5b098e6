//! Which of two subtasks goes first? Each file is an answer; all are optimal, EPDF on at most two processors.
//!
//! An order maps a subtask to a key, smaller first, and may look closer where keys are equal. What is still tied
//! goes by task index.

mod epdf;
mod pd;
mod pd2;
mod pf;

pub use epdf::EPDF;
pub use pd::PD;
pub use pd2::{pack, PD2};
pub use pf::PF;

use super::stream::Stream;
use core::cmp::Ordering;

/// An order of subtasks.
#[derive(Clone, Copy, Debug)]
pub struct PfairOrder {
    /// Name of the order in schedulers' names.
    pub name: &'static str,
    /// Key of a task's next subtask: a smaller key goes first.
    pub key: fn(&Stream) -> u128,
    /// Order of two subtasks with equal keys; `Less` if the first goes first.
    pub tie: fn(&Stream, &Stream) -> Ordering,
    /// True if [`pack`] holds all that the order goes by.
    pub packs: bool,
    /// True if the order is optimal on any number of processors; else it is on at most two.
    pub breaks_ties: bool,
}

impl PfairOrder {
    /// `Less` if the next subtask of `a` goes before that of `b`; `Equal` where their task indices decide.
    pub fn compare(&self, a: &Stream, b: &Stream) -> Ordering {
        (self.key)(a).cmp(&(self.key)(b)).then_with(|| (self.tie)(a, b))
    }
}

/// Pseudo-deadline, then b-bit (1 first), as the upper 65 bits of a key.
fn deadline_and_bit(stream: &Stream) -> u128 {
    let window = stream.window();
    u128::from(window.deadline) << 64 | u128::from(!window.overlaps) << 63
}
