//! What is wrong with a system for a locking protocol.

mod allowed;
mod step;

use alloc::format;
use alloc::string::{String, ToString};
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
        /// A task that requests it, if one does.
        user: Option<TaskId>,
        /// How many units it has.
        units: u32,
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
    /// The protocol needs all processors in one cluster.
    NeedsOneCluster {
        /// How many there are.
        clusters: usize,
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol knows only requests for one unit, to read, and for all units, to write.
    NeitherReadNorWrite {
        /// Whose program.
        task: TaskId,
        /// Of what.
        resource: ResourceId,
        /// How many units it requests.
        units: u32,
        /// How many exist.
        exist: u32,
        /// Which protocol.
        protocol: &'static str,
    },
    /// There are fewer units than tasks that read.
    TooFewUnits {
        /// Of what.
        resource: ResourceId,
        /// How many tasks read it.
        readers: usize,
        /// How many units exist.
        exist: u32,
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol shares resources within one processor only.
    NotLocal {
        /// Which resource.
        resource: ResourceId,
        /// A user.
        first: TaskId,
        /// One on another processor.
        second: TaskId,
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
    /// The protocol needs jobs whose priorities stay as they are unless a protocol changes them.
    NeedsJobPriorities {
        /// Which protocol.
        protocol: &'static str,
    },
    /// The scheduler itself picks the job that gets a resource, and the protocol would not let it.
    PicksItself {
        /// Which protocol.
        protocol: &'static str,
    },
    /// A resource that is requested has no server.
    NoServer {
        /// Who requests it.
        task: TaskId,
        /// Which resource.
        resource: ResourceId,
        /// Which protocol.
        protocol: &'static str,
    },
    /// A resource has two servers.
    TwoServers {
        /// Which resource.
        resource: ResourceId,
        /// A server.
        first: TaskId,
        /// Another, or the same once more.
        second: TaskId,
    },
    /// A server requests a resource itself.
    ServerRequests {
        /// Which server.
        task: TaskId,
        /// What it requests.
        resource: ResourceId,
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

impl LockError {
    /// Whose program is at fault, if one is.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other faults are about no task")]
    pub fn task(&self) -> Option<TaskId> {
        use LockError::*;
        match *self {
            UnknownResource { task, .. }
            | NoUnits { task, .. }
            | TooManyUnits { task, .. }
            | ImproperNesting { task, .. }
            | NeverReleased { task, .. }
            | SuspendsInSection { task, .. }
            | NestedGlobal { task, .. }
            | LongInsideShort { task, .. }
            | NeitherReadNorWrite { task, .. }
            | NoServer { task, .. }
            | TwoServers { second: task, .. }
            | NotLocal { second: task, .. }
            | ServerRequests { task, .. }
            | SectionTooLong { task, .. } => Some(task),
            _ => None,
        }
    }

    /// Which resource is at fault, if no program is.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other faults are about no resource")]
    pub fn resource(&self) -> Option<ResourceId> {
        match *self {
            LockError::SeveralUnits { resource, .. } | LockError::TooFewUnits { resource, .. } => {
                Some(resource)
            }
            _ => None,
        }
    }

    /// The sentence on a server.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an assertion: the caller chose the variants")]
    fn about_servers(&self, t: &dyn Fn(&TaskId) -> String, r: &dyn Fn(&ResourceId) -> String) -> String {
        match self {
            LockError::NoServer { task, resource, protocol } => {
                format!(
                    "{} requests {}, which no task serves, but {protocol} needs a server",
                    t(task),
                    r(resource)
                )
            }
            LockError::TwoServers { resource, first, second } => {
                format!(
                    "{} is served by {} and by {}, but may have one server only",
                    r(resource),
                    t(first),
                    t(second)
                )
            }
            LockError::ServerRequests { task, resource } => {
                format!("{} is a server and requests {}, but servers make no requests", t(task), r(resource))
            }
            _ => unreachable!("it is about a server"),
        }
    }

    /// The sentence, with tasks and resources called as these functions say.
    pub fn with_names(
        &self,
        name_of: &dyn Fn(TaskId) -> String,
        resource_name: &dyn Fn(ResourceId) -> String,
    ) -> String {
        let (t, r) = (|task: &TaskId| name_of(*task), |resource: &ResourceId| resource_name(*resource));
        match self {
            LockError::UnknownResource { task, resource } => {
                format!("{} uses {}, which does not exist", t(task), r(resource))
            }
            LockError::NoUnits { task, resource } => {
                format!("{} requests or releases 0 units of {}", t(task), r(resource))
            }
            LockError::TooManyUnits { task, resource, units, exist } => {
                format!("{} requests {units} units of {} in all, but there are {exist}", t(task), r(resource))
            }
            LockError::ImproperNesting { task, resource } => format!(
                "{} releases {}, but that is not what it requested last and still holds",
                t(task),
                r(resource)
            ),
            LockError::NeverReleased { task, resource } => {
                format!("{} never releases {}", t(task), r(resource))
            }
            LockError::NoServer { .. } | LockError::TwoServers { .. } | LockError::ServerRequests { .. } => {
                self.about_servers(&t, &r)
            }
            LockError::LongInsideShort { task, short, long } => format!(
                "{} requests the long resource {} while it holds the short resource {}",
                t(task),
                r(long),
                r(short)
            ),
            LockError::SuspendsInSection { .. }
            | LockError::NeitherReadNorWrite { .. }
            | LockError::NestedGlobal { .. }
            | LockError::SectionTooLong { .. }
            | LockError::SeveralUnits { user: Some(_), .. }
            | LockError::NotLocal { .. } => self.against_the_protocol(&t, &r),
            LockError::SeveralUnits { user: None, .. }
            | LockError::NeedsPfair { .. }
            | LockError::NeedsJobPriorities { .. }
            | LockError::PicksItself { .. }
            | LockError::NeedsOneCluster { .. }
            | LockError::TooFewUnits { .. }
            | LockError::NeedsFixedPriorities { .. }
            | LockError::NeedsLevels { .. }
            | LockError::NeedsPartitions { .. } => self.about_the_system(resource_name),
        }
    }

    /// The sentence, if a program does what the protocol does not allow.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an assertion: the caller chose the variants")]
    fn against_the_protocol(
        &self,
        t: &dyn Fn(&TaskId) -> String,
        r: &dyn Fn(&ResourceId) -> String,
    ) -> String {
        match self {
            LockError::SuspendsInSection { task, resource, protocol } => {
                format!(
                    "{} suspends itself while it holds {}, which {protocol} forbids",
                    t(task),
                    r(resource)
                )
            }
            LockError::NeitherReadNorWrite { task, resource, units, exist, protocol } => format!(
                "{} requests {units} of the {exist} units of {}, but under {protocol} one requests one, to read, or all, \
                 to write",
                t(task),
                r(resource)
            ),
            LockError::NestedGlobal { task, outer, inner, protocol } => format!(
                "{} requests {} while it holds {}: {protocol} forbids nesting with global resources",
                t(task),
                r(inner),
                r(outer)
            ),
            LockError::SectionTooLong { task, resource, length, quantum, protocol } => format!(
                "{} holds {} for {length}: {protocol} allows at most the quantum of {quantum}",
                t(task),
                r(resource)
            ),
            LockError::SeveralUnits { resource, user: Some(user), units, protocol } => format!(
                "{} requests {}, which has {units} units, but {protocol} knows resources of one unit only",
                t(user),
                r(resource)
            ),
            LockError::NotLocal { resource, first, second, protocol } => format!(
                "{} and {} use {} on different processors, which {protocol} does not support",
                t(first),
                t(second),
                r(resource)
            ),
            _ => unreachable!("only what a protocol forbids"),
        }
    }

    /// The sentence, if no program is at fault.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an assertion: the caller chose the variants")]
    fn about_the_system(&self, name_of: &dyn Fn(ResourceId) -> String) -> String {
        match self {
            LockError::SeveralUnits { resource, units, protocol, .. } => format!(
                "{} has {units} units, but {protocol} knows resources of one unit only",
                name_of(*resource)
            ),
            LockError::NeedsFixedPriorities { protocol } => {
                format!("{protocol} needs a scheduler with fixed priorities")
            }
            LockError::NeedsLevels { protocol } => {
                format!("{protocol} needs a scheduler with fixed priorities, or EDF")
            }
            LockError::NeedsPartitions { protocol, .. } => {
                format!("{protocol} needs a partitioned scheduler, with one processor for each cluster")
            }
            LockError::NeedsOneCluster { clusters, protocol } => {
                format!("there are {clusters} clusters, but {protocol} needs a global scheduler")
            }
            LockError::TooFewUnits { resource, readers, exist, protocol } => format!(
                "{} has {exist} units for {readers} reading tasks, but {protocol} needs one for each",
                name_of(*resource)
            ),
            LockError::NeedsPfair { protocol } => format!("{protocol} needs a Pfair scheduler"),
            LockError::NeedsJobPriorities { protocol } => {
                format!("{protocol} needs a scheduler that gives each job one priority")
            }
            LockError::PicksItself { protocol } => {
                format!("{protocol} needs a scheduler that leaves to it which job gets a resource")
            }
            _ => unreachable!("a program is at fault"),
        }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_names(&|task| task.to_string(), &|resource| resource.to_string()))
    }
}

impl core::error::Error for LockError {}
