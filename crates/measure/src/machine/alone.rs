//! Threads that measure have the processors to themselves.

use schedlab_runtime::{try_priority, try_threads, Lease, Refusal};

/// Of the threads that measure: real-time, but below the watchdog of runs.
pub(crate) const PRIORITY: u8 = 80;

/// How many threads more than processors a measurement creates at once, outside of runs.
const THREADS: usize = 8;

/// Has `processors` for real-time threads of this process, and room for them; or says why not.
pub(crate) fn alone_on(processors: &[usize]) -> Result<Lease, Refusal> {
    try_priority(PRIORITY)?;
    try_threads(processors.len() + THREADS)?;
    Lease::take(processors)
}
