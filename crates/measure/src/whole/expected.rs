//! Remaining time of a measurement: the expected times of its steps, corrected by the times of those before.

use super::steps::{Extent, Step};
use std::time::Duration;

/// Time to start the threads of a run, let them meet, and end them.
const AROUND_A_RUN: Duration = Duration::from_millis(700);
/// Time of a round, in which a working set is brought into a state and walked, whatever its size.
const ROUND: Duration = Duration::from_micros(20);
/// Additional time of a round for each 4 KiB of the working set.
const ROUND_BY_PAGE: Duration = Duration::from_micros(10);
/// Time of any other step.
const SHORT: Duration = Duration::from_millis(100);
/// Expected time that counts as if it had been taken exactly, because first steps show little of those to come.
const TRUSTED: Duration = Duration::from_secs(10);

/// Returns how long `steps` from number `done` on take, if those before took `so_far`.
pub(crate) fn left_of(steps: &[&Step], done: usize, so_far: Duration, extent: &Extent) -> Duration {
    let of = |steps: &[&Step]| steps.iter().map(|step| expected(step, extent)).sum::<Duration>();
    let slower = (so_far + TRUSTED).as_secs_f64() / (of(&steps[..done]) + TRUSTED).as_secs_f64();
    of(&steps[done..]).mul_f64(slower)
}

/// Returns how long a step takes on a typical machine.
fn expected(step: &Step, extent: &Extent) -> Duration {
    let run = Duration::from_nanos(extent.length.as_ns()) + AROUND_A_RUN;
    match step {
        Step::Set { .. } | Step::Locks(_) | Step::NonPreemptive => run,
        Step::Cache(case) => {
            let pages = (case.bytes as f64) / 4096.0;
            (ROUND + ROUND_BY_PAGE.mul_f64(pages)).mul_f64(extent.rounds as f64)
        }
        Step::Noise | Step::SystemCall | Step::Migration(..) | Step::Interrupt(..) => SHORT,
    }
}

/// Writes a time in whole minutes or, if it is less than two, in seconds.
pub(crate) fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    match seconds {
        ..120 => format!("{seconds} s"),
        _ => format!("{} min", (seconds + 30) / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Duration as Ns;

    fn extent() -> Extent {
        Extent {
            schedulers: Vec::new(),
            protocols: Vec::new(),
            tasks: Vec::new(),
            sets: 0,
            length: Ns::from_ms(1_300),
            bytes: Vec::new(),
            rounds: 1,
        }
    }

    fn set(index: u64) -> Step {
        Step::Set { scheduler: "G-EDF".to_owned(), tasks: 10, index }
    }

    /// Ten short steps and ten runs of 2 s: 21 s. Short ones that took half of what was expected make nothing of the
    /// rest.
    #[test]
    fn short_steps_do_not_stand_for_runs() {
        let steps: Vec<Step> = (0..10).map(|_| Step::Noise).chain((0..10).map(set)).collect();
        let steps: Vec<&Step> = steps.iter().collect();
        let left = |done, so_far| left_of(&steps, done, so_far, &extent());
        assert_eq!(in_words(left(0, Duration::ZERO)), "21 s", "said before anything is done");
        assert_eq!(in_words(left(10, Duration::from_millis(500))), "19 s");
        assert_eq!(in_words(left(15, Duration::from_secs(32))), "20 s", "twice as slow: 10 * 42 / 21");
        assert_eq!(left(20, Duration::from_secs(60)), Duration::ZERO);
    }

    #[test]
    fn times_are_told_in_words() {
        let words = [0, 119, 120, 1_289].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(words, ["0 s", "119 s", "2 min", "21 min"]);
    }
}
