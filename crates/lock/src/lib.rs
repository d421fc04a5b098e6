//! Who waits: locking protocols as pure state machines.
//!
//! A protocol knows no clock, thread, file or randomness, and no scheduling policy: both only share the
//! table of jobs. Consequences go out as [`Effects`], which the engine carries out.

#![no_std]
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]
// A default arm would take a new variant for a known one.
#![warn(clippy::wildcard_enum_match_arm)]

extern crate alloc;

mod contract;
mod fmlp;
mod registry;

/// What several protocols are made of.
mod shared {
    pub(crate) mod admitted;
    pub(crate) mod ceilings;
    pub(crate) mod denying;
    pub(crate) mod groups;
    pub(crate) mod highest;
    pub(crate) mod holders;
    pub(crate) mod mutexes;
    pub(crate) mod queued;
    pub(crate) mod scoped;
    pub(crate) mod wait_queue;
}

/// Resources of one processor: no request has to wait, or the most urgent one does once.
mod uniprocessor {
    pub(crate) mod ipcp;
    pub(crate) mod npcs;
    pub(crate) mod pcp;
    pub(crate) mod srp;
}

/// A job that waits gives up its processor.
mod suspend {
    pub(crate) mod by_schedule;
    mod donation;
    pub(crate) mod fmlp_plus;
    pub(crate) mod gpip;
    pub(crate) mod mpcp;
    pub(crate) mod omlp;
    pub(crate) mod omlp_clustered;
    pub(crate) mod omlp_partitioned;
    pub(crate) mod pip;
    pub(crate) mod ppcp;
    pub(crate) mod semaphore;
}

/// A job that waits keeps its processor busy.
mod spin {
    pub(crate) mod mrsp;
    pub(crate) mod msrp;
    pub(crate) mod preemptable;
    pub(crate) mod priority;
    pub(crate) mod reader_writer;
    pub(crate) mod task_fair;
    pub(crate) mod unordered;
}

/// A request executes on the processor of its resource.
mod distributed {
    pub(crate) mod dflp;
    pub(crate) mod dpcp;
    mod remote;
}

/// Operations on objects that no job holds.
mod nonblocking {
    pub(crate) mod by_scheme;
    pub(crate) mod lock_free;
    pub(crate) mod wait_free;
}

/// Sharing under Pfair scheduling: P. Holman and J. H. Anderson, "Adapting Pfair scheduling for symmetric
/// multiprocessors", 2005, sections II.B and IV, and the papers on sharing that it builds on (its references 8, 10,
/// 11).
mod pfair {
    pub(crate) mod sections;
    pub(crate) mod server;
    pub(crate) mod zones;
}

/// Every protocol, each described in its own file. A new one is a file, and here its module and a line.
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
    Ceilings, Effect, Effects, GrantOrder, Inheritance, Length, Level, LockError, LockProtocol, LockSetup,
    MakeProtocol, Nesting, Preemption, PriorityOrder, Protocol, Reach, Reply, Section, Turn, Usage, Waiting,
};
pub use nonblocking::by_scheme::{compose, protocol_of, BySchemes};
pub use pfair::sections::longest_sections;
pub use registry::{find_protocol, UnknownProtocol, NONE};
pub use shared::ceilings::CeilingTable;
pub use shared::mutexes::Mutexes;
pub use shared::queued::{Queued, Rules};
pub use shared::wait_queue::{ByBase, ByPriority, Discipline, Fifo};
pub use suspend::ppcp::ParallelPcp;
