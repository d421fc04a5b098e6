//! Blocking bound of one task.

use crate::assumption::Assumption;
use crate::reason::Reason;
use schedlab_model::{Task, Work};

/// Bounds on how long a job is delayed by requests of others, in the unit of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Longest delay while a job waits for what it requested, spinning or suspended as the protocol has it, or while
    /// its operations fail. `None` if no bound was found.
    pub remote: Option<u64>,
    /// Longest delay while a job is ready and less urgent jobs of its cluster execute.
    pub local: u64,
}

impl Terms {
    /// Terms with these two delays, both bounded.
    pub const fn new(remote: u64, local: u64) -> Self {
        Terms { remote: Some(remote), local }
    }

    /// The whole delay; `None` if it is not bounded.
    pub fn total(self) -> Option<u64> {
        self.remote.map(|remote| remote.saturating_add(self.local))
    }

    /// Adds the delays of `other` to these.
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

/// Blocking of each task, with its method and source.
#[derive(Clone, Debug)]
pub struct Blocking {
    /// The protocol.
    pub protocol: String,
    /// The method's name.
    pub method: &'static str,
    /// Publication of the bound.
    pub source: &'static str,
    /// Assumptions on which the bound rests.
    pub assumptions: &'static [Assumption],
    /// Reason why the terms are no bounds, if they are none: then they are the values at which the method stopped.
    pub not_a_bound: Option<Reason>,
    /// Bounds by task, in ns.
    pub terms: Vec<Terms>,
}
