//! Priorities of `SCHED_FIFO` as numbers.
//!
//! Each processor has the levels from 98 on for itself, as threads of different processors never compete; 99 is that of
//! the kernel's own threads. Where a processor needs more levels than there are, neighbours share one, in equal parts.
//! Tests count threads of equal priority as more urgent.

use schedlab_model::Task;
use schedlab_scenario::launch::{stated_priorities, MOST_URGENT};
use schedlab_scenario::Scenario;

/// Returns the priority of each thread: if `keeps_given` the numbers of the scenario, if these are priorities of Linux,
/// else levels by the tasks' order. Files for Linux have the same numbers ([`schedlab_scenario::launch`]).
pub(super) fn numbers(scenario: &Scenario, tasks: &[Task], keeps_given: bool) -> Vec<u32> {
    let scheduler = scenario.known_scheduler().filter(|_| keeps_given);
    if let Some(kept) = scheduler.and_then(|scheduler| stated_priorities(scenario, &scheduler)) {
        return kept;
    }
    let keys: Vec<(u16, u32)> = tasks.iter().map(|task| (task.cluster.0, task.fixed_priority)).collect();
    levels(&keys)
}

/// Returns the level of each thread, given its processor and a key of which the smaller is more urgent.
fn levels(threads: &[(u16, u32)]) -> Vec<u32> {
    let level = |(processor, key): &(u16, u32)| {
        let mut keys: Vec<u32> =
            threads.iter().filter(|(other, _)| other == processor).map(|(_, key)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        let (rank, count) = (keys.partition_point(|other| other < key) as u32, keys.len() as u32);
        let shared = if count > MOST_URGENT { rank * MOST_URGENT / count } else { rank };
        MOST_URGENT - shared
    };
    threads.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_processor_has_the_levels_for_itself() {
        assert_eq!(levels(&[(0, 7), (0, 3), (1, 9), (0, 7), (1, 2)]), [97, 98, 97, 97, 98]);
    }

    /// 98 threads have a level each. Of 200, two or three neighbours share one, and no less urgent thread is above.
    #[test]
    fn more_threads_than_levels_share_them_in_order() {
        let threads = |count: u32| (0..count).map(|key| (0, key)).collect::<Vec<_>>();
        let few = levels(&threads(98));
        assert_eq!((few[0], few[97]), (98, 1));
        let many = levels(&threads(200));
        assert_eq!((many[0], many[199]), (98, 1));
        assert!(many.windows(2).all(|pair| pair[0] >= pair[1]));
        let largest = (1..=98).map(|level| many.iter().filter(|one| **one == level).count()).max();
        assert_eq!(largest, Some(3));
    }
}
