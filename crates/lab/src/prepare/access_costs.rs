//! What operations on objects cost, where overheads say so: each section on one takes as long as its access does, or
//! longer if the program says so.
//!
//! Block-or-not-2008, section 4.2: the cost of an access is part of the cost of each task that makes it. It depends on
//! how many tasks share the object.

use schedlab_model::{Duration, ResourceId, Step, Task, Work};

/// The tasks, each of whose sections on a resource takes at least as long as `cost` says of it and of how many tasks
/// share it.
pub(crate) fn accessing(tasks: &[Task], cost: impl Fn(ResourceId, usize) -> Option<Duration>) -> Vec<Task> {
    let requests = |task: &Task, resource| task.program.iter().any(|step| step.requested() == Some(resource));
    let of = |resource| cost(resource, tasks.iter().filter(|task| requests(task, resource)).count());
    tasks.iter().map(|task| with_costs(task, of)).collect()
}

/// The task with sections at least as long as `cost` says, where it does; sections on such a resource do not nest.
fn with_costs(task: &Task, cost: impl Fn(ResourceId) -> Option<Duration>) -> Task {
    let (mut program, mut wcet) = (Vec::with_capacity(task.program.len()), task.wcet.as_ns());
    // What the section that goes on lacks.
    let mut lacking = 0;
    for &step in &task.program {
        match step {
            Step::Request(resource, _) => lacking = cost(resource).map_or(0, Duration::as_ns),
            Step::Execute(work) => lacking = lacking.saturating_sub(work.as_ns()),
            Step::Release(..) if lacking > 0 => {
                program.push(Step::Execute(Work::from_ns(lacking)));
                wcet = wcet.saturating_add(lacking);
                lacking = 0;
            }
            Step::Release(..) | Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => {}
        }
        program.push(step);
    }
    Task { wcet: Work::from_ns(wcet), program, ..task.clone() }
}
