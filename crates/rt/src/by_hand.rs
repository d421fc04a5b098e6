//! What the kernel says of runs that tests make by hand.

use schedlab_runtime::Switched;

/// The thread, of a process of its own, was on processor 0 between these microseconds, and was ready as it left.
pub fn ran(thread: i32, from: u64, to: u64) -> [Switched; 2] {
    [(from, true), (to, false)].map(|(us, to)| Switched {
        at: us * 1_000,
        thread,
        process: thread,
        processor: 0,
        to,
        preempted: true,
    })
}
