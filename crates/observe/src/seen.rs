//! Observations of a program: its threads and their context switches.

use crate::waits::Waits;
use schedlab_runtime::Switched;
use std::collections::BTreeMap;

/// Observations of a program.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Begin of the observation, and below its end, by the monotonic clock in ns.
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// Threads by the kernel's number.
    pub(crate) threads: BTreeMap<i32, Thread>,
    /// Switches of those threads, by time.
    pub(crate) switches: Vec<Switched>,
    /// Number of switches that the kernel could not write.
    pub(crate) lost: u64,
    /// The processors that were observed, by the machine's numbers.
    pub(crate) processors: Vec<usize>,
    /// Time that the host took from these processors meanwhile, in ns; `None` if the kernel does not count it.
    pub(crate) stolen: Option<u64>,
}

/// A thread, as the kernel describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) name: String,
    /// Real-time priority of the thread, 0 if it has none.
    pub(crate) priority: u8,
    /// Processors to which the thread is bound, by the machine's numbers.
    pub(crate) processors: Vec<usize>,
    /// Waits in which the thread was found.
    pub(crate) waits: Waits,
    /// Time for which the thread had waited for a processor, at the first and at the last look.
    pub(crate) delay: Option<(u64, u64)>,
}
