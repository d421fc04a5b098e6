//! Spin locks: which requests of other processors do the jobs of this one wait for?
//!
//! Each bound is the optimum of a published linear program, in closed form: [`greedy`] for locks that are first come,
//! first served, [`ranked`] for others. The program's resources meet only in two places: one resource blocks on
//! arrival, and (preemptable) retries are spread over resources. Within one resource and processor it asks for the
//! longest requests. Tests hold the program's optimum and the closed form equal (`ranked/tests.rs`).

mod frame;
pub mod greedy;
pub mod methods;
pub mod ranked;

/// Way in which jobs spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spinning {
    /// A job that spins is not preempted: the MSRP, task-fair mutex locks.
    NonPreemptive,
    /// A job that spins can be preempted: it leaves the queue, and requests anew when it goes on. Sections themselves
    /// are not preempted.
    Preemptable,
}
