//! Lengths of sections.

use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{ResourceId, Step, Task, Work};

/// Returns each section of a job of `task`, in the order of their ends: the resource, the length, and the step that
/// requests it.
pub(crate) fn sections(task: &Task) -> Vec<(ResourceId, Work, usize)> {
    let (mut open, mut all): (Vec<(ResourceId, u64, usize)>, Vec<_>) = (Vec::new(), Vec::new());
    for (index, step) in task.program.iter().enumerate() {
        match *step {
            Step::Request(resource, _) => open.push((resource, 0, index)),
            Step::Execute(work) => {
                open.iter_mut().for_each(|(_, sum, _)| *sum = sum.saturating_add(work.as_ns()));
            }
            Step::Release(..) => all.extend(open.pop().map(|(of, sum, from)| (of, Work::from_ns(sum), from))),
            Step::Serve(_) | Step::Suspend(_) | Step::NpEnter | Step::NpExit => {}
        }
    }
    all
}

/// By resource: the longest section of a task, from request to release; `None` where it has none.
pub fn longest_sections(task: &Task, resources: usize) -> Vec<Option<Work>> {
    let mut longest: Vec<Option<Work>> = vec![None; resources];
    for (resource, length, _) in sections(task) {
        let known = &mut longest[resource.index()];
        *known = (*known).max(Some(length));
    }
    longest
}
