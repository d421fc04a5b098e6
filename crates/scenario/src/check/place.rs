//! Checks of tasks' places on the machine.

use crate::fault::OfPart;
use crate::scenario::{Scenario, TaskSpec};
use schedlab_model::{Duration, Work};

/// Checks the processor, the affinity and the cluster of a task.
pub(super) fn place(scenario: &Scenario, task: &TaskSpec, faults: &mut OfPart<'_>) {
    let processors = scenario.platform.processors;
    if let Some(processor) = task.processor.filter(|processor| *processor >= processors) {
        let allowed = format!("from 0 to {}", processors.saturating_sub(1));
        faults.refuse("processor", processor, "does not exist", allowed);
    }
    affinity(task, processors, faults);
    pieces(task, processors, faults);
    if let Some(cluster) = task.cluster {
        let clusters = scenario.platform.clusters.lists(processors);
        match clusters.get(usize::from(cluster)) {
            None => {
                let allowed = format!("from 0 to {}", clusters.len().saturating_sub(1));
                faults.refuse("cluster", cluster, "does not exist", allowed);
            }
            Some(cpus) => {
                if let Some(processor) = task.processor.filter(|processor| !cpus.contains(processor)) {
                    let why = format!("does not hold the task's processor {processor}");
                    faults.refuse("cluster", cluster, why, "the processor's cluster");
                }
            }
        }
    }
}

/// Checks that each processor of the affinity exists and is named once, and that the task's given processor is among
/// them.
fn affinity(task: &TaskSpec, processors: u16, faults: &mut OfPart<'_>) {
    let mut seen = vec![false; usize::from(processors)];
    for &cpu in &task.affinity {
        match seen.get_mut(usize::from(cpu)) {
            None => {
                let allowed = format!("from 0 to {}", processors.saturating_sub(1));
                return faults.refuse("affinity", cpu, "does not exist", allowed);
            }
            Some(true) => return faults.refuse("affinity", cpu, "is named twice", "each once"),
            Some(first) => *first = true,
        }
    }
    let outside = |cpu: &u16| !task.affinity.is_empty() && !task.affinity.contains(cpu);
    if let Some(processor) = task.processor.filter(outside) {
        let why = format!("is none of the task's affinity {:?}", task.affinity);
        faults.refuse("processor", processor, why, "one of them");
    }
}

/// Checks that pieces are on processors that exist, each on another one, that they follow each other up to the
/// deadline, and that they hold the WCET.
fn pieces(task: &TaskSpec, processors: u16, faults: &mut OfPart<'_>) {
    let (mut due, mut held) = (Duration::ZERO, 0u64);
    for (index, piece) in task.pieces.iter().enumerate() {
        let processor = piece.cpu.0;
        if processor >= processors {
            let allowed = format!("from 0 to {}", processors.saturating_sub(1));
            return faults.refuse("pieces", format!("processor {processor}"), "does not exist", allowed);
        }
        if task.pieces[..index].iter().any(|before| before.cpu == piece.cpu) {
            let value = format!("processor {processor}");
            return faults.refuse("pieces", value, "has two pieces of the task", "each piece on another one");
        }
        if piece.begin < due {
            let why = format!("is before the piece before it is due, {due} after the arrival");
            return faults.refuse("pieces", format!("begin {}", piece.begin), why, format!("from {due} on"));
        }
        due = match piece.begin.as_ns().checked_add(piece.relative_deadline.as_ns()) {
            Some(due) => Duration::from_ns(due),
            None => Duration::from_ns(u64::MAX),
        };
        held = held.saturating_add(piece.budget.as_ns());
    }
    if due > task.relative_deadline {
        let value = format!("a last piece that is due {due} after the arrival");
        let why = format!("is after the relative deadline of {}", task.relative_deadline);
        return faults.refuse("pieces", value, why, format!("at most {}", task.relative_deadline));
    }
    if !task.pieces.is_empty() && held < task.wcet.as_ns() {
        let value = format!("budgets of {} in all", Work::from_ns(held));
        let why = format!("are less than the WCET of {}", task.wcet);
        faults.refuse("pieces", value, why, format!("at least {}", task.wcet));
    }
}
