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

use super::{Algorithm, Candidate, GMua, Queues, UtilityKind};
use alloc::boxed::Box;
use schedlab_model::Instant;

/// For schedulers.
pub(crate) const KIND: UtilityKind = UtilityKind {
    description:
        "as gMUA, for jobs that may depend on each other; without shared resources both decide alike",
    algorithm: |jobs, processors| Box::new(NgGua::new(jobs, processors)),
    preemptive: true,
    is_work_conserving: false,
    follows_holders: false,
};

/// gMUA, as far as no job waits for another one.
#[derive(Clone, Debug)]
pub struct NgGua(GMua);

impl NgGua {
    /// For up to so many jobs on so many processors.
    pub fn new(jobs: usize, processors: usize) -> Self {
        NgGua(GMua::new(jobs, processors))
    }
}

impl Algorithm for NgGua {
    fn decide(&mut self, now: Instant, jobs: &[Candidate], queues: &mut Queues) {
        self.0.decide(now, jobs, queues);
    }
}
