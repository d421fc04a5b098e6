//! Tasks that leave and join between the invocations of a slot (fig. 7 of the paper).
//!
//! The paper's text lost the `else` before its line 51: a task that is not eligible for the next slot waits.

use super::{Staggered, NEVER};
use crate::pfair::forest::{By, NONE};

impl Staggered {
    /// `Deactivate(T)`: the task, which is in, does not compete for the next slot and later ones.
    ///
    /// If it was selected for the current slot and is not granted yet, that selection is void: the quantum is wasted,
    /// the task is charged for it nevertheless, and the result is true.
    pub fn deactivate(&mut self, task: u32) -> bool {
        let mark = self.marks[task as usize];
        let (next, selected) = (self.pool.next(), mark.selected);
        self.marks[task as usize].selected = NEVER;
        let is_charged = selected != NEVER && selected != next;
        if selected == NEVER {
            self.pool.remove(task);
        } else {
            let selection = if is_charged { &mut self.now } else { &mut self.next };
            let heap = if mark.again { &mut selection.again } else { &mut selection.fresh };
            self.pool.forest.remove(By::Lenient, heap, task);
            selection.len -= 1;
        }
        if is_charged {
            self.pool.forest.stream_mut(task).advance(selected);
        } else if selected == next {
            if let Some(other) = self.pool.pop() {
                self.select(other);
            }
        }
        self.check();
        is_charged
    }

    /// `Activate(T)`: the task, which is out, competes for the next slot and later ones.
    pub fn activate(&mut self, task: u32) {
        if self.stream(task).eligible() > self.pool.next() {
            self.pool.add(task);
        } else if self.next.len < self.invoked {
            self.select(task);
        } else {
            self.challenge(task);
        }
        self.check();
    }

    /// Lines 44 to 50: the least urgent selected task gives way, if `task` goes before it.
    fn challenge(&mut self, task: u32) {
        let (fresh, again) = (self.next.fresh, self.next.again);
        let from_again = fresh == NONE || (again != NONE && self.pool.forest.is_more_urgent(fresh, again));
        let least = if from_again { again } else { fresh };
        let mut loser = task;
        if self.pool.forest.goes_first(task, least) {
            self.select(task);
            let heap = if from_again { &mut self.next.again } else { &mut self.next.fresh };
            self.pool.forest.remove(By::Lenient, heap, least);
            self.next.len -= 1;
            self.marks[least as usize].selected = NEVER;
            loser = least;
        }
        self.pool.add(loser);
    }
}
