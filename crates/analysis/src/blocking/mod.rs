//! How long may less urgent work delay a job that shares resources?
//!
//! Every bound reads one neutral input, [`Sharing`]: each task's period, cluster and preemption level, and for each
//! resource how often one of its jobs requests it and how long it then holds it at most. [`derive`](derive()) reads it off the
//! tasks' programs. Bounds that count other tasks' requests in an interval also need bounds on response times:
//! see [`Sharing::jobs_within`]. A bound gives [`Terms`] for each task, in the unit of the input (nanoseconds, for
//! programs). Sums saturate: a term of `u64::MAX` means that nothing is bounded.

pub mod case;
pub mod ceilings;
pub mod clustered_omlp;
pub mod contention;
pub mod derive;
pub mod dflp;
pub mod dpcp;
pub mod edf;
pub mod feed;
pub mod fifo;
pub mod fmlp;
pub mod fmlp_oblivious;
pub mod fmlp_plus;
pub mod global_fmlp;
pub mod global_omlp;
pub mod global_pip;
pub mod judge;
pub mod members;
pub mod method;
pub mod methods;
pub mod methods_rw;
pub mod mpcp;
pub mod mrsp;
pub mod msrp_classic;
pub mod msrp_holistic;
pub mod npcs;
pub mod partitioned_omlp;
pub mod pcp;
pub mod pip;
pub mod ppcp;
pub mod response;
pub mod rw_phase_fair;
pub mod rw_task_fair;
pub mod sharing;
pub mod srp;
pub mod task_fair_mutex;
pub mod terms;

pub use case::{Case, Found, Locking};
pub use derive::{derive, derive_by_length, Lengths, Sections};
pub use judge::{analyze_with_locks, analyze_with_methods, deadlines_are_met, Blocking};
pub use method::Method;
pub use methods::METHODS;
pub use sharing::{Request, Sharer, Sharing, SharingError};
pub use terms::Terms;
