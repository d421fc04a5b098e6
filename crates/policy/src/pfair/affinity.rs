//! On which processor does a task run that was chosen for a slot? (staggered-pfair-2005, section III.A)
//!
//! Which tasks run in which slot never depends on it.

use crate::setup::Affinity;
use alloc::vec;
use alloc::vec::Vec;

const NO_TASK: u32 = u32::MAX;
const NOWHERE: u16 = u16::MAX;

/// Processors where tasks ran, and the assignment of the current slot.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    affinity: Affinity,
    /// By task: the slot after the last one in which it ran (PS), 0 if it never ran.
    slot_after: Vec<u64>,
    /// By processor: the last task that ran there (PT).
    last_task: Vec<u32>,
    /// By task: the processors where it ran, the last one (PP) first; the rule's number of places for each task.
    history: Vec<u16>,
    depth: usize,
    /// By processor: the task that runs there in the current slot.
    chosen: Vec<u32>,
    waiting: Vec<u32>,
}

impl Assignment {
    /// Assignment before any task ran.
    pub(super) fn new(affinity: Affinity, tasks: usize, processors: usize) -> Self {
        let depth = if affinity == Affinity::MostRecentAvailable { processors } else { 1 };
        Assignment {
            affinity,
            slot_after: vec![0; tasks],
            last_task: vec![NO_TASK; processors],
            history: vec![NOWHERE; tasks * depth],
            depth,
            chosen: vec![NO_TASK; processors],
            waiting: Vec::with_capacity(processors),
        }
    }

    /// Returns the task that runs on `processor` in the slot that was assigned last.
    #[inline]
    pub(super) fn task_on(&self, processor: usize) -> Option<u32> {
        let task = self.chosen[processor];
        (task != NO_TASK).then_some(task)
    }

    /// Assigns `tasks`, most urgent first, to processors for `slot`.
    pub(super) fn assign(&mut self, slot: u64, tasks: &[u32]) {
        self.chosen.fill(NO_TASK);
        self.waiting.clear();
        self.waiting.extend_from_slice(tasks);
        match self.affinity {
            Affinity::None => {}
            Affinity::BackToBack => self.place_first(|all, task| all.slot_after[task as usize] == slot),
            // A task is the last one of one processor at most, since it leaves that only for having lost it.
            Affinity::LastScheduled => {
                self.place_first(|all, task| all.last_task[all.last_processor(task)] == task);
            }
            Affinity::MostRecent | Affinity::MostRecentAvailable => self.place_recent(),
            Affinity::DirectedMigration => self.place_upward(slot),
        }
        self.place_rest();
        for processor in 0..self.chosen.len() {
            if let Some(task) = self.task_on(processor) {
                self.remember(slot, task, processor);
            }
        }
    }

    /// Gives each task for which `keeps` holds the processor where it ran last.
    fn place_first(&mut self, keeps: impl Fn(&Self, u32) -> bool) {
        let mut waiting = core::mem::take(&mut self.waiting);
        waiting.retain(|&task| {
            let placed = self.has_run(task) && keeps(self, task);
            if placed {
                let processor = self.last_processor(task);
                self.chosen[processor] = task;
            }
            !placed
        });
        self.waiting = waiting;
    }

    /// Gives each task, in the order in which they ran, the last one first, the first free processor of its history.
    fn place_recent(&mut self) {
        let mut waiting = core::mem::take(&mut self.waiting);
        let slot_after = &self.slot_after;
        waiting.sort_unstable_by_key(|&task| (u64::MAX - slot_after[task as usize], task));
        waiting.retain(|&task| {
            let wishes = (0..self.depth).map(|nth| self.history[task as usize * self.depth + nth]);
            let mut free = wishes.take_while(|&index| index != NOWHERE).map(usize::from);
            match free.find(|&index| self.chosen[index] == NO_TASK) {
                Some(processor) => {
                    self.chosen[processor] = task;
                    false
                }
                None => true,
            }
        });
        self.waiting = waiting;
    }

    /// Gives each processor, from the lowest on, the most urgent task that did not run above it in the slot before.
    ///
    /// Every task finds a place: a processor gets none only if all that wait ran above it, on as many processors.
    fn place_upward(&mut self, slot: u64) {
        let mut waiting = core::mem::take(&mut self.waiting);
        for index in 0..self.chosen.len() {
            let has_left = |task: u32| self.slot_after[task as usize] != slot;
            let may = |&task: &u32| has_left(task) || self.last_processor(task) <= index;
            let Some(first) = waiting.iter().position(|task| !self.has_run(*task) || may(task)) else {
                continue;
            };
            self.chosen[index] = waiting.remove(first);
        }
        assert!(waiting.is_empty(), "a chosen task found no processor");
        self.waiting = waiting;
    }

    /// Gives the remaining tasks free processors, in rising order.
    fn place_rest(&mut self) {
        let mut waiting = self.waiting.iter();
        for place in self.chosen.iter_mut().filter(|place| **place == NO_TASK) {
            let Some(&task) = waiting.next() else { return };
            *place = task;
        }
    }

    fn remember(&mut self, slot: u64, task: u32, processor: usize) {
        self.slot_after[task as usize] = slot + 1;
        self.last_task[processor] = task;
        let from = task as usize * self.depth;
        let history = &mut self.history[from..from + self.depth];
        let known = history.iter().position(|&index| usize::from(index) == processor);
        let end = known.unwrap_or(history.len() - 1);
        history[..=end].rotate_right(1);
        history[0] = processor as u16;
    }

    fn has_run(&self, task: u32) -> bool {
        self.slot_after[task as usize] > 0
    }

    fn last_processor(&self, task: u32) -> usize {
        usize::from(self.history[task as usize * self.depth])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws which task runs on two or three processors in each slot; `None` is no task.
    fn drawn(affinity: Affinity, processors: usize, slots: &[&[u32]]) -> Vec<Vec<Option<u32>>> {
        let mut assignment = Assignment::new(affinity, 8, processors);
        let mut assign = |(slot, tasks): (usize, &&[u32])| {
            assignment.assign(slot as u64, tasks);
            (0..processors).map(|processor| assignment.task_on(processor)).collect()
        };
        slots.iter().enumerate().map(&mut assign).collect()
    }

    fn last(affinity: Affinity, processors: usize, slots: &[&[u32]]) -> Vec<Option<u32>> {
        drawn(affinity, processors, slots).pop().unwrap()
    }

    #[test]
    fn without_affinity_urgency_decides() {
        assert_eq!(last(Affinity::None, 2, &[&[1, 2], &[2, 1]]), [Some(2), Some(1)]);
        assert_eq!(last(Affinity::None, 2, &[&[1, 2], &[2]]), [Some(2), None]);
    }

    #[test]
    fn back_to_back_looks_one_slot_back() {
        assert_eq!(last(Affinity::BackToBack, 2, &[&[1, 2], &[2, 1]]), [Some(1), Some(2)]);
        assert_eq!(last(Affinity::BackToBack, 2, &[&[1, 2], &[2]]), [None, Some(2)]);
        assert_eq!(last(Affinity::BackToBack, 2, &[&[1, 2], &[], &[2]]), [Some(2), None]);
    }

    #[test]
    fn last_scheduled_remembers_by_processor() {
        assert_eq!(last(Affinity::LastScheduled, 2, &[&[1, 2], &[], &[2]]), [None, Some(2)]);
        // Task 2 ran on processor 1, and processor 1 ran 3 since.
        assert_eq!(last(Affinity::LastScheduled, 2, &[&[1, 2], &[1, 3], &[2]]), [Some(2), None]);
    }

    #[test]
    fn the_more_recent_gets_the_processor() {
        // Both ran on processor 0 last, 2 more recently.
        let slots: &[&[u32]] = &[&[1], &[2], &[1, 2]];
        assert_eq!(last(Affinity::MostRecent, 2, slots), [Some(2), Some(1)]);
        let idle_between: &[&[u32]] = &[&[1, 2], &[3, 4], &[], &[2, 1]];
        assert_eq!(last(Affinity::MostRecent, 2, idle_between), [Some(1), Some(2)]);
    }

    #[test]
    fn who_loses_tries_where_it_ran_before() {
        // Task 1 runs on 0, then on 2 (0 and 1 are taken by 3 and 4), then loses 2 to the more recent 5.
        let slots: &[&[u32]] = &[&[1], &[3, 4], &[3, 4, 1], &[3, 4, 5], &[5, 1]];
        assert_eq!(last(Affinity::MostRecentAvailable, 3, slots), [Some(1), None, Some(5)]);
        // Now 1 ran on 1 before.
        let losing: &[&[u32]] = &[&[0, 1], &[0, 4], &[0, 4, 1], &[0, 4, 5], &[5, 1]];
        assert_eq!(last(Affinity::MostRecentAvailable, 3, losing), [None, Some(1), Some(5)]);
        assert_eq!(last(Affinity::MostRecent, 3, losing), [Some(1), None, Some(5)]);
    }

    #[test]
    fn directed_migration_never_goes_down() {
        // Task 2 ran on processor 1 and may not go to 0, though it is the most urgent; 1 may stay or go up.
        assert_eq!(last(Affinity::DirectedMigration, 2, &[&[1, 2], &[2, 3]]), [Some(3), Some(2)]);
        assert_eq!(last(Affinity::DirectedMigration, 2, &[&[1, 2], &[2]]), [None, Some(2)]);
        assert_eq!(last(Affinity::DirectedMigration, 2, &[&[1, 2], &[3, 1]]), [Some(3), Some(1)]);
        assert_eq!(last(Affinity::DirectedMigration, 2, &[&[1, 2], &[], &[2]]), [Some(2), None]);
    }

    #[test]
    fn directed_migration_places_every_chosen_task() {
        let mut assignment = Assignment::new(Affinity::DirectedMigration, 6, 3);
        let (mut x, mut places) = (1u32, [(u64::MAX, 0); 6]);
        for slot in 0..5_000u64 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (first, count) = ((x >> 24) % 6, (x >> 16) % 4);
            let tasks: Vec<u32> = (0..count).map(|nth| (first + nth * ((x >> 8) % 2 * 4 + 1)) % 6).collect();
            assignment.assign(slot, &tasks);
            for &task in &tasks {
                let its = |&processor: &usize| assignment.task_on(processor) == Some(task);
                let to = (0..3).find(its).expect("it has a place");
                let (before, from) = places[task as usize];
                assert!(before.wrapping_add(1) != slot || to >= from, "slot {slot}: from {from} to {to}");
                places[task as usize] = (slot, to);
            }
        }
    }
}
