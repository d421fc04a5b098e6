//! PF: S. Baruah, N. Cohen, C. G. Plaxton and D. Varvel, "Proportionate progress: a notion of fairness in resource
//! allocation", Algorithmica 15, 1996.
//!
//! By pseudo-deadline, then b-bit, 1 first; while both b-bits are 1, the successors are compared in the same
//! way. That ends within a block, whose last window overlaps nothing.

use super::{deadline_and_bit, PfairOrder};
use crate::pfair::stream::Stream;
use core::cmp::Ordering;

/// Pseudo-deadline, b-bit, and so on for the successors.
pub const PF: PfairOrder = PfairOrder { name: "PF", key: deadline_and_bit, tie };

fn tie(a: &Stream, b: &Stream) -> Ordering {
    let (mut a, mut b) = (*a, *b);
    while a.window().overlaps {
        (a, b) = (a.successor(), b.successor());
        match deadline_and_bit(&a).cmp(&deadline_and_bit(&b)) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    Ordering::Equal
}
