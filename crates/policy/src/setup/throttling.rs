//! Throttling: limits the part of each period in which a processor may run real-time threads.

use schedlab_model::Duration;

/// Part of each period in which a processor may run threads of `SCHED_FIFO`: `sched_rt_runtime_us` of
/// `sched_rt_period_us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttling {
    /// Time that a processor has for such threads in each period. Positive, at most the period.
    pub runtime: Duration,
    /// Period after which the runtime is replenished.
    pub period: Duration,
}

impl Default for Throttling {
    /// The kernel's default: 950 ms of each second.
    fn default() -> Self {
        Throttling { runtime: Duration::from_ms(950), period: Duration::from_ms(1_000) }
    }
}

impl Throttling {
    /// True if a processor may ever stop. As in the kernel, a processor that has the whole period never stops.
    pub fn ever_stops(&self) -> bool {
        self.runtime < self.period
    }
}
