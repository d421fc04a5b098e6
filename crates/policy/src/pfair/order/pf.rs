//! PF: S. Baruah, N. Cohen, C. G. Plaxton and D. Varvel, "Proportionate progress: a notion of fairness in resource
//! allocation", Algorithmica 15, 1996.
//!
//! By pseudo-deadline, then b-bit, 1 first; while both b-bits are 1, the successors are compared in the same
//! way. That ends within a pattern, whose last window overlaps nothing, so that a comparison takes at most as many
//! steps as a task has quanta in a period.
//!
//! PF breaks no rule of PD2 ([`super::PD2`]), which is optimal however the ties are broken that its rules leave, also
//! for subtasks that come late or not at all (A. Srinivasan and J. Anderson, STOC 2002): so PF is, too. Let the
//! pseudo-deadlines d be equal, both b-bits 1, and the first task's group deadline later. It is a heavy task then,
//! whose next windows have two slots, or three, all but those with a b-bit of 1 at the end of its cascade.
//!
//! * If the second task is heavy as well, their windows of two slots are equal until its cascade ends. Then either its
//!   b-bit is 0, where the first one's is 1; or its next window has three slots, where the first one's has two, and is
//!   due later. PF prefers the first.
//! * A light task's windows have three slots at least. While the first task's have three, too, their b-bits are 1, for
//!   a window of three slots of a heavy task begins and ends within slots of its ideal schedule. So PF prefers the
//!   first as soon as its next window has two slots, or the light one's more than three or a b-bit of 0; one of these
//!   comes.

use super::{deadline_and_bit, PfairOrder};
use crate::pfair::stream::Stream;
use core::cmp::Ordering;

/// Pseudo-deadline, b-bit, and so on for the successors.
pub const PF: PfairOrder =
    PfairOrder { name: "PF", key: deadline_and_bit, tie, packs: false, breaks_ties: true };

fn tie(a: &Stream, b: &Stream) -> Ordering {
    let (mut a, mut b) = (*a, *b);
    while a.window().overlaps {
        (a, b) = (a.successor(), b.successor());
        match deadline_and_bit(&a).cmp(&deadline_and_bit(&b)) {
            Ordering::Equal => {}
            unequal @ (Ordering::Less | Ordering::Greater) => return unequal,
        }
    }
    Ordering::Equal
}
