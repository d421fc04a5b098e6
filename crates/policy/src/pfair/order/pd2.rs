//! PD2: J. Anderson and A. Srinivasan, "Mixed Pfair/ERfair scheduling of asynchronous periodic tasks", Journal of
//! Computer and System Sciences 68, 2004.
//!
//! By pseudo-deadline; then b-bit, 1 first; then group deadline, later first. The group deadline is compared
//! also when both b-bits are 0, where the literature leaves the order open. Light tasks have none and go last. A
//! comparison takes O(1).

use super::{deadline_and_bit, PfairOrder};
use crate::pfair::stream::Stream;
use core::cmp::Ordering;

/// Pseudo-deadline, b-bit, group deadline.
pub const PD2: PfairOrder =
    PfairOrder { name: "PD2", key, tie: |_, _| Ordering::Equal, packs: true, breaks_ties: true };

/// Above every [`gap`]: a cascade is at most 2^40 slots long, see
/// [`Weight::MAX_SLOTS`](crate::pfair::Weight::MAX_SLOTS).
const MAX_GAP: u64 = (1 << 41) - 1;

/// Returns how many slots after this subtask's pseudo-deadline a cascade ends that starts with it, plus 1; 0 for a
/// light task.
///
/// Orders as group deadlines do, where pseudo-deadlines are equal.
#[inline]
fn gap(stream: &Stream) -> u64 {
    let window = stream.window();
    if window.group_deadline == 0 {
        0
    } else {
        window.group_deadline - window.deadline + 1
    }
}

/// Packs the key of PD2 without loss, whatever the weight and the slot.
#[inline]
pub(super) fn key(stream: &Stream) -> u128 {
    deadline_and_bit(stream) | u128::from(MAX_GAP - gap(stream))
}

/// Bits of the pseudo-deadline in a packed priority: 2^40 slots are 34 years of 1 ms.
pub(super) const PACKED_DEADLINE_BITS: u32 = 40;
/// Bits of the distance of group deadline and pseudo-deadline in a packed priority.
pub(super) const PACKED_GAP_BITS: u32 = 21;

/// The PD2 priority of the next subtask in 62 bits, smaller first: a point of
/// [`Priority`](schedlab_model::Priority), or a key for a queue in a kernel.
///
/// Equal points are equal PD2 priorities. `None` where packing would lose something: a pseudo-deadline of 2^40
/// slots or more after `origin` (or before it), or a cascade of 2^21 - 2 slots or more, which only weights above
/// 1 - 2^-20 have (weight 1 has none).
pub fn pack(stream: &Stream, origin: u64) -> Option<u64> {
    let window = stream.window();
    let deadline = window.deadline.checked_sub(origin)?;
    let last = (1 << PACKED_GAP_BITS) - 1;
    let gap = gap(stream);
    if deadline >> PACKED_DEADLINE_BITS != 0 || gap > last {
        return None;
    }
    let upper = deadline << 1 | u64::from(!window.overlaps);
    Some(upper << PACKED_GAP_BITS | (last - gap))
}
