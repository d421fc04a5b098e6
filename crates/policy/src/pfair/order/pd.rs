//! PD: S. Baruah, J. Gehrke and C. G. Plaxton, "Fast scheduling of periodic tasks on multiple resources", IPPS 1995.
//!
//! By pseudo-deadline, then four tie-breaks: the two of PD2, of which PD is a refinement; the weight, heavier
//! first; and a bit of the group deadline, which is 1 if the cascade ends in a window of three slots, not at the
//! end of a pattern, 1 first. The last two never decide about a deadline, since PD2 is optimal without them. A
//! comparison takes O(1).

use super::{pd2, PfairOrder};
use crate::pfair::stream::Stream;
use core::cmp::Ordering;

/// Pseudo-deadline, b-bit, group deadline, weight, group deadline's bit.
pub const PD: PfairOrder = PfairOrder { name: "PD", key: pd2::key, tie, packs: false, breaks_ties: true };

fn tie(a: &Stream, b: &Stream) -> Ordering {
    let heavier = b.weight().compare(a.weight());
    heavier.then_with(|| group_bit(b).cmp(&group_bit(a)))
}

/// True if the cascade does not end where the windows of the task begin to repeat.
fn group_bit(stream: &Stream) -> bool {
    let window = stream.window();
    window.group_deadline != 0 && !stream.repeats_at(window.group_deadline)
}
