//! No more tasks than processors.
//!
//! From the definition: in a cluster with at least as many processors as tasks, of each of which at most
//! one job is ready at a time, every work-conserving scheduler executes a job whenever it is ready,
//! whatever the order, preemptive or not. Its response time is at most J + C + S, if that is at most T
//! so that no job waits for the one before. Linear time.

use crate::assumption::Assumption;
use crate::reason::Reason;
use crate::system::System;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::Duration;

/// The registry's line.
pub static TEST: Test = Test {
    name: "one_processor_each",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[Assumption::WorkConserving, Assumption::JobsInSequence, Assumption::NoOverheads],
    source: "by definition",
    cost: "O(n)",
    // Under Pfair a job waits for quantum boundaries even alone.
    applies: |system| system.quanta().is_none(),
    run,
};

fn run(system: &System) -> Verdict {
    if system.tasks.len() > system.processors as usize {
        return TEST.unknown(Reason::MoreTasksThanProcessors);
    }
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    let late = |task: &&_| {
        let task: &crate::system::SporadicTask = task;
        task.pending_cost() > task.relative_deadline.min(task.period)
    };
    if let Some(task) = system.tasks.iter().find(late) {
        return TEST.unknown(Reason::LateAlone(task.id));
    }
    let bounds = system.tasks.iter().map(|task| Some(Duration::from_ns(task.pending_cost())));
    TEST.schedulable(Reason::EnoughProcessors, Bounds::ResponseTime(bounds.collect()))
}
