//! DM-US\[x\]: tasks of a high density first, then the shortest relative deadline. M. Bertogna, M. Cirinei and G.
//! Lipari, *New schedulability tests for real-time task sets scheduled by deadline monotonic on multiprocessors*,
//! OPODIS 2005.
//!
//! A task of a density above x has the highest priority, ties by job id; other tasks go by relative deadline. The
//! density is the WCET over the relative deadline or the period, whichever is shorter. x is 1/3 if none is given.
//! (The paper's own form, DM-DS, takes m - 1 tasks for heavy at most, for which it proves a bound of (m + 1)/3. Here
//! each task is judged by itself, as under EDF-US and RM-US.) All priorities are fixed, so that each test of global
//! fixed priorities speaks of the scheduler. A decision takes O(m + log n) for each job that begins, of n ready jobs.
//! The rule for priorities of the same name gives `G-FP` the same order with x = 1/3.
//!
//! Costs, periods and relative deadlines (2, 10, 5) for A and B and (4, 10, 6) for C on two processors, by hand from
//! the rule. Under G-DM, C waits for A and B until 2. Its density of 2/3 is above 1/2:
//!
//! ```text
//! DM-US[1/2]  P0  CCCC......     G-DM  P0  AACCCC....
//!             P1  AABB......           P1  BB........
//! ```

use crate::heavy_first::HeavyKind;
use schedlab_model::{LightOrder, Threshold};

/// `DM-US`, with the threshold 1/3, or with another one.
pub(crate) const DM_US: HeavyKind = HeavyKind {
    name: "DM-US",
    others: LightOrder::RelativeDeadline,
    usual: Threshold::Given { numerator: 1, denominator: 3 },
    words: ("1/3", "the shortest relative deadline"),
};
