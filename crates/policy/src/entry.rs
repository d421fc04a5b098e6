//! A job with its urgency, in one integer.

use schedlab_model::{HeapKey, JobId, Occupant, Priority, TaskId};

/// A job and its effective priority in one number: the priority's rank, the task whose id breaks ties (another
/// than the job's own if the priority is inherited or a ceiling), and the job's task, counted on from the one after
/// that, so that a job with its own priority goes after all who have it from it. No two live jobs compare equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(u128);

impl Entry {
    /// Entry that stands for no job; no job's entry goes before it.
    pub(crate) const IDLE: Entry = Entry(0);

    #[inline(always)]
    pub(crate) fn new(job: JobId, priority: Priority) -> Self {
        let tie = priority.tie().task.0;
        let after_tie = job.task.0.wrapping_sub(tie).wrapping_sub(1);
        let tie_and_task = u64::from(tie) << 32 | u64::from(after_tie);
        Entry(u128::from(priority.rank()) << 64 | u128::from(tie_and_task))
    }

    #[inline(always)]
    pub(crate) fn task(self) -> TaskId {
        let tie = (self.0 >> 32) as u32;
        TaskId((self.0 as u32).wrapping_add(tie).wrapping_add(1))
    }
}

/// Link of a processor: the job that should run there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// Entry of the linked job; [`Entry::IDLE`] if none is linked.
    pub(crate) entry: Entry,
    pub(crate) job: Occupant,
}

impl Link {
    /// Link to no job.
    pub(crate) const IDLE: Link = Link { entry: Entry::IDLE, job: Occupant::NOBODY };
}

impl HeapKey for Entry {
    #[inline(always)]
    fn goes_before(self, other: Entry) -> bool {
        self.0 < other.0
    }
}
