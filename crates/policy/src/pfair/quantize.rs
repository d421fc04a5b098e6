//! Tasks as weights: costs rounded up to quanta, periods and deadlines down.
//!
//! A job of cost C every T gets ceil(C/Q) quanta in min(D, T)/Q slots, rounded down. So no rounding makes a job
//! late if it arrives at a boundary; one that arrives within a quantum waits for the boundary, and is late by less
//! than a quantum at most. Tasks whose weights add up to at most M are feasible, and no others (Baruah et al. 1996).

use super::sum::exceeds;
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

/// The weight of each task, if the cluster can bear them all.
pub fn weights(setup: &ClusterSetup<'_>) -> Result<Vec<Weight>, SetupError> {
    if setup.platform.quantum.is_zero() {
        return Err(SetupError::NoQuantum);
    }
    if setup.cpus.is_empty() {
        return Err(SetupError::NoProcessor);
    }
    let weight = |(index, task): (usize, &Task)| weight(TaskId(index as u32), task, setup);
    let weights = setup.tasks.iter().enumerate().map(weight).collect::<Result<Vec<_>, _>>()?;
    check_load(&weights, setup)?;
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

/// A task is there from its join until a block after its leave: then the windows of its last job end.
fn check_load(weights: &[Weight], setup: &ClusterSetup<'_>) -> Result<(), SetupError> {
    let processors = setup.cpus.len();
    let of_cluster = |index: &usize| setup.tasks[*index].cluster == setup.cluster;
    let mut joining: Vec<usize> = (0..weights.len()).filter(of_cluster).collect();
    joining.sort_by_key(|&index| setup.tasks[index].join);
    let quantum = setup.platform.quantum.as_ns();
    let gone = |index: usize, at: u64| {
        let leave = slot_from(setup.tasks[index].leave, quantum);
        leave.saturating_add(weights[index].slots()) <= at
    };
    let mut present = Vec::with_capacity(joining.len());
    for (nth, &index) in joining.iter().enumerate() {
        let at = setup.tasks[index].join;
        present.retain(|&other| !gone(other, at.as_ns() / quantum));
        present.push(index);
        // Of those who join together the last one's check is everyone's.
        let last = joining.get(nth + 1).is_none_or(|&after| setup.tasks[after].join > at);
        if last && exceeds(present.iter().map(|&index| weights[index]), processors) {
            return Err(blame(&present, weights, processors));
        }
    }
    Ok(())
}

/// The first task, in order of joining, that is too much.
fn blame(present: &[usize], weights: &[Weight], processors: usize) -> SetupError {
    let too_many = |count: &usize| exceeds(present[..*count].iter().map(|&index| weights[index]), processors);
    let count = (1..=present.len()).find(too_many).unwrap_or(present.len());
    let index = present[count - 1];
    SetupError::Overload { task: TaskId(index as u32), weight: weights[index], processors }
}
