//! Tasks that may not run yet, by the slot from which on they may: the `Incoming` heaps of fig. 5.
//!
//! The paper's array of heaps is unbounded. Here a ring holds a heap for each of the next slots, and one heap by
//! slot holds what lies beyond. A ring of more slots than there are tasks lets every invocation move a single
//! task: a task that is beyond when its slot enters the ring is in it before the slot is taken.

use super::forest::{By, Forest, NONE};
use alloc::vec;
use alloc::vec::Vec;

/// The tasks that will be eligible, by slot.
#[derive(Clone, Debug)]
pub(super) struct Calendar {
    /// First slot that was not taken yet.
    first: u64,
    /// Heaps of the slots from `first` on; the length is a power of two.
    ring: Vec<u32>,
    beyond: u32,
    is_beyond: Vec<bool>,
}

impl Calendar {
    /// An empty calendar for `tasks` tasks whose first slot is `first`.
    pub(super) fn new(tasks: usize, first: u64) -> Self {
        let ring = vec![NONE; (tasks + 2).next_power_of_two()];
        Calendar { first, ring, beyond: NONE, is_beyond: vec![false; tasks] }
    }

    /// Goes on to `slot` at once. The calendar must be empty.
    pub(super) fn skip_to(&mut self, slot: u64) {
        self.first = slot;
    }

    /// Adds `task`, which is eligible at the first slot or later.
    pub(super) fn insert(&mut self, task: u32, forest: &mut Forest) {
        let slot = forest.stream(task).eligible();
        assert!(slot >= self.first, "an eligible task does not wait");
        let is_beyond = slot - self.first >= self.ring.len() as u64;
        self.is_beyond[task as usize] = is_beyond;
        if is_beyond {
            forest.insert(By::Early, &mut self.beyond, task);
        } else {
            let index = self.place(slot);
            forest.insert(By::Urgent, &mut self.ring[index], task);
        }
    }

    /// Takes out `task`, which waits.
    pub(super) fn remove(&mut self, task: u32, forest: &mut Forest) {
        if self.is_beyond[task as usize] {
            forest.remove(By::Early, &mut self.beyond, task);
        } else {
            let index = self.place(forest.stream(task).eligible());
            forest.remove(By::Urgent, &mut self.ring[index], task);
        }
    }

    /// Takes all tasks of the first slot, as the root of a heap by urgency, and goes on to the next slot.
    pub(super) fn take(&mut self, forest: &Forest) -> u32 {
        let late = |task: u32| forest.stream(task).eligible() <= self.first;
        assert!(self.beyond == NONE || !late(self.beyond), "a task was not moved in time");
        let index = self.place(self.first);
        self.first += 1;
        core::mem::replace(&mut self.ring[index], NONE)
    }

    /// Moves one task into the ring if its slot has come near enough. One call for each slot is enough.
    pub(super) fn approach(&mut self, forest: &mut Forest) {
        let end = self.first + self.ring.len() as u64;
        if self.beyond != NONE && forest.stream(self.beyond).eligible() < end {
            if let Some(task) = forest.pop(By::Early, &mut self.beyond) {
                self.insert(task, forest);
            }
        }
    }

    fn place(&self, slot: u64) -> usize {
        (slot % self.ring.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pfair::{Stream, Weight, PD2};

    fn count(forest: &mut Forest, mut root: u32) -> usize {
        core::iter::from_fn(|| forest.pop(By::Urgent, &mut root)).count()
    }

    /// All tasks come at one far slot, or at slots that are near each other, and each is taken at its own.
    #[test]
    fn every_task_is_taken_in_time() {
        for tasks in [1, 2, 6, 7, 62, 63, 64, 200] {
            for spread in [1, 3, 70] {
                let slot_of = |task: u64| 1_000 + task % spread;
                let weight = Weight::new(1, 5).unwrap();
                let streams = (0..tasks).map(|task| Stream::new(weight, false, slot_of(task))).collect();
                let mut forest = Forest::new(PD2, streams);
                let mut calendar = Calendar::new(tasks as usize, 1);
                (0..tasks as u32).for_each(|task| calendar.insert(task, &mut forest));
                for slot in 1..1_100 {
                    calendar.approach(&mut forest);
                    let root = calendar.take(&forest);
                    let expected = (0..tasks).filter(|&task| slot_of(task) == slot).count();
                    assert_eq!(count(&mut forest, root), expected, "slot {slot} of {tasks} tasks");
                }
            }
        }
    }

    #[test]
    fn who_waits_can_be_taken_out() {
        let weight = Weight::new(1, 5).unwrap();
        let streams = [3, 900, 900].map(|start| Stream::new(weight, false, start)).to_vec();
        let mut forest = Forest::new(PD2, streams);
        let mut calendar = Calendar::new(3, 1);
        (0..3).for_each(|task| calendar.insert(task, &mut forest));
        calendar.remove(0, &mut forest);
        calendar.remove(2, &mut forest);
        for slot in 1..1_000 {
            calendar.approach(&mut forest);
            let root = calendar.take(&forest);
            assert_eq!(root, if slot == 900 { 1 } else { NONE });
        }
    }
}
