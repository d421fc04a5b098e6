//! No more tasks than processors.
//!
//! From the definition: in a cluster with at least as many processors as tasks, of each of which at most
//! one job is ready at a time, every work-conserving scheduler executes a job whenever it is ready,
//! whatever the order, preemptive or not. Its response time is at most J + C + S, if that is at most T
//! so that no job waits for the one before. Linear time.

use crate::assumption::Assumption;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::system::{SporadicTask, System};
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::{Duration, Theorem};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "one_processor_each",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[Assumption::WorkConserving, Assumption::JobsInSequence, Assumption::NoOverheads],
    source: "by definition",
    cost: "O(n)",
    // Under Pfair a job waits for quantum boundaries even alone, and optimal schedulers let processors idle.
    applies: |system| system.quanta().is_none() && system.theorem().is_none_or(Theorem::is_work_conserving),
    run,
};

fn run(system: &System) -> Verdict {
    let (tasks, processors) = (system.tasks.len(), system.processors);
    if tasks > processors as usize {
        return TEST.unknown(Reason::MoreTasksThanProcessors { tasks, processors });
    }
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    let has = |task: &SporadicTask| task.relative_deadline.min(task.period);
    if let Some(task) = system.tasks.iter().find(|task| task.pending_cost() > has(task)) {
        let (needs, has) = (Ns(task.pending_cost()), Ns(has(task)));
        return TEST.unknown(Reason::LateAlone { task: task.id, needs, has });
    }
    let bounds = system.tasks.iter().map(|task| Some(Duration::from_ns(task.pending_cost())));
    TEST.schedulable(Reason::EnoughProcessors { tasks, processors }, Bounds::ResponseTime(bounds.collect()))
}
