//! The tasks that compete for the next slot, and those that will compete later.

use super::calendar::Calendar;
use super::forest::{By, Forest, NONE};
use super::order::PfairOrder;
use super::stream::Stream;
use alloc::vec::Vec;

/// `Eligible` and `Incoming` of fig. 5, and all tasks, whether in these heaps or not.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// Every task.
    pub forest: Forest,
    calendar: Calendar,
    eligible: u32,
    /// The slot that will be filled next.
    next: u64,
    len: usize,
}

impl Pool {
    /// An empty pool whose next slot is 0.
    pub(super) fn new(order: PfairOrder, streams: Vec<Stream>) -> Self {
        let calendar = Calendar::new(streams.len(), 1);
        Pool { forest: Forest::new(order, streams), calendar, eligible: NONE, next: 0, len: 0 }
    }

    /// The slot that will be filled next.
    #[inline]
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// True if no task competes, now or later.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The most urgent eligible task.
    #[inline]
    pub(super) fn peek(&self) -> Option<u32> {
        (self.eligible != NONE).then_some(self.eligible)
    }

    /// Adds a task that is nowhere else.
    #[inline]
    pub(super) fn add(&mut self, task: u32) {
        self.len += 1;
        if self.forest.stream(task).eligible() <= self.next {
            self.forest.insert(By::Urgent, &mut self.eligible, task);
        } else {
            self.calendar.insert(task, &mut self.forest);
        }
    }

    /// Takes out a task that is here.
    pub(super) fn remove(&mut self, task: u32) {
        self.len -= 1;
        if self.forest.stream(task).eligible() <= self.next {
            self.forest.remove(By::Urgent, &mut self.eligible, task);
        } else {
            self.calendar.remove(task, &mut self.forest);
        }
    }

    /// Takes out the most urgent eligible task.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        let task = self.forest.pop(By::Urgent, &mut self.eligible);
        self.len -= usize::from(task.is_some());
        task
    }

    /// Goes on to the slot after the next one: tasks that may run from it on become eligible.
    #[inline]
    pub(super) fn go_on(&mut self) {
        self.next += 1;
        self.calendar.approach(&mut self.forest);
        let incoming = self.calendar.take(&self.forest);
        self.eligible = self.forest.meld(By::Urgent, self.eligible, incoming);
    }

    /// Skips all slots before `slot`. The pool must be empty; the next slot never moves back.
    pub(super) fn skip_to(&mut self, slot: u64) {
        assert!(self.is_empty(), "slots are skipped only while no task competes");
        self.next = self.next.max(slot);
        self.calendar.skip_to(self.next + 1);
    }
}
