//! Boundary fair scheduling, BF: D. Zhu, D. Mossé and R. Melhem, *Multiple-resource periodic scheduling problem: how
//! much fairness is necessary?*, RTSS 2003; D. Zhu, X. Qi, D. Mossé and R. Melhem, *An optimal boundary fair scheduling
//! algorithm for multiprocessor real-time systems*, Journal of Parallel and Distributed Computing 71(10), 2011.
//!
//! Time is in quanta, as under Pfair: costs and periods are multiples of the platform's quantum. Decisions are made at
//! the deadlines of tasks only. There each task gets its mandatory quanta of the slice, and the most urgent ones get
//! the optional quanta by their characteristic strings ([`super::plan`], [`super::strings`]); a task is always less
//! than a quantum from the fluid schedule at a deadline. Quanta stand in a row and are cut into processors
//! ([`super::timeline`]).
//!
//! A slice takes O(n log n). Where U <= m and no utilization is above 1, no job of synchronous periodic tasks with
//! implicit deadlines is late (2003).
//!
//! Tasks of 1/2, 1/3, 1/3 and 5/6 on two processors, by hand from the rules. In [0, 2) A and D must have one quantum
//! each, and two are left for B, C and D. D has to run all through [2, 3) and goes first; B and C tie, and B goes. In
//! [2, 3) C must have its quantum, and D, which would lack part of one at 4, goes before A:
//!
//! ```text
//! P0  ABCAAB
//! P1  DDDDCD
//! ```

use super::plan::Optional;
use super::timeline::Timeline;
use crate::setup::{ClusterSetup, SetupError};
use crate::Policy;
use alloc::boxed::Box;

/// BF, in the platform's quanta.
pub(crate) fn boundary_fair(setup: &ClusterSetup<'_>) -> Result<Box<dyn Policy>, SetupError> {
    let quantum = setup.platform.quantum.as_ns();
    if quantum == 0 {
        return Err(SetupError::NoQuantum);
    }
    Ok(Box::new(Timeline::new(setup, (quantum, Optional::Strings), false)?))
}
