//! Spin locks: which requests of other processors do the jobs of this one wait for?
//!
//! Each bound exists twice: as the published linear program ([`program`] for locks that are first come first served, [`ranked`] for others), and
//! solved in closed form ([`greedy`], [`ranked`]), which is what analyses use. The program's resources meet only in two places: one resource blocks on arrival, and (preemptable) retries are
//! spread over resources; within one resource and processor it asks for the longest requests. Tests hold both equal.

pub mod frame;
pub mod greedy;
pub mod methods;
pub mod program;
pub mod ranked;
pub mod response_time;

/// Whether a job that spins can be preempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spinning {
    /// No: the MSRP, task-fair mutex locks.
    NonPreemptive,
    /// Yes: it leaves the queue, and requests anew when it goes on. Sections themselves are not preempted.
    Preemptable,
}
