//! GFB and Baker over 100,000 random sets of 20 tasks on four processors.
//!
//! `cargo bench -p schedlab-analysis`. Costs are scaled so that the sets lie around the tests' limits.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

#[path = "../tests/support/mixer.rs"]
mod mixer;

use mixer::Mixer;
use schedlab_analysis::{multiprocessor, AnalysedScheduler, Answer, System, Test};
use schedlab_model::{Duration, Task, Work};
use std::time::Instant;

const SETS: usize = 100_000;
const TASKS: usize = 20;

fn sets() -> Vec<System> {
    let mut random = Mixer(0x9E37_79B9_7F4A_7C15);
    let mut set = || {
        let task = |random: &mut Mixer| {
            let period = 1_000_000 * (60 + random.below(41));
            let cost = period / 1000 * (1 + random.below(150));
            let relative_deadline = period - random.below(period - cost) / 20;
            Task::constrained(
                Work::from_ns(cost),
                Duration::from_ns(period),
                Duration::from_ns(relative_deadline),
            )
        };
        let tasks: Vec<Task> = (0..TASKS).map(|_| task(&mut random)).collect();
        System::global(&tasks, 4, &AnalysedScheduler::EDF).expect("valid parameters")
    };
    (0..SETS).map(|_| set()).collect()
}

fn main() {
    let systems = sets();
    let measure = |test: &Test| {
        let start = Instant::now();
        let accepted = systems.iter().filter(|s| (test.run)(s).answer == Answer::Schedulable).count();
        let seconds = start.elapsed().as_secs_f64();
        println!("{}: {accepted} of {SETS} sets accepted in {seconds:.3} s", test.name);
    };
    measure(&multiprocessor::gfb::TEST);
    measure(&multiprocessor::baker::TEST);
}
