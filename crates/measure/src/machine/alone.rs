//! Reserves the processors for threads that measure.

use schedlab_runtime::{try_priority, try_threads, Lease, Refusal};

/// Real-time priority of threads that measure, below that of the watchdog of runs.
pub(crate) const PRIORITY: u8 = 80;

/// Most threads beyond the number of processors that a measurement creates at once, outside of runs.
const THREADS: usize = 8;

/// Reserves `processors` for real-time threads of this process; or returns why it cannot.
pub(crate) fn alone_on(processors: &[usize]) -> Result<Lease, Refusal> {
    try_priority(PRIORITY)?;
    try_threads(processors.len() + THREADS)?;
    Lease::take(processors)
}
