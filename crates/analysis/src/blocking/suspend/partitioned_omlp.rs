//! OMLP under partitioned scheduling: FIFO queues with contention tokens, suspension-oblivious.
//!
//! B. Brandenburg and J. Anderson, *Optimality results for multiprocessor real-time locking*, RTSS 2010, section 4: at
//! most one job of each processor, the one with its contention token, takes part in global queues, and the holder
//! of the token is boosted. A request thus waits for at most one request of each other processor; on arrival a job
//! waits for one request span of a less urgent job with the token.
//!
//! Suspension-oblivious: both terms count as execution. Assumes no nesting and valid bounds on response times.

use crate::blocking::fifo;
use crate::blocking::{Sharing, Terms};

/// By task: waiting of one job in all, and for the token.
pub fn bounds(sharing: &Sharing, responses: &[u64]) -> Vec<Terms> {
    fifo::bounds(sharing, responses, 1)
}
