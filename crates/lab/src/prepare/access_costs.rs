//! Costs of operations on objects, where the overheads state them: each section on an object takes as long as its
//! access, or longer if the program says so.
//!
//! Block-or-not-2008, section 4.2: the cost of an access is part of the cost of each task that makes it. It depends on
//! how many tasks share the object.

use schedlab_model::{Duration, ResourceId, Step, Task, Work};

/// Returns the tasks with each section on a resource at least as long as `cost` returns for the resource and the number
/// of tasks that share it.
pub(crate) fn accessing(tasks: &[Task], cost: impl Fn(ResourceId, usize) -> Option<Duration>) -> Vec<Task> {
    let requests = |task: &Task, resource| task.program.iter().any(|step| step.requested() == Some(resource));
    let of = |resource| cost(resource, tasks.iter().filter(|task| requests(task, resource)).count());
    tasks.iter().map(|task| with_costs(task, of)).collect()
}

/// Returns the task with sections at least as long as `cost` returns. Sections on a resource with a cost do not nest.
fn with_costs(task: &Task, cost: impl Fn(ResourceId) -> Option<Duration>) -> Task {
    let (mut program, mut wcet) = (Vec::with_capacity(task.program.len()), task.wcet.as_ns());
    // Execution that the current section still lacks, in ns.
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
