//! A task set that can never keep up: its backlog grows, what a job costs the simulator does not.
#![expect(clippy::disallowed_types, reason = "the simulator's own speed is measured")]

mod support;

use schedlab_policy::find;
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::Timeline;
use std::time::Instant;
use support::{ideal, periodic, platform, policies, task};

/// How long it takes to simulate `jobs` arrivals of a task that completes every second one only: the best of three.
fn seconds(jobs: u64) -> f64 {
    let run = || {
        let platform = platform(find("G-EDF").unwrap().scope, 1, 1);
        let setup = ideal(vec![task(2, 1, 1)], platform, jobs);
        let (policies, source) = (policies("G-EDF", &setup.platform, &setup.tasks), periodic(&setup.tasks));
        let begin = Instant::now();
        let summary = simulate(setup, policies, NoLocks, source, Timeline::default());
        assert_eq!((summary.jobs_arrived, summary.jobs_completed), (jobs, jobs / 2));
        begin.elapsed().as_secs_f64()
    };
    (0..3).map(|_| run()).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_job_costs_the_same_however_many_wait() {
    // 16 times as many jobs take 16 times as long, and 256 times if each job were sought among those that wait.
    let (few, many) = (seconds(10_000), seconds(160_000));
    assert!(many < 64.0 * few, "{few} s for 10,000 jobs, {many} s for 160,000");
}
