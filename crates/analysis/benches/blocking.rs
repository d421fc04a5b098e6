//! Blocking bound and response times to their common fixed point: MSRP and MPCP under partitioned fixed priorities.
//!
//! `cargo bench -p schedlab-analysis --bench blocking`. Eight processors, 40 tasks, U = 4, rate-monotonic, worst-fit;
//! light sharing: four resources, each used by a task with probability 0.1, one or two requests of 1 to 15 us.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

#[path = "../tests/support/mixer.rs"]
mod mixer;

use mixer::Mixer;
use schedlab_analysis::blocking::response::{Iteration, Waiting};
use schedlab_analysis::blocking::{mpcp, msrp_holistic, Requests, Sharer, Sharing, Terms};
use std::time::Instant;

const SETS: usize = 20_000;
const TASKS: usize = 40;
const PROCESSORS: usize = 8;

fn set(random: &mut Mixer) -> Sharing {
    let weights: Vec<u64> = (0..TASKS).map(|_| 1 + random.below(1_000)).collect();
    let sum: u64 = weights.iter().sum();
    // Microseconds, log-uniform from 10 to 100 ms.
    let period = |random: &mut Mixer| (10_000.0 * 10f64.powf(random.below(1_000_000) as f64 / 1e6)) as u64;
    let mut tasks: Vec<(u64, u64)> = weights
        .iter()
        .map(|weight| (period(random), *weight))
        .map(|(t, w)| (t, (4 * w * t / sum).max(1)))
        .collect();
    tasks.sort_unstable();
    let mut load = [0f64; PROCESSORS];
    let mut sharing = Sharing::new(PROCESSORS as u32, vec![1; PROCESSORS / 2]);
    for (index, (period, cost)) in tasks.into_iter().enumerate() {
        let cluster = (0..PROCESSORS).min_by(|a, b| load[*a].total_cmp(&load[*b])).expect("there are some");
        load[cluster] += cost as f64 / period as f64;
        let mut requests = Vec::new();
        for resource in 0..PROCESSORS as u32 / 2 {
            if random.below(10) == 0 {
                requests.push(Requests::mutex(resource, 1 + random.below(2) as u32, 1 + random.below(15)));
            }
        }
        let sharer =
            Sharer { cost, period, relative_deadline: period, cluster: cluster as u32, level: index as u32 };
        sharing.push(sharer, &requests).expect("valid parameters");
    }
    sharing
}

/// The median over batches short enough to be seldom interrupted.
fn measure(name: &str, sets: &[Sharing], mut judge: impl FnMut(&Sharing) -> bool) {
    const BATCH: usize = 100;
    let mut accepted = 0;
    let mut times: Vec<f64> = Vec::new();
    for batch in sets.chunks(BATCH) {
        let start = Instant::now();
        accepted += batch.iter().filter(|set| judge(set)).count();
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_unstable_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!("{name}: {accepted} of {SETS} sets accepted, {:.0} sets/s", BATCH as f64 / median);
}

fn main() {
    let mut random = Mixer(0x9E37_79B9_7F4A_7C15);
    let sets: Vec<Sharing> = (0..SETS).map(|_| set(&mut random)).collect();
    let mut iteration = Iteration::default();
    let mut msrp = msrp_holistic::Prepared::default();
    measure("MSRP holistic", &sets, |set| {
        msrp.prepare(set);
        let bound =
            |task: usize, responses: &[u64]| Terms::new(msrp.spin(set, task, responses), msrp.arrival(task));
        iteration.run(set, Waiting::Spins, bound).is_ok()
    });
    let mut suspending = mpcp::Prepared::default();
    measure("MPCP", &sets, |set| {
        suspending.prepare(set, false);
        let terms = |task: usize| suspending.terms(set, task, set.tasks()[task].period);
        iteration.settle(set, Waiting::Suspends, terms).is_ok()
    });
}
