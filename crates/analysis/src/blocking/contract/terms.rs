//! What a blocking bound says of one task.

use crate::assumption::Assumption;
use crate::reason::Reason;
use schedlab_model::{Task, Work};

/// Bounds on how long a job is delayed by requests of others, in the unit of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// While it waits for what it requested: spinning or suspended, as the protocol has it; or while it does operations
    /// in vain. `None` if no bound was found.
    pub remote: Option<u64>,
    /// While it is ready and less urgent jobs of its cluster execute.
    pub local: u64,
}

impl Terms {
    /// Both delays.
    pub const fn new(remote: u64, local: u64) -> Self {
        Terms { remote: Some(remote), local }
    }

    /// The whole delay; `None` if it is not bounded.
    pub fn total(self) -> Option<u64> {
        self.remote.map(|remote| remote.saturating_add(self.local))
    }

    /// These delays and `other`.
    pub(crate) fn and(self, other: Terms) -> Self {
        let remote = self.remote.zip(other.remote).map(|(one, other)| one.saturating_add(other));
        Terms { remote, local: self.local.saturating_add(other.local) }
    }

    /// The task with these delays as execution and nothing to share; `None` if they are not bounded.
    pub fn as_execution(self, task: &Task) -> Option<Task> {
        let cost = task.wcet.as_ns().checked_add(self.total()?)?;
        Some(Task { wcet: Work::from_ns(cost), program: Vec::new(), ..task.clone() })
    }
}

/// Blocking of each task, and where it is from.
#[derive(Clone, Debug)]
pub struct Blocking {
    /// The protocol.
    pub protocol: String,
    /// The method's name.
    pub method: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What it rests on.
    pub assumptions: &'static [Assumption],
    /// Why the terms are no bounds, if they are none: then they are where the method stopped.
    pub not_a_bound: Option<Reason>,
    /// By task, in nanoseconds.
    pub terms: Vec<Terms>,
}
