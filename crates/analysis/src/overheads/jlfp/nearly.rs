//! Inflated costs in floating point, with a bound on the error: most costs are known to the nanosecond without a
//! fraction.

use super::Accounting;
use crate::exact::filter;
use schedlab_model::{OverheadKind, Task};

/// Share of the processor that interrupts leave to jobs, in floating point.
pub(super) struct NearRates {
    left: f64,
    added: f64,
    /// Bound on the relative error of results that are computed with these values.
    error: f64,
}

impl NearRates {
    /// Computes the shares. `None` if interrupts leave too little of a processor for floating point to be certain.
    pub(super) fn new(tasks: &[Task], accounting: &Accounting<'_>) -> Option<Self> {
        let (tick, release) = (accounting.of(OverheadKind::Tick), accounting.of(OverheadKind::Release));
        let mut share = tick as f64 / accounting.quantum.as_ns() as f64;
        let mut met = tick as f64;
        if !accounting.dedicated_interrupts {
            let one = release as f64;
            share += tasks.iter().map(|task| one / task.period.as_ns() as f64).sum::<f64>();
            met += one * tasks.len() as f64;
            let bunched = |task: &Task| one * accounting.bunch(task) as f64 / task.period.as_ns() as f64;
            met += tasks.iter().map(bunched).sum::<f64>();
        }
        let left = 1.0 - share;
        // `share` is off by `relative` of itself at most, hence `left` by that over `left` of itself; it divides at
        // most twice, and a dozen roundings follow. `met` is off by twice `relative` of itself at most. All terms are
        // positive, so that errors do not grow in their sum.
        let relative = filter::relative_error(tasks.len() + 1);
        let error = 4.0 * (relative * (1.0 + share / left) + 16.0 * filter::EPSILON);
        let tells = left > 0.01;
        let preemption = (met + accounting.latency() as f64 * share) / left;
        tells.then(|| NearRates { left, added: 2.0 * preemption + accounting.constant() as f64, error })
    }

    /// C' in whole nanoseconds, if it is known well enough.
    pub(super) fn cost(&self, executed: u128, times: u128) -> Option<u64> {
        let cost = executed as f64 / self.left + times as f64 * self.added;
        let error = cost * self.error;
        let (low, high) = ((cost - error).ceil(), (cost + error).ceil());
        (low == high && high < 1e15).then_some(high as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{inflate, inflate_exactly};
    use super::*;
    use num_traits::ToPrimitive;
    use schedlab_model::{Cost, Duration, Overheads, Statistic, Work};

    /// A small generator of numbers below `most`.
    fn below(state: &mut u64, most: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % most
    }

    fn overheads(state: &mut u64, most: u64) -> Overheads {
        let mut overheads = Overheads::default();
        for kind in OverheadKind::ALL {
            if below(state, 3) > 0 {
                let max = Cost::Constant(Duration::from_ns(below(state, most)));
                overheads.set(kind, max.into());
            }
        }
        overheads
    }

    /// Fractions round up to what floating point finds, or both refuse the same task. Where periods are multiples of 16
    /// and interrupts take a quarter, costs are often whole, so that floating point cannot tell.
    #[test]
    fn agrees_with_fractions() {
        let mut state = 1;
        let (mut fits, mut refused, mut whole) = (0, 0, 0);
        for case in 0..20_000 {
            let round = case % 2 == 0;
            let task = |state: &mut u64| {
                let period = if round { 16 * (1 + below(state, 50)) } else { 1 + below(state, 1 << 30) };
                let (wcet, relative_deadline) =
                    (1 + below(state, period / 2 + 1), 1 + below(state, 2 * period));
                let jitter = Duration::from_ns(below(state, 2) * below(state, period));
                let (wcet, period) = (Work::from_ns(wcet), Duration::from_ns(period));
                Task { jitter, ..Task::constrained(wcet, period, Duration::from_ns(relative_deadline)) }
            };
            let tasks: Vec<Task> = (0..1 + below(&mut state, 6)).map(|_| task(&mut state)).collect();
            let overheads = overheads(&mut state, if round { 5 } else { 1 << 20 });
            let accounting = Accounting {
                overheads: &overheads,
                statistic: Statistic::Max,
                quantum: Duration::from_ns(if round { 16 } else { 1 + below(&mut state, 1 << 26) }),
                processors: 1 + below(&mut state, 2) as u32,
                machine_tasks: tasks.len(),
                release_latency: Duration::from_ns(below(&mut state, 2) * below(&mut state, 10)),
                polled: Duration::from_ns(below(&mut state, 2) * below(&mut state, 100)),
                dedicated_interrupts: below(&mut state, 3) == 0,
                switches_in_progress: below(&mut state, 2) == 0,
            };
            match (inflate(&tasks, &accounting), inflate_exactly(&tasks, &accounting)) {
                (Ok(ours), Ok(exact)) => {
                    for (task, exact) in ours.iter().zip(&exact) {
                        assert_eq!(Some(task.wcet.as_ns()), exact.cost.ceiling().to_u64());
                        let found = (task.period.as_ns(), task.relative_deadline.as_ns());
                        assert_eq!(found, (exact.period, exact.relative_deadline));
                        whole += u32::from(exact.cost.ceiling() == exact.cost.floor());
                    }
                    fits += 1;
                }
                (ours, exact) => {
                    assert_eq!(ours.err(), exact.err(), "{tasks:?}");
                    refused += 1;
                }
            }
        }
        assert!(fits > 2_000 && refused > 2_000 && whole > 500, "{fits} {refused} {whole}");
    }
}
