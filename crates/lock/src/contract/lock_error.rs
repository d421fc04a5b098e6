//! Errors in a system for a locking protocol.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use schedlab_model::{Duration, ResourceId, TaskId};

/// Reason why a protocol does not take a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockError {
    /// Rule that is broken.
    pub rule: BrokenRule,
    /// Task whose program breaks the rule, and the step; `None` if no program does.
    pub place: Option<(TaskId, usize)>,
}

/// Rule that a task's program, or the system, breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenRule {
    /// A program releases what it does not hold, or not what it requested last.
    ImproperNesting(ResourceId),
    /// A job suspends itself while it holds a resource, which the protocol does not allow.
    SuspendsInSection {
        /// Resource that the job holds.
        resource: ResourceId,
        /// Name of the protocol.
        protocol: &'static str,
    },
    /// The protocol knows resources of one unit only.
    SeveralUnits {
        /// Id of the resource.
        resource: ResourceId,
        /// A task that requests it, if one does.
        user: Option<TaskId>,
        /// Number of units of the resource.
        units: u32,
        /// Name of the protocol.
        protocol: &'static str,
    },
    /// The protocol needs another scheduler.
    NeedsScheduler {
        /// Kind of scheduler that is needed.
        what: &'static str,
        /// Name of the protocol.
        protocol: &'static str,
    },
    /// The protocol knows only requests for one unit, to read, and for all units, to write.
    NeitherReadNorWrite {
        /// Id of the resource.
        resource: ResourceId,
        /// Number of requested units.
        units: u32,
        /// Number of units that exist.
        exist: u32,
        /// Name of the protocol.
        protocol: &'static str,
    },
    /// There are fewer units than tasks that read.
    TooFewUnits {
        /// Id of the resource.
        resource: ResourceId,
        /// Number of tasks that read the resource.
        readers: usize,
        /// Number of units that exist.
        exist: u32,
        /// Name of the protocol.
        protocol: &'static str,
    },
    /// The protocol shares resources within one processor only.
    NotLocal {
        /// Id of the resource.
        resource: ResourceId,
        /// A user on another processor.
        first: TaskId,
        /// Name of the protocol.
        protocol: &'static str,
    },
    /// The protocol allows no request for or within a section of a global resource.
    NestedGlobal {
        /// Resource that the job holds.
        outer: ResourceId,
        /// Resource that the job requests meanwhile.
        inner: ResourceId,
        /// Name of the protocol.
        protocol: &'static str,
    },
    /// A resource that is requested has no server.
    NoServer {
        /// Id of the resource.
        resource: ResourceId,
        /// Name of the protocol.
        protocol: &'static str,
    },
    /// A resource has two servers.
    TwoServers {
        /// Id of the resource.
        resource: ResourceId,
        /// The other server, or the same task once more.
        first: TaskId,
    },
    /// A server requests a resource itself.
    ServerRequests(ResourceId),
    /// A section may be longer than the protocol allows.
    SectionTooLong {
        /// Resource that the job holds.
        resource: ResourceId,
        /// Length of the section.
        length: Duration,
        /// Longest section that is allowed: a quantum.
        quantum: Duration,
        /// Name of the protocol.
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
    /// Error: the program of `task` breaks the rule at this step.
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
    /// Error: `protocol` needs a scheduler of the kind `what`.
    pub fn needs(what: &'static str, protocol: &'static str) -> Self {
        BrokenRule::NeedsScheduler { what, protocol }.into()
    }

    /// Returns the resource at fault, if no program but the resource itself is.
    pub fn resource(&self) -> Option<ResourceId> {
        if let BrokenRule::SeveralUnits { resource, .. } | BrokenRule::TooFewUnits { resource, .. } =
            self.rule
        {
            return Some(resource);
        }
        None
    }

    /// Returns what the system may state instead, if that would help. Only other protocols and schedulers can decide
    /// whether they take it as it is: [`LockError::is_of_protocol`], [`LockError::is_of_scheduler`].
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

    /// Returns whether the protocol is the reason of the error, so that another one may allow the system.
    pub fn is_of_protocol(&self) -> bool {
        !matches!(
            self.rule,
            BrokenRule::ImproperNesting(_)
                | BrokenRule::TwoServers { .. }
                | BrokenRule::ServerRequests(_)
                | BrokenRule::LongInsideShort { .. }
        )
    }

    /// Returns whether the protocol needs another scheduler.
    pub fn is_of_scheduler(&self) -> bool {
        matches!(self.rule, BrokenRule::NeedsScheduler { .. })
    }

    /// Returns the rule as a sentence, with these names of tasks and resources.
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
