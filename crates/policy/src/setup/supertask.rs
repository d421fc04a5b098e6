//! Tasks that compete as one: what a system says of them.

use super::weight::Weight;
use crate::order::Order;
use alloc::vec::Vec;
use core::fmt;
use schedlab_model::TaskId;

/// When a supertask chooses among its components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComponentScheduling {
    /// Where each of its quanta begins: the chosen component has the whole quantum.
    QuantumBased,
    /// At any time within its quanta.
    #[default]
    FullyPreemptive,
}

impl ComponentScheduling {
    /// Each, with its name.
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
    /// Its share of a processor, all its components together.
    pub weight: Weight,
    /// Who of its components goes first.
    pub order: Order,
    /// When it chooses among them.
    pub scheduling: ComponentScheduling,
    /// Its components, at least one.
    pub components: Vec<TaskId>,
}

/// What is wrong with the components of a supertask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupertaskError {
    /// It has none.
    Empty,
    /// There is no such task in this cluster.
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
