//! Tasks as weights: costs rounded up to quanta, periods and deadlines down.
//!
//! A job of cost C every T gets ceil(C/Q) quanta in min(D, T)/Q slots, rounded down. So no rounding makes a job
//! late if it arrives at a boundary; one that arrives within a quantum waits for the boundary, and is late by less
//! than a quantum at most. Tasks whose weights add up to at most M are feasible, and no others (Baruah et al. 1996).

use super::admission::{Admission, NoRoom};
use super::supertask::members;
use crate::setup::{ClusterSetup, SetupError, Weight, WeightError};
use alloc::vec::Vec;
use schedlab_model::{Instant, Task, TaskId};

/// The first slot that begins at or after `at`.
#[inline]
pub(super) fn slot_from(at: Instant, quantum: u64) -> u64 {
    at.as_ns().div_ceil(quantum)
}

/// The weight of each task, then of each supertask, if the cluster can bear them all. A component has its
/// supertask's weight here, and does not compete itself.
pub fn weights(setup: &ClusterSetup<'_>) -> Result<Vec<Weight>, SetupError> {
    if setup.platform.quantum.is_zero() {
        return Err(SetupError::NoQuantum);
    }
    if setup.cpus.is_empty() {
        return Err(SetupError::NoProcessor);
    }
    let supertask_of = members(setup)?;
    let weight = |(index, of): (usize, &Option<usize>)| match of {
        Some(supertask) => Ok(setup.supertasks[*supertask].weight),
        None => weight(TaskId(index as u32), &setup.tasks[index], setup),
    };
    let mut weights = supertask_of.iter().enumerate().map(weight).collect::<Result<Vec<_>, _>>()?;
    weights.extend(setup.supertasks.iter().map(|supertask| supertask.weight));
    check_load(&weights, &supertask_of, setup)?;
    Ok(weights)
}

fn weight(task: TaskId, parameters: &Task, setup: &ClusterSetup<'_>) -> Result<Weight, SetupError> {
    let quantum = setup.platform.quantum;
    let length = parameters.period.min(parameters.relative_deadline);
    let slots = length.as_ns() / quantum.as_ns();
    if slots == 0 {
        return Err(SetupError::ShorterThanQuantum { task, length, quantum });
    }
    let quanta = parameters.wcet.as_ns().div_ceil(quantum.as_ns());
    Weight::new(quanta, slots).map_err(|error: WeightError| SetupError::Weight { task, error })
}

/// The slot from which on the weight of task `index` is free for certain, `u64::MAX` if it never is.
///
/// A task is there until a pattern after the last instant before its leave: then the windows of the last job that may
/// have arrived end. The last window's b-bit is 0, and its group deadline is not later, so that the task may leave then
/// by the published conditions ([`super::admission`]). A supertask is there always.
pub(super) fn free_slot(index: usize, weight: Weight, setup: &ClusterSetup<'_>) -> u64 {
    match setup.tasks.get(index) {
        Some(task) if task.leave < Instant::NEVER => {
            let last = task.leave.as_ns().saturating_sub(1).saturating_add(task.jitter.as_ns());
            last.div_ceil(setup.platform.quantum.as_ns()).saturating_add(weight.slots())
        }
        _ => u64::MAX,
    }
}

/// Returns the slot at which task or supertask `index` joins: the first one from its join on.
pub(super) fn join_slot(index: usize, setup: &ClusterSetup<'_>) -> u64 {
    setup.tasks.get(index).map_or(0, |task| slot_from(task.join, setup.platform.quantum.as_ns()))
}

/// True if task or supertask `index` competes in this cluster; components of supertasks do not.
pub(super) fn competes(index: usize, supertask_of: &[Option<usize>], setup: &ClusterSetup<'_>) -> bool {
    match setup.tasks.get(index) {
        Some(task) => task.cluster == setup.cluster && supertask_of[index].is_none(),
        None => true,
    }
}

/// Lets every task join in turn; the first one for which there is no room is an error.
fn check_load(
    weights: &[Weight],
    supertask_of: &[Option<usize>],
    setup: &ClusterSetup<'_>,
) -> Result<(), SetupError> {
    let processors = setup.cpus.len();
    let mut joining: Vec<usize> =
        (0..weights.len()).filter(|&index| competes(index, supertask_of, setup)).collect();
    joining.sort_by_key(|&index| join_slot(index, setup));
    let mut admission = Admission::new(processors);
    for index in joining {
        let weight = weights[index];
        let refused = |no_room: NoRoom| match index.checked_sub(setup.tasks.len()) {
            None => {
                SetupError::Overload { task: TaskId(index as u32), weight, processors, from: no_room.from }
            }
            Some(supertask) => SetupError::SupertaskOverload { supertask, weight, processors },
        };
        admission.join(index as u32, weight, join_slot(index, setup)).map_err(refused)?;
        let free = free_slot(index, weight, setup);
        if free < u64::MAX {
            admission.leave_at(index as u32, free);
        }
    }
    Ok(())
}
