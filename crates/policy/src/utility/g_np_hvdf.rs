//! Global non-preemptive highest value density first (G-NP-HVDF), as chronos-scalability-2011 runs it on 16 processors.
//!
//! A processor that is idle takes the densest ready job that has not begun. A job that has begun keeps its processor.
//! O(n log n) for n ready jobs.
//!
//! Three jobs at 0, as (remaining, termination, utility): A (4, 9, 4), B (2, 9, 6), C (3, 9, 3), on two processors. The
//! densities of A and C are equal: the lower job id goes first. At 1, D (1, 2, 9) arrives, the densest of all. Both
//! processors are busy until its termination time, when it is given up.
//!
//! ```text
//! P0  BBCCC
//! P1  AAAA.
//! ```

use super::hvdf::HVDF;
use super::UtilityKind;

/// Picks the densest of the jobs that have not begun, one for each queue; idle processors take the heads.
pub const G_NP_HVDF: UtilityKind = UtilityKind {
    description: "the highest utility density goes first; a job that has started is not preempted",
    preemptive: false,
    ..HVDF
};
