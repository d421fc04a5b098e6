//! Who waits: locking protocols as pure state machines.
//!
//! A protocol knows no clock, thread, file or randomness, and no scheduling policy: both only share the
//! table of jobs. Consequences go out as [`Effects`], which the engine carries out.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod admitted;
mod ceiling;
mod denying;
mod dflp;
mod donation;
mod dpcp;
mod effects;
mod fmlp;
mod fmlp_plus;
mod gpip;
mod groups;
mod highest;
mod holders;
mod inheritance;
mod ipcp;
mod local_groups;
mod lock_error;
mod mpcp;
mod mrsp;
mod msrp;
mod mutexes;
mod npcs;
mod omlp;
mod omlp_clustered;
mod omlp_partitioned;
mod pcp;
pub mod pfair;
mod pip;
mod ppcp;
mod protocol;
mod queued;
mod reader_writer;
mod registry;
mod remote;
mod scoped;
mod section;
mod semaphore;
mod setup;
mod spin;
mod spin_preemptable;
mod spin_priority;
mod spin_unordered;
mod srp;
mod turn;
mod usage;
mod wait_queue;

/// Every protocol, each described in its own file. A new one is a file, its module above, and a line here.
pub const ALL_PROTOCOLS: &[Protocol] = &[
    semaphore::SEMAPHORES,
    npcs::NPCS,
    pip::PIP,
    pcp::PCP,
    ipcp::IPCP,
    srp::SRP,
    msrp::MSRP,
    mpcp::MPCP,
    spin::TASK_FAIR,
    fmlp::FMLP,
    fmlp::FMLP_SHORT,
    fmlp::FMLP_LONG,
    dpcp::DPCP,
    dflp::DFLP,
    fmlp_plus::FMLP_PLUS,
    omlp::OMLP,
    omlp_partitioned::OMLP_PARTITIONED,
    omlp_clustered::OMLP_CLUSTERED,
    mrsp::MRSP,
    gpip::GPIP,
    ppcp::PPCP,
    reader_writer::RW_TASK_FAIR,
    reader_writer::RW_PHASE_FAIR,
    spin_priority::SPIN_PRIORITY,
    spin_unordered::SPIN_UNORDERED,
    spin_preemptable::FIFO,
    spin_preemptable::PRIORITY,
    spin_preemptable::UNORDERED,
    pfair::zones::ZONE_SKIP,
    pfair::zones::ZONE_ROLLBACK,
    pfair::server::SERVER,
    pfair::lock_free::LOCK_FREE,
];

pub use admitted::{Admission, Admitted};
pub use ceiling::{CeilingTable, Level};
pub use denying::{Denial, Denied, Denying, Ledger};
pub use dflp::Dflp;
pub use donation::Donations;
pub use dpcp::Dpcp;
pub use effects::{Effect, Effects};
pub use fmlp::{ByLength, Fmlp, Length};
pub use fmlp_plus::{FmlpPlus, InOrderOfRequest};
pub use gpip::GlobalPip;
pub use groups::Groups;
pub use holders::Holders;
pub use inheritance::Inheritance;
pub use ipcp::{Immediate, Ipcp};
pub use lock_error::LockError;
pub use mpcp::{Mpcp, RemoteCeilings};
pub use mrsp::{Helping, Mrsp};
pub use msrp::Msrp;
pub use mutexes::Mutexes;
pub use npcs::{Npcs, Unpreempted};
pub use omlp::{Omlp, ShortLine};
pub use omlp_clustered::{ClusteredOmlp, Suspending};
pub use omlp_partitioned::{Boosted, PartitionedOmlp, Tokens};
pub use pcp::{Pcp, PriorityCeilings};
pub use pip::{Inheriting, Pip};
pub use ppcp::{Limited, ParallelPcp};
pub use protocol::{
    Ceilings, GrantOrder, LockProtocol, MakeProtocol, Nesting, Preemption, Protocol, Reach, Request, Waiting,
};
pub use queued::{Queued, Rules};
pub use reader_writer::{Fairness, PhaseFairly, ReaderWriter, TaskFairly};
pub use registry::{find_protocol, UnknownProtocol, NONE};
pub use remote::Remote;
pub use scoped::Scoped;
pub use section::Section;
pub use semaphore::{Counting, Semaphores};
pub use setup::{LockSetup, PriorityOrder};
pub use spin::{Spinning, TaskFair};
pub use spin_preemptable::{AskingAnew, PreemptableSpin};
pub use srp::{Gates, Srp};
pub use turn::Turn;
pub use usage::{Nested, Usage, Users};
pub use wait_queue::{ByBase, ByPriority, Discipline, Fifo, Newest, WaitQueue};
