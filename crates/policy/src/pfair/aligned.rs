//! Aligned Pfair scheduling: one decision for all processors at each slot, O(M log N).

use super::affinity::Assignment;
use super::order::PfairOrder;
use super::pool::Pool;
use super::stream::Stream;
use crate::setup::Affinity;
use alloc::vec::Vec;

/// Fills slots with the most urgent eligible subtasks.
///
/// A task that ran is out until it is [added](Aligned::add) again, so that its driver can delay or omit subtasks.
#[derive(Clone, Debug)]
pub struct Aligned {
    pool: Pool,
    processors: usize,
    assignment: Assignment,
    picked: Vec<u32>,
}

impl Aligned {
    /// A scheduler whose tasks are all out, on `processors` processors.
    pub fn new(order: PfairOrder, affinity: Affinity, streams: Vec<Stream>, processors: usize) -> Self {
        let assignment = Assignment::new(affinity, streams.len(), processors);
        let picked = Vec::with_capacity(processors);
        Aligned { pool: Pool::new(order, streams), processors, assignment, picked }
    }

    /// The slot that will be filled next.
    pub fn next(&self) -> u64 {
        self.pool.next()
    }

    /// True if no task is in.
    pub(crate) fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    /// A task's sequence of subtasks.
    pub fn stream(&self, task: u32) -> &Stream {
        self.pool.forest.stream(task)
    }

    /// A task's sequence of subtasks; only while it is out.
    pub fn stream_mut(&mut self, task: u32) -> &mut Stream {
        self.pool.forest.stream_mut(task)
    }

    /// Number of comparisons of two tasks so far.
    pub fn comparisons(&self) -> u64 {
        self.pool.forest.comparisons()
    }

    /// Lets `task`, which is out, compete.
    pub fn add(&mut self, task: u32) {
        self.pool.add(task);
    }

    /// Takes out `task`, which competes.
    pub fn remove(&mut self, task: u32) {
        self.pool.remove(task);
    }

    /// Skips slots while no task is in.
    pub(crate) fn skip_to(&mut self, slot: u64) {
        self.pool.skip_to(slot);
    }

    /// Fills the next slot and returns the tasks that run in it, most urgent first. They are charged for the slot, and
    /// are out then.
    pub fn fill(&mut self) -> &[u32] {
        let slot = self.pool.next();
        self.picked.clear();
        while self.picked.len() < self.processors {
            let Some(task) = self.pool.pop() else { break };
            self.pool.forest.stream_mut(task).advance(slot);
            self.picked.push(task);
        }
        self.assignment.assign(slot, &self.picked);
        self.pool.go_on();
        &self.picked
    }

    /// Returns the task that runs on `processor` in the slot that was filled last.
    pub(crate) fn task_on(&self, processor: usize) -> Option<u32> {
        self.assignment.task_on(processor)
    }
}
