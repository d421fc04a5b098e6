//! UUniFast-Discard: uniform over all sets of utilizations with a given sum and none above a maximum.
//!
//! E. Bini, G. Buttazzo, "Measuring the performance of schedulability tests", Real-Time Systems 30, 2005
//! (UUniFast); R. I. Davis, A. Burns, "Priority assignment for global fixed priority pre-emptive scheduling
//! in multiprocessor real-time systems", RTSS 2009 (discarding, for totals above 1).

use crate::generate::GenerateError;
use crate::random::Random;

/// Sets thrown away before giving up. Davis and Burns give up after 1,000.
const MAX_DISCARDS: u32 = 100_000;

/// `tasks` utilizations of sum `total`, each at most `max`, in place of what was in `out`.
pub(in crate::generate) fn uunifast_discard(
    tasks: u32,
    total: f64,
    max: f64,
    random: &mut Random,
    out: &mut Vec<f64>,
) -> Result<(), GenerateError> {
    for _ in 0..MAX_DISCARDS {
        out.clear();
        if attempt(tasks, total, max, random, out) {
            return Ok(());
        }
    }
    Err(GenerateError::TooManyDiscards(MAX_DISCARDS))
}

/// One run of UUniFast; false, early, if a utilization is above `max`.
fn attempt(tasks: u32, total: f64, max: f64, random: &mut Random, out: &mut Vec<f64>) -> bool {
    let mut rest = total;
    for left in (1..tasks).rev() {
        // The sum of the `left` remaining utilizations, relative to `rest`, is the maximum of `left`
        // uniform numbers.
        let next = rest * libm::pow(random.unit(), 1.0 / f64::from(left));
        if rest - next > max {
            return false;
        }
        out.push(rest - next);
        rest = next;
    }
    out.push(rest);
    rest <= max
}
