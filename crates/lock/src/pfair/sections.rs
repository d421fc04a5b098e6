//! How long sections are.

use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{ResourceId, Step, Task, Work};

/// By resource: the longest section of a task, from request to release; `None` where it has none.
pub fn longest_sections(task: &Task, resources: usize) -> Vec<Option<Work>> {
    let mut longest: Vec<Option<Work>> = vec![None; resources];
    let mut open: Vec<(ResourceId, u64)> = Vec::new();
    for step in &task.program {
        match *step {
            Step::Request(resource, _) => open.push((resource, 0)),
            Step::Execute(work) => {
                open.iter_mut().for_each(|(_, sum)| *sum = sum.saturating_add(work.as_ns()));
            }
            Step::Release(..) => {
                if let Some((resource, sum)) = open.pop() {
                    let known = &mut longest[resource.index()];
                    *known = (*known).max(Some(Work::from_ns(sum)));
                }
            }
            Step::Serve(_) | Step::Suspend(_) | Step::NpEnter | Step::NpExit => {}
        }
    }
    longest
}
