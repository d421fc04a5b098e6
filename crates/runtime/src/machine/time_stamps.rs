//! A clock that costs no call: the processor's time-stamp counter, where it runs evenly.
//!
//! The counter is used if the processor states that it is invariant and the kernel has not found otherwise; else time
//! comes from the monotonic clock. Two readings of both clocks, at the beginning and at the end, turn stamps into time.

use crate::machine::sys;

/// A moment on both clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    stamp: u64,
    ns: u64,
}

/// The source of a run's time stamps.
#[derive(Clone, Copy, Debug)]
pub struct TimeStamps {
    counter: bool,
    start: Anchor,
}

impl TimeStamps {
    /// Starts a source of time stamps.
    pub fn start() -> Self {
        let counter = is_invariant();
        TimeStamps { counter, start: anchor(counter) }
    }

    /// The time stamp now.
    #[inline]
    pub fn now(&self) -> u64 {
        if self.counter {
            read_counter()
        } else {
            sys::monotonic_ns()
        }
    }

    /// Reads both clocks now.
    pub(crate) fn anchor(&self) -> Anchor {
        anchor(self.counter)
    }

    /// The time of the monotonic clock at `stamp`, given both clocks at a moment well after the start.
    pub(crate) fn to_ns(self, stamp: u64, later: Anchor) -> u64 {
        if !self.counter {
            return stamp;
        }
        let span = u128::from(later.stamp.saturating_sub(self.start.stamp)).max(1);
        let length = u128::from(later.ns.saturating_sub(self.start.ns));
        let since = u128::from(stamp.saturating_sub(self.start.stamp));
        let ns = since * length / span;
        self.start.ns.saturating_add(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

/// Reads both clocks at once: of several attempts, the one during which the least time passed.
fn anchor(counter: bool) -> Anchor {
    let attempt = |_| {
        let before = sys::monotonic_ns();
        let stamp = if counter { read_counter() } else { before };
        let after = sys::monotonic_ns();
        (after - before, Anchor { stamp, ns: before + (after - before) / 2 })
    };
    (0..16).map(attempt).min_by_key(|(width, _)| *width).map_or(Anchor { stamp: 0, ns: 0 }, |(_, best)| best)
}

/// True if the processor states that its counter runs at one rate in all states, and the kernel keeps time by it or by
/// the host's scale of it.
#[cfg(target_arch = "x86_64")]
fn is_invariant() -> bool {
    // Newer compilers know that it is safe.
    #[allow(unused_unsafe, reason = "older ones do not")]
    // SAFETY: every processor of this architecture has the instruction; the leaf is looked for before it is read.
    let promised = unsafe {
        use std::arch::x86_64::__cpuid;
        __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
    };
    let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let kept = std::fs::read_to_string(source).unwrap_or_default();
    promised && ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page"].contains(&kept.trim())
}

#[cfg(not(target_arch = "x86_64"))]
fn is_invariant() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn read_counter() -> u64 {
    // SAFETY: it reads a register.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn read_counter() -> u64 {
    sys::monotonic_ns()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stamps in the middle of two readings of the monotonic clock are turned into a time between them, but for a
    /// little.
    #[test]
    fn stamps_become_the_time_of_the_monotonic_clock() {
        let stamps = TimeStamps::start();
        let mut readings = Vec::new();
        for _ in 0..20 {
            let before = sys::monotonic_ns();
            readings.push((before, stamps.now(), sys::monotonic_ns()));
            sys::sleep_until(before + 1_000_000);
        }
        let later = stamps.anchor();
        for (before, at, after) in readings {
            let ns = stamps.to_ns(at, later);
            assert!(before <= ns + 20_000 && ns <= after + 20_000, "{before} {ns} {after}");
        }
    }
}
