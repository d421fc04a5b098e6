//! A busy loop that does a known amount of work: the built-in workload.
//!
//! Work, not time: a job that is preempted still does all of it, and a machine that slows down takes longer for it.

use schedlab_model::Work;
use schedlab_runtime::sys;
use std::hint::black_box;

/// How long one calibration takes, in nanoseconds.
const SAMPLE: u64 = 2_000_000;
/// How many there are; the median counts.
const SAMPLES: usize = 15;
/// Rounds between two looks at the clock while calibrating.
const BATCH: u64 = 2_000;

/// How fast the loop is on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Burner {
    rounds_per_ms: u64,
}

impl Burner {
    /// Measures the loop by the calling thread's own processor time.
    pub fn calibrate() -> Self {
        let mut rates: Vec<u64> = (0..SAMPLES).map(|_| sample()).collect();
        rates.sort_unstable();
        Burner { rounds_per_ms: rates[SAMPLES / 2].max(1) }
    }

    /// Does this much work.
    pub fn burn(&self, work: Work) {
        let rounds = u128::from(work.as_ns()) * u128::from(self.rounds_per_ms) / 1_000_000;
        spin(u64::try_from(rounds).unwrap_or(u64::MAX));
    }
}

fn sample() -> u64 {
    let start = sys::thread_cpu_ns();
    let mut rounds = 0;
    loop {
        spin(BATCH);
        rounds += BATCH;
        let used = sys::thread_cpu_ns() - start;
        if used >= SAMPLE {
            return (u128::from(rounds) * 1_000_000 / u128::from(used)) as u64;
        }
    }
}

/// A chain of dependent multiplications, which no compiler shortens. Never inlined: it is as fast wherever it is called.
#[inline(never)]
fn spin(rounds: u64) {
    let mut x = black_box(1u64);
    for _ in 0..rounds {
        // In registers alone: what goes through memory is now and then twice as fast.
        x = x.rotate_left(7).wrapping_mul(6_364_136_223_846_793_005) ^ 1;
    }
    black_box(x);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Within a factor of two even on a machine that does much else.
    #[test]
    fn work_takes_its_time() {
        let burner = Burner::calibrate();
        let mut took: Vec<u64> = (0..9)
            .map(|_| {
                let start = sys::thread_cpu_ns();
                burner.burn(Work::from_ns(5_000_000));
                sys::thread_cpu_ns() - start
            })
            .collect();
        took.sort_unstable();
        assert!((2_500_000..10_000_000).contains(&took[4]), "{took:?}");
    }
}
