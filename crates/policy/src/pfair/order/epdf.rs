//! EPDF, the earliest pseudo-deadline first: J. Anderson and A. Srinivasan, "Pfair scheduling: beyond periodic task
//! systems", RTCSA 2000.
//!
//! By pseudo-deadline alone, without a tie-break of its own. On one or two processors no tie-break is needed for
//! optimality (J. Anderson and A. Srinivasan, Journal of Computer and System Sciences 68, 2004), also where subtasks
//! come late (RTCSA 2000). On more than two processors EPDF is not optimal, and jobs may be late. A comparison takes
//! O(1).
//!
//! Weights of 1/2 for A, B and C and of 3/4 for D and E on three processors, by hand from the rule. All
//! pseudo-deadlines of the first slot are equal. EPDF takes A, B and C, so that only D and E may execute in the next
//! slot, and a processor idles. PD2 prefers D and E, whose windows overlap the next ones. Processors by slots, and who
//! misses a pseudo-deadline of 4:
//!
//! ```text
//! EPDF  ABC, DE, ADE, BCD: E is late     PD2  ADE, BCD, ABE, CDE
//! ```

use super::PfairOrder;
use crate::pfair::stream::Stream;
use core::cmp::Ordering;

/// Pseudo-deadline.
pub const EPDF: PfairOrder = PfairOrder {
    name: "EPDF",
    key: |stream: &Stream| u128::from(stream.window().deadline),
    tie: |_, _| Ordering::Equal,
    packs: false,
    breaks_ties: false,
};
