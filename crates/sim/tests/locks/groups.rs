//! Which resources have one lock, from the definition of nesting.

use schedlab_lock::Protocol;
use schedlab_model::{Step, Task};

/// Under the FMLPs and OMLPs resources whose requests nest have one lock.
pub fn groups(protocol: &Protocol, tasks: &[Task], resources: usize) -> Vec<usize> {
    let mut group: Vec<usize> = (0..resources).collect();
    if !protocol.name.starts_with("fmlp") && !protocol.name.starts_with("omlp") {
        return group;
    }
    for task in tasks {
        let mut held: Vec<usize> = Vec::new();
        for step in &task.program {
            match step {
                Step::Request(inner, _) => {
                    for outer in &held {
                        let (a, b) = (group[*outer], group[inner.index()]);
                        group
                            .iter_mut()
                            .filter(|group| **group == a.max(b))
                            .for_each(|group| *group = a.min(b));
                    }
                    held.push(inner.index());
                }
                Step::Release(..) => drop(held.pop()),
                _ => {}
            }
        }
    }
    group
}
