//! How many states of non-preemptive job sets one core visits in a second.
//!
//! `cargo bench -p schedlab-analysis --bench explore`. Job sets like those on which the tool of the method's authors
//! was measured (docs/performance.md): periodic tasks, periods of 10 to 200 ms whose hyperperiod is 200 ms, jitter 4
//! ms.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

#[path = "../tests/support/mixer.rs"]
mod mixer;

use mixer::Mixer;
use schedlab_analysis::explore::{explore_jobs, JobSpan, Span};
use schedlab_model::{JobId, TaskId};
use std::time::Instant;

const HYPERPERIOD: u64 = 200_000;
const PERIODS: [u64; 6] = [10_000, 20_000, 40_000, 50_000, 100_000, 200_000];

/// The jobs of one hyperperiod of `tasks` tasks with a utilization of about `percent` in all; no deadlines, so that
/// everything is explored.
fn jobs(random: &mut Mixer, tasks: u64, percent: u64) -> Vec<JobSpan> {
    let mut jobs = Vec::new();
    for task in 0..tasks {
        let period = PERIODS[random.below(6) as usize];
        let cost = (period * percent / (100 * tasks) * (50 + random.below(100)) / 100).max(2);
        let offset = random.below(period);
        for (number, arrival) in (offset..HYPERPERIOD).step_by(period as usize).enumerate() {
            jobs.push(JobSpan {
                id: JobId::new(TaskId(task as u32), number as u32),
                release: Span::new(arrival, arrival + 4000),
                cost: Span::new(cost / 4, cost),
                due: u64::MAX,
                point: period,
            });
        }
    }
    jobs
}

fn measure(name: &str, processors: u32, tasks: u64, percent: u64) {
    const MOST_STATES: u64 = 2_000_000;
    let mut random = Mixer(0x9E37_79B9_7F4A_7C15);
    let sets: Vec<Vec<JobSpan>> = (0..20).map(|_| jobs(&mut random, tasks, percent)).collect();
    let start = Instant::now();
    let (mut states, mut dispatches, mut jobs) = (0, 0, 0);
    for set in &sets {
        let found = explore_jobs(set, processors, MOST_STATES).expect("the jobs are well-formed");
        states += found.states;
        dispatches += found.dispatches;
        jobs += set.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name}: {jobs} jobs, {states} states, {dispatches} dispatches in {seconds:.3} s: {:.2} million states/s",
        states as f64 / seconds / 1e6
    );
}

fn main() {
    measure("m=1 n=30 U=0.5", 1, 30, 50);
    measure("m=4 n=20 U=1.2", 4, 20, 120);
    measure("m=4 n=30 U=2.0", 4, 30, 200);
    measure("m=8 n=30 U=3.0", 8, 30, 300);
}
