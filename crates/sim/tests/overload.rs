//! A task set that can never keep up: its backlog grows, what a job costs the simulator does not.
#![expect(clippy::disallowed_types, reason = "the simulator's own speed is measured")]

use crate::support;

use schedlab_policy::find;
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::Timeline;
use std::time::Instant;
use support::{ideal, periodic, platform, policies, task};

const JOBS: u64 = 160_000;

/// How long it takes to simulate jobs that arrive each nanosecond and take `cost`.
fn seconds(cost: u64) -> f64 {
    let platform = platform(find("G-EDF").unwrap().scope, 1, 1);
    let setup = ideal(vec![task(cost, 1, 1)], platform, JOBS);
    let (policies, source) = (policies("G-EDF", &setup.platform, &setup.tasks), periodic(&setup.tasks));
    let begin = Instant::now();
    let summary = simulate(setup, policies, NoLocks, source, Timeline::default());
    assert_eq!((summary.jobs_arrived, summary.jobs_completed), (JOBS, JOBS / cost));
    begin.elapsed().as_secs_f64()
}

/// The same jobs without a backlog take about as long; a hundred times less, if each were sought among those that
/// wait. In turns, and the best of three, since others use the machine.
#[test]
fn a_job_costs_the_same_however_many_wait() {
    let (mut alone, mut behind_others) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        alone = seconds(1).min(alone);
        behind_others = seconds(2).min(behind_others);
    }
    assert!(behind_others < 20.0 * alone, "{behind_others} s, and {alone} s for jobs that do not wait");
}
