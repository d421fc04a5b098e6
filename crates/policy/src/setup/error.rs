//! Reasons why a policy cannot be made for a system.

use super::affinity::Affinity;
use super::supertask::SupertaskError;
use super::weight::{Weight, WeightError};
use core::fmt;
use schedlab_model::{Duration, TaskId};

/// Reason why a policy cannot be made for a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The quantum is zero.
    NoQuantum,
    /// There is no processor.
    NoProcessor,
    /// A deadline, or a period, is shorter than a quantum.
    ShorterThanQuantum {
        /// Id of the task.
        task: TaskId,
        /// The shorter of period and relative deadline.
        length: Duration,
        /// The quantum.
        quantum: Duration,
    },
    /// The task's quanta and slots are no weight.
    Weight {
        /// Id of the task.
        task: TaskId,
        /// Error in the pair of numbers.
        error: WeightError,
    },
    /// The weights of the tasks that are there at one time add up to more than there are processors.
    Overload {
        /// The task that joins last, in order of joining, then of index.
        task: TaskId,
        /// Weight of the task.
        weight: Weight,
        /// Number of processors.
        processors: usize,
        /// Slot from which on there is room, if tasks that leave make it.
        from: Option<u64>,
    },
    /// The weights of the tasks and supertasks that are there at one time add up to more than there are processors.
    SupertaskOverload {
        /// Index of the supertask for which there is no room.
        supertask: usize,
        /// Weight of the supertask.
        weight: Weight,
        /// Number of processors.
        processors: usize,
    },
    /// The components of a supertask are ill-formed.
    Supertask {
        /// Index of the supertask.
        supertask: usize,
        /// Error in its components.
        error: SupertaskError,
    },
    /// The scheduler gives jobs up, and no handler makes an aborted job leave its sections.
    SectionsOfAborted {
        /// A task with sections.
        task: TaskId,
    },
    /// The scheduler is not made for tasks of this kind.
    NotForTask {
        /// Id of the task.
        task: TaskId,
        /// What the scheduler does not know how to schedule, why, and what it allows.
        why: &'static str,
    },
    /// The utilizations add up to more than there are processors.
    OverUtilized {
        /// Number of processors.
        processors: usize,
        /// True if they do so only after they were rounded up, so that budgets are whole nanoseconds.
        is_rounded: bool,
    },
    /// The reserves of notional processors exceed the slots of the processors.
    NoRoomInSlots {
        /// Nanoseconds of all reserves in a slot.
        needed: u128,
        /// Nanoseconds of a slot of all processors.
        available: u128,
    },
    /// A task fits on no processor of the groups within which tasks are split.
    NoGroup {
        /// Id of the task.
        task: TaskId,
        /// Number of processors of a group.
        k: usize,
        /// True if it fits before utilizations are rounded up, so that shares are whole nanoseconds.
        is_rounded: bool,
    },
    /// A scheduler of the user's own refuses the system, for this reason.
    Own(&'static str),
    /// The kernel's own scheduler decides in real runs only.
    NotModelled,
    /// The affinity does not go with staggered quanta.
    StaggeredAffinity {
        /// Affinity of the scenario.
        affinity: Affinity,
    },
}

impl SetupError {
    /// The task that the error is about, if there is one.
    pub const fn task(&self) -> Option<TaskId> {
        if let SetupError::ShorterThanQuantum { task, .. }
        | SetupError::Weight { task, .. }
        | SetupError::Overload { task, .. }
        | SetupError::NotForTask { task, .. }
        | SetupError::NoGroup { task, .. }
        | SetupError::SectionsOfAborted { task } = *self
        {
            return Some(task);
        }
        None
    }

    /// The supertask that the error is about, if there is one.
    pub const fn supertask(&self) -> Option<usize> {
        if let SetupError::SupertaskOverload { supertask, .. } | SetupError::Supertask { supertask, .. } =
            *self
        {
            return Some(supertask);
        }
        None
    }

    /// True if the scheduler has no room for the tasks, or none for tasks of their kind: a result rather than a
    /// mistake.
    pub const fn is_lack_of_room(&self) -> bool {
        matches!(
            self,
            SetupError::ShorterThanQuantum { .. }
                | SetupError::Weight { .. }
                | SetupError::Overload { .. }
                | SetupError::SupertaskOverload { .. }
                | SetupError::OverUtilized { .. }
                | SetupError::NoRoomInSlots { .. }
                | SetupError::NoGroup { .. }
                | SetupError::NotForTask { .. }
        )
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::NoQuantum => write!(f, "a quantum of 0; allowed: from 1 ns"),
            SetupError::NoProcessor => write!(f, "0 processors; allowed: from 1"),
            SetupError::NotModelled => f.write_str(
                "not modelled: here Linux itself decides, and no model of it exists yet; allowed: `schedlab run`, and \
                 `schedlab compare --run`",
            ),
            SetupError::SectionsOfAborted { task } => write!(
                f,
                "{task}: a utility-accrual scheduler may give a job up within its critical or non-preemptive sections. \
                 Allowed: tasks without sections, or with an abort_handler that leaves them"
            ),
            SetupError::NotForTask { task, why } => write!(f, "{task}: {why}"),
            SetupError::OverUtilized { processors, is_rounded } => {
                let plural = if *processors == 1 { "" } else { "s" };
                match is_rounded {
                    false => write!(f, "the utilizations add up to more than {processors} processor{plural}; ")?,
                    true => write!(
                        f,
                        "the budgets of servers are no whole nanoseconds, and utilizations rounded up to multiples of \
                         1/g, where g is the greatest common divisor of the periods in nanoseconds, add up to more than \
                         {processors} processor{plural}; "
                    )?,
                }
                f.write_str("allowed: tasks that fit")
            }
            SetupError::NoGroup { task, k, is_rounded } => {
                let rounded = match is_rounded {
                    true => ", with utilizations rounded up so that shares are whole nanoseconds",
                    false => "",
                };
                write!(
                    f,
                    "{task}: fits on no processor{rounded}, because tasks are split within groups of {k} only; \
                     allowed: larger groups, or utilizations that add up to at most m k/(k+1)"
                )
            }
            SetupError::NoRoomInSlots { needed, available } => write!(
                f,
                "the reserves of the notional processors take {needed} ns of each slot, and the processors have \
                 {available} ns; allowed: utilizations that add up to at most m (2d + 1) / (2d + 2), with d slots in the \
                 shortest period; a larger d leaves more room"
            ),
            SetupError::Own(why) => f.write_str(why),
            SetupError::ShorterThanQuantum { task, length, quantum } => {
                write!(f, "{task}: the period or relative deadline of {length} is shorter than the quantum of {quantum}")
            }
            SetupError::Weight { task, error } => write!(f, "{task}: {error}"),
            SetupError::Overload { task, weight, processors, .. } => {
                write!(
                    f,
                    "{task}: with its weight of {weight}, the tasks need more than {processors} processor{}; ",
                    if *processors == 1 { "" } else { "s" }
                )?;
                write!(f, "costs are rounded up to quanta, periods down")
            }
            SetupError::SupertaskOverload { supertask, weight, processors } => write!(
                f,
                "supertask {supertask}: with its weight of {weight}, tasks and supertasks need more than {processors} \
                 processors"
            ),
            SetupError::Supertask { supertask, error } => write!(f, "supertask {supertask}: {error}"),
            SetupError::StaggeredAffinity { affinity } => {
                let why = affinity.unsafe_when_staggered().unwrap_or("is refused");
                write!(f, "affinity \"{}\" {why}; allowed: {}", affinity.name(), Affinity::STAGGERED)
            }
        }
    }
}

impl core::error::Error for SetupError {}
