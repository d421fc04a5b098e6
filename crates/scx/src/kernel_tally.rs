//! What the processors of the clustered scheduler decided, in numbers.

/// Decisions of one processor, counted since the scheduler was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelTally {
    /// Records that found no room.
    pub lost: u64,
    /// Kicks of the processor so that another job may take it.
    pub kicks: u64,
    /// Kicks after which its job went on.
    pub needless: u64,
    /// Looks that were repeated because a thread was on its way to the queue.
    pub repeated: u64,
    /// Alarms for ends of budgets and of long sections.
    pub alarms: u64,
}
