//! How much of each period a processor may run real-time threads.

use schedlab_model::Duration;

/// How much of each period a processor may run threads of `SCHED_FIFO`: `sched_rt_runtime_us` of `sched_rt_period_us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttling {
    /// What a processor has for them in each period. Positive, at most the period.
    pub runtime: Duration,
    /// When it has that anew.
    pub period: Duration,
}

impl Default for Throttling {
    /// As the kernel does unless its settings are changed: 950 ms of each second.
    fn default() -> Self {
        Throttling { runtime: Duration::from_ms(950), period: Duration::from_ms(1_000) }
    }
}

impl Throttling {
    /// True if a processor may ever stop. As in the kernel, none does that has the whole period.
    pub fn ever_stops(&self) -> bool {
        self.runtime < self.period
    }
}
