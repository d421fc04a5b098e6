//! OMLP under clustered and partitioned scheduling: FIFO queues, suspension-oblivious.
//!
//! B. Brandenburg and J. Anderson, *Real-time resource-sharing under clustered scheduling: mutex, reader-writer, and
//! k-exclusion locks*, EMSOFT 2011, section 3: at most as many jobs as the cluster has processors have incomplete
//! requests, since others are held back by priority donation, so that a request waits for at most one request of each
//! other processor; a job donates its priority at most once, on arrival, for one request span.
//!
//! B. Brandenburg and J. Anderson, *Optimality results for multiprocessor real-time locking*, RTSS 2010, section 4, for
//! partitions, which are clusters of one processor: at most one job of each, the one with its contention token, takes
//! part in global queues, and the holder of the token is boosted. A request thus waits for at most one request of each
//! other processor, too; on arrival a job waits for one request span of a less urgent job with the token.
//!
//! Suspension-oblivious: both terms count as execution. Assumes no nesting and valid bounds on response times.

pub use crate::blocking::fifo::bounds;
pub(crate) use crate::blocking::fifo::with_parts;
