//! How long may less urgent work delay a job that shares resources?
//!
//! Every bound reads one neutral input, [`Sharing`]: each task's period, cluster and preemption level, and for each
//! resource how often one of its jobs requests it and how long it then holds it at most. [`derive`](derive()) reads it
//! off the tasks' programs. Bounds that count other tasks' requests in an interval also need bounds on response times:
//! see [`Sharing::jobs_within`]. A bound gives [`Terms`] for each task, in the unit of the input (nanoseconds, for
//! programs). Sums saturate: a term of `u64::MAX` means that nothing is bounded.
//!
//! | folder | question |
//! |---|---|
//! | `contract` | what does each bound read, and what does it say? |
//! | `shared` | what are several bounds made of? |
//! | `uniprocessor`, `suspend`, `spin`, `distributed` | how long do requests take? In folders as the protocols |
//! | `schedulability` | how does blocking enter tests of schedulability? |
//! | [`parts`] | of which sections of others does a bound consist? |
//! | [`methods`] | which protocol's blocking goes into which test, under which scheduler? |

mod contract;
mod distributed;
pub mod fmlp;
pub mod global_edf;
pub mod methods;
pub mod parts;
pub mod retry;
mod schedulability;
mod shared;
mod spin;
mod suspend;
mod uniprocessor;

pub use crate::delaying_section::{DelayingSection, DelayingSections};
pub use crate::sharing_error::SharingError;
pub use contract::case::{Case, Judged, Locking};
pub use contract::derive::{derive, Lengths, Sections};
pub use contract::method::{self, Method};
pub use contract::sharing::{Requests, Sharer, Sharing};
pub use contract::terms::{Blocking, Terms};
pub use distributed::{dflp, dpcp};
pub use fmlp::oblivious as fmlp_oblivious;
pub use methods::{METHODS, TARDINESS};
pub use retry::beside_locks::with_requests;
pub use schedulability::{edf, feed, response};
pub(crate) use shared::candidates;
pub use shared::{ceilings, contention, fifo, members};
pub use spin::{mrsp, msrp_classic, msrp_holistic, rw_phase_fair, rw_task_fair, task_fair_mutex};
pub use suspend::{clustered_omlp, fmlp_plus, global_fmlp, global_omlp, global_pip, mpcp, ppcp};
pub use uniprocessor::{npcs, pcp, pip, posix, srp};
