//! OMLP under clustered scheduling: FIFO queues with priority donation, suspension-oblivious.
//!
//! B. Brandenburg and J. Anderson, *Real-time resource-sharing under clustered scheduling: mutex, reader-writer, and
//! k-exclusion locks*, EMSOFT 2011, section 3: at most as many jobs as the cluster has processors have incomplete
//! requests, since others are held back by priority donation, so that a request waits for at most one request of each
//! other processor; a job donates its priority at most once, on arrival, for one request span.
//!
//! Suspension-oblivious: both terms count as execution. Assumes no nesting and valid bounds on response times.

use crate::blocking::fifo;
use crate::blocking::{Sharing, Terms};

/// By task: waiting of one job in all, and donation on arrival, with `processors` in each cluster.
pub fn bounds(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<Terms> {
    fifo::bounds(sharing, responses, processors)
}
