//! The overheads of batches: costs inflated by what a profile charges, cluster by cluster.

use schedlab_analysis::overheads::jlfp::{Accounting, Inflation};
use schedlab_model::{Duration, Overheads, Platform, Statistic, Task};

/// `tasks`, each on its cluster of `platform`, as `inflate` makes them; `None` if overheads leave no room for some.
pub(crate) fn inflated(
    mut tasks: Vec<Task>,
    platform: &Platform,
    overheads: &Overheads,
    statistic: Statistic,
    inflate: impl Fn(&[Task], &Accounting<'_>) -> Inflation<Vec<Task>>,
) -> Option<Vec<Task>> {
    let machine_tasks = tasks.len();
    for (at, cluster) in platform.clusters.iter().enumerate() {
        let members: Vec<usize> =
            (0..machine_tasks).filter(|&task| tasks[task].cluster.index() == at).collect();
        let here: Vec<Task> = members.iter().map(|&task| tasks[task].clone()).collect();
        let accounting = Accounting {
            overheads,
            statistic,
            quantum: platform.quantum,
            processors: cluster.cpus.len() as u32,
            machine_tasks,
            release_latency: Duration::ZERO,
            dedicated_interrupts: false,
        };
        let Inflation::Fits(inflated) = inflate(&here, &accounting) else { return None };
        members.into_iter().zip(inflated).for_each(|(task, with)| tasks[task] = with);
    }
    Some(tasks)
}
