//! Task-fair (FIFO) mutex spin locks, non-preemptive, under partitioned, clustered or global scheduling.
//!
//! B. Brandenburg, *Scheduling and locking in multiprocessor real-time operating systems*, dissertation, Chapel Hill
//! 2011, section 5.4 (holistic blocking analysis, after U. Devi, H. Leontyev and J. Anderson, ECRTS 2006): all requests
//! of one job together wait for at most as many requests of each other processor as the job issues, and of each other
//! task no more than it issues while the job is pending; the longest such requests bound the spinning. A job is delayed
//! once on arrival, by one spin and section of a less urgent job of its cluster.
//!
//! Assumes no nesting and valid bounds on response times; `remote` is time spent spinning, and inflates the cost.

pub use crate::blocking::fifo::bounds;
pub(crate) use crate::blocking::fifo::with_parts;
