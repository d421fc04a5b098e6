//! Sets per second of the response-time loop with the spin locks' program: eight processors, forty tasks, light sharing.
//!
//! `cargo bench -p schedlab-lp-blocking`.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

#[path = "../../analysis/tests/support/mixer.rs"]
mod mixer;

use mixer::Mixer;
use schedlab_analysis::blocking::{Request, Sharer, Sharing};
use schedlab_lp_blocking::maximum;
use schedlab_lp_blocking::spin::greedy::Greedy;
use schedlab_lp_blocking::spin::{program, response_time, Spinning};
use std::time::Instant;

const SETS: usize = 2_000;
const SOLVED: usize = 10;

/// In microseconds: periods of 10 to 100 ms by rate-monotonic priority, utilizations of 2 to 17%, five tasks to a
/// processor; ten resources, each used by a task with probability 1/10, once or twice, for up to 25 us.
fn draw(random: &mut Mixer) -> Sharing {
    let mut periods: Vec<u64> = (0..40).map(|_| 10_000 + random.below(90_000)).collect();
    periods.sort_unstable();
    let mut sharing = Sharing::new(8, vec![1; 10]);
    for (level, period) in periods.into_iter().enumerate() {
        let cost = period * (20 + random.below(150)) / 1_000;
        let level = level as u32;
        let task = Sharer { cost, period, relative_deadline: period, cluster: level % 8, level };
        let mut requests = Vec::new();
        for resource in 0..10 {
            if random.below(10) == 0 {
                requests.push(Request::mutex(resource, 1 + random.below(2) as u32, 1 + random.below(25)));
            }
        }
        sharing.push(task, &requests).expect("valid parameters");
    }
    sharing
}

fn main() {
    let mut random = Mixer(0x9E37_79B9_7F4A_7C15);
    let sets: Vec<Sharing> = (0..SETS).map(|_| draw(&mut random)).collect();
    let mut greedy = Greedy::default();
    let start = Instant::now();
    let bounds = |set| response_time::bounds(set, Spinning::NonPreemptive, &mut greedy);
    let accepted = sets.iter().map(bounds).filter(Option::is_some).count();
    let rate = SETS as f64 / start.elapsed().as_secs_f64();
    println!("closed form: {rate:.0} sets/s, {accepted} of {SETS} schedulable");
    let start = Instant::now();
    for set in &sets[..SOLVED] {
        let responses: Vec<u64> = set.tasks().iter().map(|task| task.relative_deadline).collect();
        for at in 0..set.tasks().len() {
            std::hint::black_box(maximum(&program::program(set, &responses, at, Spinning::NonPreemptive)));
        }
    }
    let rate = SOLVED as f64 / start.elapsed().as_secs_f64();
    println!("one round of the solver: {rate:.0} sets/s");
}
