//! A busy loop in registers.

use super::rate::Rate;
use super::Code;
use schedlab_model::Work;
use std::hint::black_box;

/// Executes a known amount of work in registers.
///
/// Work, not time: a job that is preempted still does all of it, and a machine that slows down takes longer for it.
#[derive(Clone, Copy, Debug)]
pub struct Burner(Rate);

/// The loop of multiplications.
#[derive(Clone, Copy, Debug)]
struct Spin;

impl Code for Spin {
    fn run(&mut self, rounds: u64) {
        spin(rounds);
    }
}

impl Burner {
    /// Measures how fast the loop is.
    pub fn calibrate() -> Self {
        Burner(Rate::of(&mut Spin))
    }

    /// Executes this much work.
    pub fn burn(&self, work: Work) {
        spin(self.0.rounds(work));
    }
}

/// Executes a chain of dependent multiplications, which no compiler shortens. Never inlined: it is as fast wherever it
/// is called.
#[inline(never)]
fn spin(rounds: u64) {
    let mut x = black_box(1u64);
    for _ in 0..rounds {
        // In registers alone: a loop through memory is now and then twice as fast.
        x = x.rotate_left(7).wrapping_mul(6_364_136_223_846_793_005) ^ 1;
    }
    black_box(x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::sys;

    /// Work takes its time, within a factor of two even on a machine that does much else.
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
