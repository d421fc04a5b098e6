//! A policy that gives jobs up at their absolute deadlines.

use crate::support::giving_up::GivingUp;
use crate::support::*;
use schedlab_model::*;
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::{Record, Timeline};

/// The domino effect is broken: B is given up at its deadline, running or not, and the others are in time.
#[test]
fn a_late_job_is_given_up_and_its_processor_freed() {
    let mut tasks = vec![task(3, 100, 3), task(4, 100, 5), task(2, 100, 7)];
    tasks[0].leave = Instant::from_ns(50);
    let platform = Platform::global(1);
    let setup = ideal(tasks, platform, 20);
    let policies = GivingUp::late_jobs(policies("G-EDF", &setup.platform, &setup.tasks));
    let (source, mut timeline) = (periodic(&setup.tasks), Timeline::default());
    let summary = simulate(setup, policies, NoLocks, source, &mut timeline);
    assert_eq!(draw(&timeline, 1, 10), "AAABBCC...");
    let aborted = Record::Abort { job: JobId::new(TaskId(1), 0) };
    assert!(timeline.records.contains(&(Instant::from_ns(5), aborted)));
    assert_eq!((summary.jobs_completed, summary.jobs_missed), (2, 1));
}

/// A job that waits behind its aborted predecessor starts at that very instant.
#[test]
fn the_next_job_of_the_task_takes_over() {
    let setup = ideal(vec![task(9, 4, 4)], Platform::global(1), 9);
    let policies = GivingUp::late_jobs(policies("G-EDF", &setup.platform, &setup.tasks));
    let (source, mut timeline) = (periodic(&setup.tasks), Timeline::default());
    simulate(setup, policies, NoLocks, source, &mut timeline);
    let dispatched: Vec<_> =
        timeline.records.iter().filter(|(_, r)| matches!(r, Record::Dispatch { .. })).collect();
    assert_eq!(dispatched.iter().map(|(at, _)| at.as_ns()).collect::<Vec<_>>(), [0, 4, 8]);
}
