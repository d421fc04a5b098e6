//! Staggered Pfair scheduling: each processor decides for itself, O(log N) (fig. 5 of the paper).
//!
//! Quanta of different slots overlap, so a task that runs in two slots in a row must stay where it is. Therefore
//! the tasks of slot k+1 are selected one slot early: each invocation of slot k first grants its own processor a
//! task that was selected for slot k, then selects one more for slot k+1. Tasks selected for two slots in a row
//! wait apart, for the processor that runs them.
//!
//! Two other affinities wait in the same place. Under last-scheduled, a selected task waits for the processor where it
//! ran last, also some slots before, unless that is given another task meanwhile. Under directed migration, it waits
//! for that of the slot before, and from there on goes wherever one is free: later processors begin later.

mod activate;

use super::forest::{By, NONE};
use super::order::PfairOrder;
use super::pool::Pool;
use super::stream::Stream;
use crate::setup::Affinity;
use alloc::vec;
use alloc::vec::Vec;

/// The tasks selected for one slot: the one to give way first is on top.
#[derive(Clone, Copy, Debug)]
struct Selected {
    /// `Sched`: tasks that any processor may take.
    fresh: u32,
    /// `Resched`: tasks that wait for the processor where they ran in the slot before, or last.
    again: u32,
    len: usize,
}

/// Heap of the algorithm that holds a task, as in fig. 6 of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskHeap {
    /// `Incoming`: the task's next subtask may not run in the slot that is being selected.
    Incoming,
    /// `Eligible`: the task's next subtask may run, but is not selected.
    Eligible,
    /// `SchedNext`, or `SchedNow` once that slot begins: the task is selected, for whichever processor comes first.
    Sched {
        /// True if the task is selected for the current slot, not the one after it.
        now: bool,
    },
    /// `ReschedNext`, or `ReschedNow` once that slot begins: the task is selected back to back, for the processor where
    /// it runs.
    Resched {
        /// True if the task is selected for the current slot, not the one after it.
        now: bool,
    },
}

impl TaskHeap {
    /// Name of the heap in the paper.
    pub fn name(self) -> &'static str {
        match self {
            TaskHeap::Incoming => "Incoming",
            TaskHeap::Eligible => "Eligible",
            TaskHeap::Sched { now: false } => "SchedNext",
            TaskHeap::Sched { now: true } => "SchedNow",
            TaskHeap::Resched { now: false } => "ReschedNext",
            TaskHeap::Resched { now: true } => "ReschedNow",
        }
    }
}

const EMPTY: Selected = Selected { fresh: NONE, again: NONE, len: 0 };
const NEVER: u64 = u64::MAX;

/// Marks of a task, from which its heap follows in constant time.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The slot for which the task is selected and which it was not granted yet.
    selected: u64,
    /// True if the task is among the `again` of that slot.
    again: bool,
    /// The last slot that the task was granted, and the place of its processor.
    granted: u64,
    home: usize,
}

/// The shared state of all processors.
#[derive(Clone, Debug)]
pub struct Staggered {
    /// `Eligible` and `Incoming`; the pool's next slot is the paper's k + 1.
    pool: Pool,
    processors: usize,
    /// `SchedCount`: invocations of the current slot so far; at first the number of processors.
    invoked: usize,
    affinity: Affinity,
    /// By processor: the task of its slot; under last-scheduled, the task of its last slot.
    running: Vec<u32>,
    now: Selected,
    next: Selected,
    marks: Vec<Mark>,
}

impl Staggered {
    /// A scheduler whose tasks are all out, on `processors` processors.
    ///
    /// Panics if the affinity does not allow staggered quanta.
    pub fn new(order: PfairOrder, affinity: Affinity, streams: Vec<Stream>, processors: usize) -> Self {
        assert_eq!(affinity.unsafe_when_staggered(), None, "{} is refused", affinity.name());
        let mark = Mark { selected: NEVER, again: false, granted: NEVER, home: 0 };
        Staggered {
            affinity,
            marks: vec![mark; streams.len()],
            pool: Pool::new(order, streams),
            processors,
            invoked: processors,
            running: vec![NONE; processors],
            now: EMPTY,
            next: EMPTY,
        }
    }

    /// The slot whose tasks are being selected: the one after the current one.
    pub fn next(&self) -> u64 {
        self.pool.next()
    }

    /// A task's sequence of subtasks.
    pub(crate) fn stream(&self, task: u32) -> &Stream {
        self.pool.forest.stream(task)
    }

    /// A task's sequence of subtasks; only while it is out.
    pub fn stream_mut(&mut self, task: u32) -> &mut Stream {
        self.pool.forest.stream_mut(task)
    }

    /// Returns the heap that holds a task which is in.
    pub fn place(&self, task: u32) -> TaskHeap {
        let mark = self.marks[task as usize];
        let now = mark.selected != self.pool.next();
        match (mark.selected, mark.again) {
            (NEVER, _) if self.stream(task).eligible() > self.pool.next() => TaskHeap::Incoming,
            (NEVER, _) => TaskHeap::Eligible,
            (_, false) => TaskHeap::Sched { now },
            (_, true) => TaskHeap::Resched { now },
        }
    }

    /// Number of comparisons of two tasks so far.
    pub fn comparisons(&self) -> u64 {
        self.pool.forest.comparisons()
    }

    /// `Schedule(p)`: the task that `processor` runs in its next slot, if any; it is charged for it.
    ///
    /// The processors call in rising order, slot by slot.
    pub fn schedule(&mut self, processor: usize) -> Option<u32> {
        if self.invoked == self.processors {
            self.begin_slot();
        }
        assert_eq!(self.invoked % self.processors, processor, "processors take turns");
        let task = self.take_granted(processor);
        self.give(processor, task);
        if let Some(task) = task {
            let slot = self.pool.next() - 1;
            let mark = &mut self.marks[task as usize];
            (mark.selected, mark.granted, mark.home) = (NEVER, slot, processor);
            self.pool.forest.stream_mut(task).advance(slot);
            self.pool.add(task);
        }
        if let Some(task) = self.pool.pop() {
            self.select(task);
        }
        self.invoked = self.invoked % self.processors + 1;
        self.check();
        task
    }

    /// Begins a slot: lines 8 to 11. Each task that was selected for the slot before has been granted it by now.
    fn begin_slot(&mut self) {
        assert_eq!(self.now.len, 0, "a selected task found no processor");
        self.pool.go_on();
        self.now = core::mem::replace(&mut self.next, EMPTY);
    }

    /// Takes the task that `processor` runs: lines 12 to 17.
    fn take_granted(&mut self, processor: usize) -> Option<u32> {
        let before = self.running[processor];
        let waits_here = self.waits(before, self.pool.next() - 1);
        if waits_here {
            self.pool.forest.remove(By::Lenient, &mut self.now.again, before);
        }
        let task = if waits_here && self.affinity != Affinity::DirectedMigration {
            before
        } else {
            if waits_here {
                // From here on it may go anywhere.
                self.marks[before as usize].again = false;
                self.pool.forest.insert(By::Lenient, &mut self.now.fresh, before);
            }
            self.pool.forest.pop(By::Lenient, &mut self.now.fresh)?
        };
        self.now.len -= 1;
        Some(task)
    }

    /// Returns whether `task` is selected for `slot`, and waits for the processor where it ran.
    fn waits(&self, task: u32, slot: u64) -> bool {
        task != NONE && {
            let mark = self.marks[task as usize];
            mark.again && mark.selected == slot
        }
    }

    /// Gives the processor's slot to the task.
    fn give(&mut self, processor: usize, task: Option<u32>) {
        if self.affinity != Affinity::LastScheduled {
            self.running[processor] = task.unwrap_or(NONE);
            return;
        }
        let Some(task) = task else { return };
        let before = core::mem::replace(&mut self.running[processor], task);
        if before != task && self.waits(before, self.pool.next()) {
            // It was selected for the next slot before the processor forgot it.
            self.marks[before as usize].again = false;
            self.pool.forest.remove(By::Lenient, &mut self.next.again, before);
            self.pool.forest.insert(By::Lenient, &mut self.next.fresh, before);
        }
    }

    /// `SelectTask(T)`: the task will run in the next slot.
    fn select(&mut self, task: u32) {
        let slot = self.pool.next();
        let mark = &mut self.marks[task as usize];
        mark.selected = slot;
        mark.again = mark.granted != NEVER
            && match self.affinity {
                Affinity::LastScheduled => self.running[mark.home] == task,
                Affinity::None
                | Affinity::BackToBack
                | Affinity::MostRecent
                | Affinity::MostRecentAvailable
                | Affinity::DirectedMigration => mark.granted + 1 == slot,
            };
        let heap = if mark.again { &mut self.next.again } else { &mut self.next.fresh };
        self.pool.forest.insert(By::Lenient, heap, task);
        self.next.len += 1;
    }

    /// Asserts the invariant that holds after every procedure, in constant time:
    ///
    /// * (I1) as many tasks are selected for the next slot as processors were invoked for this one, and each goes
    ///   before every eligible one; or
    /// * (I2) fewer are, and no task is eligible.
    fn check(&self) {
        let Some(urgent) = self.pool.peek() else {
            return assert!(self.next.len <= self.invoked, "I1 and I2: too many tasks are selected");
        };
        assert_eq!(self.next.len, self.invoked, "I2: a task is eligible");
        for least in [self.next.fresh, self.next.again] {
            let holds = least == NONE || self.pool.forest.is_more_urgent(least, urgent);
            assert!(holds, "I1: an eligible task goes before a selected one");
        }
    }
}
