//! What is wrong with a system for a locking protocol.

use core::fmt;
use schedlab_model::{ClusterId, Duration, ResourceId, TaskId};

/// Which rule a task's program, or the system, breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockError {
    /// A program names a resource that does not exist.
    UnknownResource {
        /// Whose program.
        task: TaskId,
        /// What it names.
        resource: ResourceId,
    },
    /// A program requests or releases no unit.
    NoUnits {
        /// Whose program.
        task: TaskId,
        /// Of what.
        resource: ResourceId,
    },
    /// A program requests more units than exist, its other requests that it still holds included.
    TooManyUnits {
        /// Whose program.
        task: TaskId,
        /// Of what.
        resource: ResourceId,
        /// How many it would hold.
        units: u64,
        /// How many exist.
        exist: u32,
    },
    /// A program releases what it does not hold, or not what it requested last.
    ImproperNesting {
        /// Whose program.
        task: TaskId,
        /// What it releases.
        resource: ResourceId,
    },
    /// A program ends before it releases a resource.
    NeverReleased {
        /// Whose program.
        task: TaskId,
        /// What it still holds.
        resource: ResourceId,
    },
    /// A job suspends itself while it holds a resource, which the protocol does not allow.
    SuspendsInSection {
        /// Whose program.
        task: TaskId,
        /// What it holds.
        resource: ResourceId,
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol knows resources of one unit only.
    SeveralUnits {
        /// Which resource.
        resource: ResourceId,
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol needs fixed priorities.
    NeedsFixedPriorities {
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol needs preemption levels: fixed priorities or EDF.
    NeedsLevels {
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol needs clusters of one processor.
    NeedsPartitions {
        /// Which cluster is larger.
        cluster: ClusterId,
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol shares resources within one processor only.
    NotLocal {
        /// Which resource has users elsewhere.
        resource: ResourceId,
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol allows no request for or within a section of a global resource.
    NestedGlobal {
        /// Whose program.
        task: TaskId,
        /// What it holds.
        outer: ResourceId,
        /// What it requests meanwhile.
        inner: ResourceId,
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol needs the quanta of a Pfair scheduler.
    NeedsPfair {
        /// Which protocol.
        protocol: &'static str,
    },
    /// A section may be longer than the protocol allows.
    SectionTooLong {
        /// Whose program.
        task: TaskId,
        /// What it holds.
        resource: ResourceId,
        /// How long.
        length: Duration,
        /// How long it may be: a quantum.
        quantum: Duration,
        /// Which protocol.
        protocol: &'static str,
    },
    /// A long resource is requested within a section of a short one.
    LongInsideShort {
        /// Whose program.
        task: TaskId,
        /// The short resource.
        short: ResourceId,
        /// The long resource.
        long: ResourceId,
    },
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockError::UnknownResource { task, resource } => {
                write!(f, "{task} uses {resource}, which does not exist")
            }
            LockError::NoUnits { task, resource } => {
                write!(f, "{task} requests or releases 0 units of {resource}")
            }
            LockError::TooManyUnits { task, resource, units, exist } => {
                write!(f, "{task} requests {units} units of {resource} in all, but there are {exist}")
            }
            LockError::ImproperNesting { task, resource } => {
                write!(f, "{task} releases {resource}, but that is not what it requested last and still holds")
            }
            LockError::NeverReleased { task, resource } => write!(f, "{task} never releases {resource}"),
            LockError::SuspendsInSection { task, resource, protocol } => {
                write!(f, "{task} suspends itself while it holds {resource}, which {protocol} forbids")
            }
            LockError::SeveralUnits { resource, protocol } => {
                write!(f, "{resource} has several units, but {protocol} knows resources of one unit only")
            }
            LockError::NeedsFixedPriorities { protocol } => {
                write!(f, "{protocol} needs a scheduler with fixed priorities")
            }
            LockError::NeedsLevels { protocol } => {
                write!(f, "{protocol} needs a scheduler with fixed priorities, or EDF")
            }
            LockError::NeedsPartitions { cluster, protocol } => {
                write!(f, "{cluster} has several processors, but {protocol} needs a partitioned scheduler")
            }
            LockError::NotLocal { resource, protocol } => {
                write!(f, "{resource} is used on several processors, which {protocol} does not support")
            }
            LockError::NestedGlobal { task, outer, inner, protocol } => write!(
                f,
                "{task} requests {inner} while it holds {outer}: {protocol} forbids nesting with global resources"
            ),
            LockError::NeedsPfair { protocol } => write!(f, "{protocol} needs a Pfair scheduler"),
            LockError::SectionTooLong { task, resource, length, quantum, protocol } => write!(
                f,
                "{task} holds {resource} for {length}: {protocol} allows at most the quantum of {quantum}"
            ),
            LockError::LongInsideShort { task, short, long } => {
                write!(f, "{task} requests the long resource {long} while it holds the short resource {short}")
            }
        }
    }
}

impl core::error::Error for LockError {}
