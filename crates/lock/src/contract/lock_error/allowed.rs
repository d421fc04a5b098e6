//! What a system may be instead of what a [`LockError`] refuses.

use super::LockError;

impl LockError {
    /// What the system may say instead, if that would help. Whether another protocol or scheduler takes it as it is,
    /// only they can tell: [`LockError::is_of_protocol`], [`LockError::is_of_scheduler`].
    pub fn allowed(&self) -> Option<&'static str> {
        Some(match self {
            LockError::UnknownResource { .. } => "a resource that exists",
            LockError::NoUnits { .. } => "one unit or more",
            LockError::TooManyUnits { .. } => "at most as many units as there are",
            LockError::ImproperNesting { .. } => "to release first what was requested last",
            LockError::NeverReleased { .. } => "a release for each request",
            LockError::SuspendsInSection { .. } => "to suspend after the release",
            LockError::SeveralUnits { .. } => "units = 1",
            LockError::NotLocal { .. } => "all its users on one processor",
            LockError::NestedGlobal { .. } => "one request at a time where users are on several processors",
            LockError::NeitherReadNorWrite { .. } => "one unit, to read, or all units, to write",
            LockError::TooFewUnits { .. } => "at least as many units as tasks that read",
            LockError::SectionTooLong { .. } => "shorter sections, or a longer quantum",
            LockError::NoServer { .. } => "a task whose program begins with \"serve R\"",
            LockError::TwoServers { .. } => "one server for each resource",
            LockError::ServerRequests { .. } => "a program that serves and executes only",
            LockError::LongInsideShort { .. } => {
                "a short request within a long one, or both of one length, which makes them one group"
            }
            LockError::NeedsFixedPriorities { .. }
            | LockError::NeedsLevels { .. }
            | LockError::NeedsPartitions { .. }
            | LockError::NeedsOneCluster { .. }
            | LockError::NeedsPfair { .. }
            | LockError::NeedsJobPriorities { .. }
            | LockError::PicksItself { .. } => return None,
        })
    }

    /// Whether it is the protocol that refuses this, so that another one may allow it.
    pub fn is_of_protocol(&self) -> bool {
        !matches!(
            self,
            LockError::UnknownResource { .. }
                | LockError::NoUnits { .. }
                | LockError::TooManyUnits { .. }
                | LockError::ImproperNesting { .. }
                | LockError::NeverReleased { .. }
                | LockError::TwoServers { .. }
                | LockError::ServerRequests { .. }
                | LockError::LongInsideShort { .. }
        )
    }

    /// Whether the protocol needs another scheduler.
    pub fn is_of_scheduler(&self) -> bool {
        self.allowed().is_none()
    }
}
