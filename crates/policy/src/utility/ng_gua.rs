//! Non-greedy global utility accrual (NG-GUA): P. Garyali, "On best-effort utility accrual real-time scheduling on
//! multiprocessors", Virginia Tech 2010; P. Garyali, M. Dellinger and B. Ravindran, OPODIS 2010.
//!
//! NG-GUA is gMUA for jobs that depend on each other by resources: a job counts with the chain of holders that it waits
//! for. Without shared resources no job depends on another one, and the decision is gMUA's. It takes as long.
//!
//! Three jobs at 0, as (remaining, termination, utility): A (2, 3, 4), B (2, 3, 2), C (2, 3, 6). C, the last by
//! termination time and id, goes to the first processor, whose queue is not feasible then. A is removed, less dense
//! than C.
//!
//! ```text
//! P0  CC.
//! P1  BB.
//! ```

use super::gmua::G_MUA;
use super::UtilityKind;

/// Equals gMUA, as long as no job waits for another one.
pub const NG_GUA: UtilityKind = UtilityKind {
    description:
        "as gMUA, for jobs that may depend on each other; without shared resources both decide alike",
    ..G_MUA
};
