//! Supertasks: tasks that compete as one.

use super::weight::Weight;
use crate::order::Order;
use alloc::vec::Vec;
use core::fmt;
use schedlab_model::TaskId;

/// Times at which a supertask chooses among its components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComponentScheduling {
    /// At the begin of each of its quanta: the chosen component has the whole quantum.
    QuantumBased,
    /// At any time within its quanta.
    #[default]
    FullyPreemptive,
}

impl ComponentScheduling {
    /// All values with their names.
    pub const ALL: &[(&'static str, ComponentScheduling)] = &[
        ("fully-preemptive", ComponentScheduling::FullyPreemptive),
        ("quantum-based", ComponentScheduling::QuantumBased),
    ];

    /// The name in scenarios.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, known)| *known == self);
        found.expect("each has a name").0
    }
}

/// Tasks that compete as one.
#[derive(Clone, Debug)]
pub struct Supertask {
    /// Share of a processor for all components together.
    pub weight: Weight,
    /// Order of the components.
    pub order: Order,
    /// Times at which the supertask chooses among its components.
    pub scheduling: ComponentScheduling,
    /// Components of the supertask, at least one.
    pub components: Vec<TaskId>,
}

/// Error in the components of a supertask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupertaskError {
    /// The supertask has no components.
    Empty,
    /// The cluster has no such task.
    Unknown(TaskId),
    /// The task is in two supertasks, or twice in one.
    Twice(TaskId),
}

impl fmt::Display for SupertaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SupertaskError::Empty => write!(f, "no component; allowed: from 1"),
            SupertaskError::Unknown(task) => write!(f, "component {task} is no task of this cluster"),
            SupertaskError::Twice(task) => write!(f, "component {task} stands twice; allowed: once in all"),
        }
    }
}
