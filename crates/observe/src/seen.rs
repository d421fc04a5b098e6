//! What was seen of a program.

use crate::waits::Waits;
use schedlab_runtime::Switched;
use std::collections::BTreeMap;

/// What was seen of a program.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// From when on and until when, by the monotonic clock.
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// By the kernel's number.
    pub(crate) threads: BTreeMap<i32, Thread>,
    /// Of those threads, by time.
    pub(crate) switches: Vec<Switched>,
    /// Switches that the kernel could not write.
    pub(crate) lost: u64,
    /// The processors that were observed, by the machine's numbers.
    pub(crate) processors: Vec<usize>,
    /// What the host took from them meanwhile; nothing if the kernel does not say.
    pub(crate) stolen: Option<u64>,
}

/// A thread, as the kernel describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) name: String,
    /// Its real-time priority, 0 if it has none.
    pub(crate) priority: u8,
    /// The processors to which it is bound, by the machine's numbers.
    pub(crate) processors: Vec<usize>,
    /// What it was found waiting for.
    pub(crate) waits: Waits,
    /// For how long it has waited for a processor: when it was first and last looked at.
    pub(crate) delay: Option<(u64, u64)>,
}
