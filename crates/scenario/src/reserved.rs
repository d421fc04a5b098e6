//! Shares of processors that threads of `SCHED_DEADLINE` reserve, and how much of them the kernel admits.
//!
//! `sched_setattr` refuses a thread whose share makes the sum larger than what throttling leaves of the processors of
//! its root domain (`sched_rt_runtime_us` of `sched_rt_period_us`: 95% by default). From Linux 6.12 on, the fair server
//! of each processor has 5% of it, whatever throttling is set to. So 90% are left by default: Linux 6.18 was seen to
//! admit 180% of two processors and no more. Computed as in the kernel's `kernel/sched/deadline.c`, whose shares are
//! rounded down to 20 bits.

use schedlab_model::Duration;
use schedlab_policy::Throttling;
use std::fmt;
use std::iter::Sum;
use std::ops::Mul;

/// Number of fractional bits of a share.
const BITS: u32 = 20;

/// Time that the fair server of a processor reserves in each second, by default.
pub const FAIR_SERVER: Duration = Duration::from_ms(50);

/// Period of the fair server, by default.
pub const FAIR_PERIOD: Duration = Duration::from_ms(1_000);

/// A share of processors, or a sum of such shares. Prints in percent of one processor, rounded up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReservedShare(u128);

impl ReservedShare {
    /// The share that a reservation of `runtime` in each `period` takes.
    pub fn of(runtime: Duration, period: Duration) -> ReservedShare {
        ReservedShare((u128::from(runtime.as_ns()) << BITS) / u128::from(period.as_ns().max(1)))
    }

    /// The share of each processor that the kernel admits under `throttling`, less that of its fair server; `None` if
    /// it admits all threads, because throttling is off.
    pub fn admitted(throttling: Throttling) -> Option<ReservedShare> {
        let [runtime, period, fair, of] = [throttling.runtime, throttling.period, FAIR_SERVER, FAIR_PERIOD]
            .map(|one| u128::from(one.as_ns()));
        let left = (runtime * of).saturating_sub(fair * period);
        throttling.ever_stops().then(|| ReservedShare((left << BITS) / (period * of)))
    }

    /// The number of processors of which `admitted` is at least this share; `None` if no number is enough.
    pub fn processors_for(self, admitted: ReservedShare) -> Option<u128> {
        (admitted.0 > 0).then(|| self.0.div_ceil(admitted.0))
    }
}

impl Mul<u128> for ReservedShare {
    type Output = ReservedShare;

    fn mul(self, count: u128) -> ReservedShare {
        ReservedShare(self.0 * count)
    }
}

impl Sum for ReservedShare {
    fn sum<I: Iterator<Item = ReservedShare>>(shares: I) -> ReservedShare {
        ReservedShare(shares.map(|share| share.0).sum())
    }
}

impl fmt::Display for ReservedShare {
    /// Writes the share with two decimals at most. Rounded up, because shares are rounded down.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = (self.0 * 10_000).div_ceil(1 << BITS);
        let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        write!(f, "{}%", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(runtime: u64, period: u64) -> ReservedShare {
        ReservedShare::of(Duration::from_ns(runtime), Duration::from_ns(period))
    }

    #[test]
    fn the_limit_is_the_one_of_the_kernel() {
        let limit = ReservedShare::admitted(Throttling::default()).unwrap();
        // The kernel rounds both shares down, 996,147 and 52,428, so that it admits one part of 2^20 more.
        assert_eq!(limit, ReservedShare(943_718));
        assert!(share(90, 100) <= limit && share(9_001, 10_000) > limit);
        assert_eq!((limit.to_string(), share(12, 10).to_string()), ("90%".into(), "120%".into()));
        assert_eq!(share(25, 10).processors_for(limit), Some(3));
    }

    #[test]
    fn without_throttling_all_are_admitted() {
        let of = |runtime, period| {
            let [runtime, period] = [runtime, period].map(Duration::from_ms);
            ReservedShare::admitted(Throttling { runtime, period })
        };
        assert_eq!(of(1_000, 1_000), None);
        assert_eq!(of(40, 1_000), Some(ReservedShare(0)), "the fair server has more");
        assert_eq!(share(1, 10).processors_for(ReservedShare(0)), None);
    }
}
