//! Checks of tasks' places on the machine.

use crate::fault::OfPart;
use crate::scenario::{Scenario, TaskSpec};

/// Checks the processor, the affinity and the cluster of a task.
pub(super) fn place(scenario: &Scenario, task: &TaskSpec, faults: &mut OfPart<'_>) {
    let processors = scenario.platform.processors;
    if let Some(processor) = task.processor.filter(|processor| *processor >= processors) {
        let allowed = format!("from 0 to {}", processors.saturating_sub(1));
        faults.refuse("processor", processor, "does not exist", allowed);
    }
    affinity(task, processors, faults);
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
