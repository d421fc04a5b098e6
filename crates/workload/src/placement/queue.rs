//! Order in which a packing takes tasks.

use super::{PlacementOrder, PlacementWeight};
use core::cmp::Ordering;
use schedlab_model::{Task, TaskId};

/// Task ids in the order in which they are placed, in buffers that serve one set after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    ids: Vec<TaskId>,
    /// By task: a key that is smaller for a heavier task, in floating point, with the task's id in the last [`ID`]
    /// bits.
    keys: Vec<u64>,
}

/// Bits of a key that hold a task's id.
const ID: u32 = 16;
const IDS: u64 = (1 << ID) - 1;

/// Quotients that differ by more than this factor are in the right order, whatever was rounded and whatever ids hide:
/// converting both numbers and dividing them is off by three half [`f64::EPSILON`] at most.
const CLEAR: f64 = 1.0 + 1.0 / (1u64 << (50 - ID)) as f64;

impl Queue {
    /// Fills in the ids of `tasks` in this order; equal tasks as listed.
    pub(super) fn fill(&mut self, order: PlacementOrder, tasks: &[Task]) -> &[TaskId] {
        self.ids.clear();
        let all = (0..tasks.len() as u32).map(TaskId);
        match order {
            PlacementOrder::Given => self.ids.extend(all),
            PlacementOrder::RisingDeadline => {
                self.ids.extend(all);
                self.ids.sort_unstable_by_key(|&id| (tasks[id.index()].relative_deadline, id));
            }
            PlacementOrder::Decreasing(weight) => self.fill_decreasing(weight, tasks),
        }
        &self.ids
    }

    fn fill_decreasing(&mut self, weight: PlacementWeight, tasks: &[Task]) {
        let exactly = |a: TaskId, b: TaskId| {
            let (x, y) = (weight.of(&tasks[a.index()]), weight.of(&tasks[b.index()]));
            let cross = |p: (u64, u64), q: (u64, u64)| u128::from(p.0) * u128::from(q.1);
            cross(y, x).cmp(&cross(x, y)).then(a.cmp(&b))
        };
        if tasks.len() > IDS as usize {
            self.ids.extend((0..tasks.len() as u32).map(TaskId));
            self.ids.sort_unstable_by(|&a, &b| exactly(a, b));
            return;
        }
        let key = |(index, task): (usize, &Task)| {
            let (above, below) = weight.of(task);
            // Of numbers from 0 on, the larger one has the larger bits.
            !(above as f64 / below as f64).to_bits() & !IDS | index as u64
        };
        self.keys.clear();
        self.keys.extend(tasks.iter().enumerate().map(key));
        self.keys.sort_unstable();
        self.ids.extend(self.keys.iter().map(|key| TaskId((key & IDS) as u32)));
        self.put_right(exactly);
    }

    /// Sorts each run of tasks that rounding may have confused. Two that are in the wrong order lie in one run, since
    /// whatever stands between them is as close to them as they are to each other.
    fn put_right(&mut self, exactly: impl Fn(TaskId, TaskId) -> Ordering) {
        let nearly = |key: u64| f64::from_bits(!key & !IDS);
        let mut first = 0;
        for end in 1..=self.keys.len() {
            if end == self.keys.len() || nearly(self.keys[end - 1]) > nearly(self.keys[end]) * CLEAR {
                if end - first > 1 {
                    self.ids[first..end].sort_unstable_by(|&a, &b| exactly(a, b));
                }
                first = end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Random};
    use schedlab_model::{Duration, Work};

    /// The order agrees with a stable sort by cross products: few values, so that many are equal, and the largest,
    /// which doubles confuse.
    #[test]
    fn is_a_stable_sort() {
        let mut random = Random::stream(5, Purpose::Periods, 0);
        let mut queue = Queue::default();
        let (mut equal, mut confused) = (0, 0);
        for case in 0..2_000 {
            let task = |random: &mut Random| {
                let (cost, period) = match case % 3 {
                    0 => (random.between(1, 4), random.between(4, 8)),
                    1 => (u64::MAX - random.between(0, 3), u64::MAX - random.between(0, 3)),
                    _ => (random.between(1, 1 << 40), random.between(1 << 40, 1 << 41)),
                };
                Task::constrained(
                    Work::from_ns(cost),
                    Duration::from_ns(period),
                    Duration::from_ns(random.between(1, 5)),
                )
            };
            let tasks: Vec<Task> = (0..random.between(1, 12)).map(|_| task(&mut random)).collect();
            for order in [
                PlacementOrder::Given,
                PlacementOrder::RisingDeadline,
                PlacementOrder::Decreasing(PlacementWeight::Utilization),
            ] {
                let mut expected: Vec<TaskId> = (0..tasks.len() as u32).map(TaskId).collect();
                let heavier = |a: &Task, b: &Task| {
                    let cross =
                        |a: &Task, b: &Task| u128::from(a.wcet.as_ns()) * u128::from(b.period.as_ns());
                    (cross(b, a).cmp(&cross(a, b)), a.wcet != b.wcet)
                };
                match order {
                    PlacementOrder::Given => {}
                    PlacementOrder::RisingDeadline => {
                        expected.sort_by_key(|id| tasks[id.index()].relative_deadline)
                    }
                    PlacementOrder::Decreasing(_) => expected.sort_by(|a, b| {
                        let (found, differ) = heavier(&tasks[a.index()], &tasks[b.index()]);
                        equal += u32::from(found.is_eq());
                        confused += u32::from(found.is_ne() && differ && case % 3 == 1);
                        found
                    }),
                }
                assert_eq!(queue.fill(order, &tasks), expected, "{tasks:?}");
            }
        }
        assert!(equal > 1_000 && confused > 1_000, "{equal} {confused}");
    }
}
