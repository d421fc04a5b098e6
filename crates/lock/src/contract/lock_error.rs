//! What is wrong with a system for a locking protocol.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use schedlab_model::{Duration, ResourceId, TaskId};

/// Why a protocol does not take a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockError {
    /// What is broken.
    pub rule: BrokenRule,
    /// Whose program breaks it, and at which step; if a program does.
    pub place: Option<(TaskId, usize)>,
}

/// Which rule a task's program, or the system, breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenRule {
    /// A program releases what it does not hold, or not what it requested last.
    ImproperNesting(ResourceId),
    /// A job suspends itself while it holds a resource, which the protocol does not allow.
    SuspendsInSection {
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
    /// The protocol needs another scheduler.
    NeedsScheduler {
        /// What sort of scheduler.
        what: &'static str,
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol knows only requests for one unit, to read, and for all units, to write.
    NeitherReadNorWrite {
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
        /// A user on another processor.
        first: TaskId,
        /// Which protocol.
        protocol: &'static str,
    },
    /// The protocol allows no request for or within a section of a global resource.
    NestedGlobal {
        /// What the job holds.
        outer: ResourceId,
        /// What it requests meanwhile.
        inner: ResourceId,
        /// Which protocol.
        protocol: &'static str,
    },
    /// A resource that is requested has no server.
    NoServer {
        /// Which resource.
        resource: ResourceId,
        /// Which protocol.
        protocol: &'static str,
    },
    /// A resource has two servers.
    TwoServers {
        /// Which resource.
        resource: ResourceId,
        /// The other server, or the same once more.
        first: TaskId,
    },
    /// A server requests a resource itself.
    ServerRequests(ResourceId),
    /// A section may be longer than the protocol allows.
    SectionTooLong {
        /// What the job holds.
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
        /// The short resource.
        short: ResourceId,
        /// The long resource.
        long: ResourceId,
    },
}

impl BrokenRule {
    /// The program of `task` breaks it at this step.
    pub(crate) fn at(self, task: TaskId, step: usize) -> LockError {
        LockError { rule: self, place: Some((task, step)) }
    }
}

impl From<BrokenRule> for LockError {
    fn from(rule: BrokenRule) -> Self {
        LockError { rule, place: None }
    }
}

impl LockError {
    /// `protocol` needs such a scheduler.
    pub fn needs(what: &'static str, protocol: &'static str) -> Self {
        BrokenRule::NeedsScheduler { what, protocol }.into()
    }

    /// Which resource is at fault, if no program but the resource itself is.
    pub fn resource(&self) -> Option<ResourceId> {
        if let BrokenRule::SeveralUnits { resource, .. } | BrokenRule::TooFewUnits { resource, .. } =
            self.rule
        {
            return Some(resource);
        }
        None
    }

    /// What the system may say instead, if that would help. Whether another protocol or scheduler takes it as it is,
    /// only they can tell: [`LockError::is_of_protocol`], [`LockError::is_of_scheduler`].
    pub fn allowed(&self) -> Option<&'static str> {
        Some(match self.rule {
            BrokenRule::ImproperNesting(_) => "to release first what was requested last",
            BrokenRule::SuspendsInSection { .. } => "to suspend after the release",
            BrokenRule::SeveralUnits { .. } => "units = 1",
            BrokenRule::NotLocal { .. } => "all its users on one processor",
            BrokenRule::NestedGlobal { .. } => "one request at a time where users are on several processors",
            BrokenRule::NeitherReadNorWrite { .. } => "one unit, to read, or all units, to write",
            BrokenRule::TooFewUnits { .. } => "at least as many units as tasks that read",
            BrokenRule::SectionTooLong { .. } => "shorter sections, or a longer quantum",
            BrokenRule::NoServer { .. } => "a task whose program begins with \"serve R\"",
            BrokenRule::TwoServers { .. } => "one server for each resource",
            BrokenRule::ServerRequests(_) => "a program that serves and executes only",
            BrokenRule::LongInsideShort { .. } => {
                "a short request within a long one, or both of one length, which makes them one group"
            }
            BrokenRule::NeedsScheduler { .. } => return None,
        })
    }

    /// Whether it is the protocol that refuses this, so that another one may allow it.
    pub fn is_of_protocol(&self) -> bool {
        !matches!(
            self.rule,
            BrokenRule::ImproperNesting(_)
                | BrokenRule::TwoServers { .. }
                | BrokenRule::ServerRequests(_)
                | BrokenRule::LongInsideShort { .. }
        )
    }

    /// Whether the protocol needs another scheduler.
    pub fn is_of_scheduler(&self) -> bool {
        matches!(self.rule, BrokenRule::NeedsScheduler { .. })
    }

    /// The rule in a sentence, with these names of tasks and resources.
    pub fn with_names(&self, t: &dyn Fn(TaskId) -> String, r: &dyn Fn(ResourceId) -> String) -> String {
        let who = self.place.map(|(task, _)| t(task)).unwrap_or_default();
        match self.rule {
            BrokenRule::ImproperNesting(resource) => {
                let what = r(resource);
                format!("{who} releases {what}, but that is not what it requested last and still holds")
            }
            BrokenRule::SuspendsInSection { resource, protocol } => {
                format!("{who} suspends itself while it holds {}, which {protocol} forbids", r(resource))
            }
            BrokenRule::SeveralUnits { resource, user, units, protocol } => {
                let (what, only) = (r(resource), format!("{protocol} knows resources of one unit only"));
                match user {
                    Some(user) => format!("{} requests {what}, which has {units} units, but {only}", t(user)),
                    None => format!("{what} has {units} units, but {only}"),
                }
            }
            BrokenRule::NeedsScheduler { what, protocol } => format!("{protocol} needs {what}"),
            BrokenRule::NeitherReadNorWrite { resource, units, exist, protocol } => format!(
                "{who} requests {units} of the {exist} units of {}, but under {protocol} one requests one, to read, \
                 or all, to write",
                r(resource)
            ),
            BrokenRule::TooFewUnits { resource, readers, exist, protocol } => format!(
                "{} has {exist} units for {readers} reading tasks, but {protocol} needs one for each",
                r(resource)
            ),
            BrokenRule::NotLocal { resource, first, protocol } => {
                let (first, what) = (t(first), r(resource));
                format!("{first} and {who} use {what} on different processors, which {protocol} does not support")
            }
            BrokenRule::NestedGlobal { outer, inner, protocol } => {
                let (outer, inner) = (r(outer), r(inner));
                format!(
                    "{who} requests {inner} while it holds {outer}: {protocol} forbids nesting with global resources"
                )
            }
            BrokenRule::NoServer { resource, protocol } => {
                format!("{who} requests {}, which no task serves, but {protocol} needs a server", r(resource))
            }
            BrokenRule::TwoServers { resource, first } => {
                format!("{} is served by {} and by {who}, but may have one server only", r(resource), t(first))
            }
            BrokenRule::ServerRequests(resource) => {
                format!("{who} is a server and requests {}, but servers make no requests", r(resource))
            }
            BrokenRule::SectionTooLong { resource, length, quantum, protocol } => {
                let what = r(resource);
                format!("{who} holds {what} for {length}: {protocol} allows at most the quantum of {quantum}")
            }
            BrokenRule::LongInsideShort { short, long } => {
                let (short, long) = (r(short), r(long));
                format!("{who} requests the long resource {long} while it holds the short resource {short}")
            }
        }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_names(&|task| task.to_string(), &|resource| resource.to_string()))
    }
}

impl core::error::Error for LockError {}
