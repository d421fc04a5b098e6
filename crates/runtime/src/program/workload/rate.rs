//! The speed of code on this machine, so that work becomes a number of rounds.

use super::Code;
use crate::machine::sys;
use schedlab_model::Work;

/// The length of one calibration, in nanoseconds.
const SAMPLE: u64 = 2_000_000;
/// Number of calibrations, of which the median counts.
const SAMPLES: usize = 15;
/// Number of rounds before the first look at the clock while calibrating.
const FIRST: u64 = 1_000;

/// The number of rounds in a millisecond.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate(u64);

impl Rate {
    /// Measures `code` by the calling thread's own processor time, alone and with its data in the caches.
    pub(super) fn of(code: &mut dyn Code) -> Self {
        let mut rates: Vec<u64> = (0..SAMPLES).map(|_| sample(code)).collect();
        rates.sort_unstable();
        Rate(rates[SAMPLES / 2].max(1))
    }

    /// The number of rounds that this much work is.
    pub(super) fn rounds(self, work: Work) -> u64 {
        let rounds = u128::from(work.as_ns()) * u128::from(self.0) / 1_000_000;
        u64::try_from(rounds).unwrap_or(u64::MAX)
    }
}

fn sample(code: &mut dyn Code) -> u64 {
    let start = sys::thread_cpu_ns();
    let mut rounds = 0;
    loop {
        // As many again: a look is a system call, and a hundred of them would be a tenth of what is measured.
        let more = rounds.max(FIRST);
        code.run(more);
        rounds += more;
        let used = sys::thread_cpu_ns() - start;
        if used >= SAMPLE {
            return (u128::from(rounds) * 1_000_000 / u128::from(used)) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_becomes_rounds() {
        assert_eq!(Rate(3_000).rounds(Work::from_ns(500_000)), 1_500);
        assert_eq!(Rate(u64::MAX).rounds(Work::from_ns(u64::MAX)), u64::MAX);
    }

    /// Calibrating hardly looks at the clock. Each look is a system call, which is not the code's time: from one to the
    /// next the rounds double.
    #[test]
    fn calibrating_hardly_looks_at_the_clock() {
        struct Batches(Vec<u64>);
        impl Code for Batches {
            fn run(&mut self, rounds: u64) {
                self.0.push(rounds);
                (0..rounds).for_each(|_| std::hint::spin_loop());
            }
        }
        let mut batches = Batches(Vec::new());
        Rate::of(&mut batches);
        assert_eq!(batches.0.iter().filter(|rounds| **rounds == FIRST).count(), 2 * SAMPLES);
        assert!(batches.0.windows(2).all(|two| two[1] == FIRST || two[1] == 2 * two[0]));
    }
}
