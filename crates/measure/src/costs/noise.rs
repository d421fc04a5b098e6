//! Noise of the machine: how long a thread that only reads the clock, above everything else, is away.

use super::calls::on;
use crate::values::samples::Samples;
use schedlab_runtime::sys;

/// Time for which each processor is watched, in ns.
const LENGTH: u64 = 200_000_000;
/// Shortest time between two looks at the clock that counts as a gap, in ns.
const GAP: u64 = 1_000;

/// The gaps on `processor`, in nanoseconds.
pub(crate) fn gaps(processor: usize) -> Samples {
    on(processor, || {
        let mut samples = Samples::default();
        let end = sys::monotonic_ns() + LENGTH;
        let mut before = sys::monotonic_ns();
        while before < end {
            let now = sys::monotonic_ns();
            if now - before > GAP {
                samples.add(now - before);
            }
            before = now;
        }
        samples
    })
}
