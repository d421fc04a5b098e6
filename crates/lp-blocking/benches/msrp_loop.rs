//! Sets per second of the response-time loop with the spin locks' program: eight processors, forty tasks, light
//! sharing.
//!
//! `cargo bench -p schedlab-lp-blocking`.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

#[path = "../../analysis/tests/support/mixer.rs"]
mod mixer;

use mixer::Mixer;
use schedlab_analysis::blocking::feed::without_inflation;
use schedlab_analysis::blocking::{Requests, Sharer, Sharing};
use schedlab_lp_blocking::spin::greedy::Greedy;
use schedlab_lp_blocking::spin::Spinning;
use std::time::Instant;

const SETS: usize = 2_000;

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
                requests.push(Requests::mutex(resource, 1 + random.below(2) as u32, 1 + random.below(25)));
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
    let mut accepts = |set: &&Sharing| {
        greedy.read(set);
        let spinning = Spinning::NonPreemptive;
        let bound = |task: usize, responses: &[u64]| greedy.bound(set, responses, task, spinning);
        without_inflation(set, bound).met.is_ok()
    };
    let accepted = sets.iter().filter(&mut accepts).count();
    let rate = SETS as f64 / start.elapsed().as_secs_f64();
    println!("closed form: {rate:.0} sets/s, {accepted} of {SETS} schedulable");
}
