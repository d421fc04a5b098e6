//! How long may less urgent work delay a job that shares resources?
//!
//! Every bound reads one neutral input, [`Sharing`]: each task's period, cluster and preemption level, and for each
//! resource how often one of its jobs requests it and how long it then holds it at most. [`derive`](derive()) reads it
//! off the tasks' programs. Bounds that count other tasks' requests in an interval also need bounds on response times:
//! see [`Sharing::jobs_within`]. A bound gives [`Terms`] for each task, in the unit of the input (nanoseconds, for
//! programs). Sums saturate: a term of `u64::MAX` means that nothing is bounded.

/// What every bound reads, what it says, and what a method is.
mod contract {
    pub(crate) mod case;
    pub(crate) mod derive;
    pub mod method;
    pub(crate) mod sharing;
    pub(crate) mod terms;
    pub(crate) mod ticks;
}

/// What several bounds are made of.
mod shared {
    pub mod ceilings;
    pub mod contention;
    pub mod fifo;
    pub mod members;
}

/// Bounds for the resources of one processor.
mod uniprocessor {
    pub mod npcs;
    pub mod pcp;
    pub mod pip;
    pub mod srp;
}

/// Bounds where a job that waits keeps its processor busy.
mod spin {
    pub mod mrsp;
    pub mod msrp_classic;
    pub mod msrp_holistic;
    pub mod rw_phase_fair;
    pub mod rw_task_fair;
    pub mod task_fair_mutex;
}

/// Bounds where a job that waits gives up its processor.
mod suspend {
    pub mod clustered_omlp;
    pub mod fmlp_plus;
    pub mod global_fmlp;
    pub mod global_omlp;
    pub mod global_pip;
    pub mod mpcp;
    pub mod ppcp;
}

/// Bounds where a request executes on the processor of its resource.
mod distributed {
    pub mod dflp;
    pub mod dpcp;
}

/// How blocking enters tests of schedulability.
mod schedulability {
    pub mod edf;
    pub mod feed;
    pub mod response;
}

pub mod fmlp;
pub mod global_edf;
pub mod methods;
pub mod retry;

pub use crate::sharing_error::SharingError;
pub use contract::case::{Case, Judged, Locking};
pub use contract::derive::{derive, Lengths, Sections};
pub use contract::method::{self, Method};
pub use contract::sharing::{Requests, Sharer, Sharing};
pub use contract::terms::{Blocking, Terms};
pub use distributed::{dflp, dpcp};
pub use fmlp::oblivious as fmlp_oblivious;
pub use methods::METHODS;
pub use schedulability::{edf, feed, response};
pub use shared::{ceilings, contention, fifo, members};
pub use spin::{mrsp, msrp_classic, msrp_holistic, rw_phase_fair, rw_task_fair, task_fair_mutex};
pub use suspend::{clustered_omlp, fmlp_plus, global_fmlp, global_omlp, global_pip, mpcp, ppcp};
pub use uniprocessor::{npcs, pcp, pip, srp};
