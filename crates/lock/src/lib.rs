//! Locking protocols as pure state machines: they decide which jobs wait.
//!
//! A protocol knows no clock, thread, file or randomness, and no scheduling policy: both only share the
//! table of jobs. Consequences go out as [`Effects`], which the engine carries out.
//!
//! | folder | question |
//! |---|---|
//! | `contract` | what is a protocol asked, and what does it answer? |
//! | `shared` | what are several protocols made of? |
//! | `uniprocessor`, `suspend`, `spin`, `fmlp`, `distributed`, `nonblocking`, `pfair` | how do its jobs wait? |

#![no_std]
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]
// A default arm would take a new variant for a known one.
#![warn(clippy::wildcard_enum_match_arm)]

extern crate alloc;

mod contract;
mod distributed;
mod fmlp;
mod nonblocking;
mod pfair;
mod registry;
mod shared;
mod spin;
mod suspend;
mod uniprocessor;

/// All protocols, each described in its own file. A new one is a file, its module in the folder's `mod.rs`, and a line
/// here.
pub const ALL_PROTOCOLS: &[Protocol] = &[
    suspend::semaphore::SEMAPHORES,
    uniprocessor::npcs::NPCS,
    suspend::pip::PIP,
    uniprocessor::pcp::PCP,
    uniprocessor::ipcp::IPCP,
    uniprocessor::srp::SRP,
    spin::msrp::MSRP,
    suspend::mpcp::MPCP,
    suspend::mpcp::MPCP_ALL,
    spin::task_fair::TASK_FAIR,
    fmlp::FMLP,
    fmlp::FMLP_SHORT,
    fmlp::FMLP_LONG,
    distributed::dpcp::DPCP,
    distributed::dflp::DFLP,
    suspend::fmlp_plus::FMLP_PLUS,
    suspend::omlp::OMLP,
    suspend::omlp_partitioned::OMLP_PARTITIONED,
    suspend::omlp_clustered::OMLP_CLUSTERED,
    spin::mrsp::MRSP,
    suspend::gpip::GPIP,
    suspend::ppcp::PPCP,
    suspend::by_schedule::BY_SCHEDULE,
    spin::reader_writer::RW_TASK_FAIR,
    spin::reader_writer::RW_PHASE_FAIR,
    spin::priority::SPIN_PRIORITY,
    spin::unordered::SPIN_UNORDERED,
    spin::preemptable::FIFO,
    spin::preemptable::PRIORITY,
    spin::preemptable::UNORDERED,
    pfair::zones::ZONE_SKIP,
    pfair::zones::ZONE_ROLLBACK,
    pfair::server::SERVER,
    nonblocking::lock_free::LOCK_FREE,
    nonblocking::wait_free::WAIT_FREE,
];

pub use contract::{
    BrokenRule, Ceilings, Effect, Effects, GrantOrder, Hears, Inheritance, Length, Level, LockError,
    LockProtocol, LockSetup, MakeProtocol, Nesting, OnLinux, Preemption, PriorityOrder, Protocol, Reach,
    Reply, Section, Turn, Usage, Waiting,
};
pub use nonblocking::by_scheme::{compose, protocol_of, BySchemes};
pub use pfair::sections::longest_sections;
pub use registry::{find_protocol, UnknownProtocol, NONE};
pub use shared::ceilings::CeilingTable;
pub use shared::mutexes::Mutexes;
pub use shared::queued::{Queued, Rules};
pub use shared::wait_queue::{ByBase, ByPriority, Discipline, Fifo};
pub use suspend::posix::{posix, PosixMutexes};
pub use suspend::ppcp::ParallelPcp;
