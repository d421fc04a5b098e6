//! Tasks as weights: costs rounded up to quanta, periods and deadlines down.
//!
//! A job of cost C every T gets ceil(C/Q) quanta in min(D, T)/Q slots, rounded down. So no rounding makes a job
//! late if it arrives at a boundary; one that arrives within a quantum waits for the boundary, and is late by less
//! than a quantum at most. Tasks whose weights add up to at most M are feasible, and no others (Baruah et al. 1996).

use super::sum::exceeds;
use super::supertask::members;
use super::weight::{Weight, WeightError};
use crate::registry::ClusterSetup;
use crate::setup_error::SetupError;
use alloc::vec::Vec;
use schedlab_model::{Instant, Task, TaskId};

/// The first slot that begins at or after `at`.
#[inline]
pub fn slot_from(at: Instant, quantum: u64) -> u64 {
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

/// A task is there from its join until a block after the last instant before its leave: then the windows of the last job
/// that may have arrived end. The last one's b-bit is 0, and its group deadline is not later, so that the task may leave
/// then by the published conditions (d + b if light, the group deadline if heavy). A supertask is there always.
fn check_load(
    weights: &[Weight],
    supertask_of: &[Option<usize>],
    setup: &ClusterSetup<'_>,
) -> Result<(), SetupError> {
    let processors = setup.cpus.len();
    let join = |index: usize| setup.tasks.get(index).map_or(Instant::ZERO, |task| task.join);
    let competes = |index: &usize| match setup.tasks.get(*index) {
        Some(task) => task.cluster == setup.cluster && supertask_of[*index].is_none(),
        None => true,
    };
    let mut joining: Vec<usize> = (0..weights.len()).filter(competes).collect();
    joining.sort_by_key(|&index| join(index));
    let quantum = setup.platform.quantum.as_ns();
    let gone = |index: usize, at: u64| {
        setup.tasks.get(index).is_some_and(|task| {
            let last = task.leave.as_ns().saturating_sub(1).saturating_add(task.jitter.as_ns());
            last.div_ceil(quantum).saturating_add(weights[index].slots()) <= at
        })
    };
    let mut present = Vec::with_capacity(joining.len());
    for (nth, &index) in joining.iter().enumerate() {
        let at = join(index);
        present.retain(|&other| !gone(other, slot_from(at, quantum)));
        present.push(index);
        // Of those who join together the last one's check is everyone's.
        let last = joining.get(nth + 1).is_none_or(|&after| join(after) > at);
        if last && exceeds(present.iter().map(|&index| weights[index]), processors) {
            return Err(blame(&present, weights, setup));
        }
    }
    Ok(())
}

/// The first task, in order of joining, that is too much.
fn blame(present: &[usize], weights: &[Weight], setup: &ClusterSetup<'_>) -> SetupError {
    let processors = setup.cpus.len();
    let too_many = |count: &usize| exceeds(present[..*count].iter().map(|&index| weights[index]), processors);
    let count = (1..=present.len()).find(too_many).unwrap_or(present.len());
    let index = present[count - 1];
    let weight = weights[index];
    match index.checked_sub(setup.tasks.len()) {
        None => SetupError::Overload { task: TaskId(index as u32), weight, processors },
        Some(supertask) => SetupError::SupertaskOverload { supertask, weight, processors },
    }
}
