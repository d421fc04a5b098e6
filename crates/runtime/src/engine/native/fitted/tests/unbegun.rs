//! Jobs that the kernel never begins.

use super::*;
use crate::engine::native::never_begun::{never_begun, NeverBegun};

/// The jobs that `given` lacks until `until`, of which 10 ns are allowed. The first task's jobs come every 300 ns, and
/// go before those of the second one, which come every 800 ns.
fn found(given: &[(u64, u32, EngineInput)], until: u64) -> (u64, u64) {
    let (setup, make) = system(&[300, 800], 1);
    let allowed = Duration::from_ns(10);
    let NeverBegun { jobs, longest } =
        never_begun(&make, &setup, &inputs(given), Instant::from_ns(until), allowed);
    (jobs, longest.as_ns())
}

#[test]
fn a_job_that_never_begins_is_found_by_its_execution() {
    // The second task's first job would execute from 0 to 5 and from 50 to 300, the first one's second from then on.
    let given = [(5, 0, BEGAN), (50, 0, COMPLETE)];
    assert_eq!(found(&given, 900), (2, 600));
    assert_eq!(found(&given, 305), (1, 260), "the first one's is due for 5 ns only");
    assert_eq!(found(&given, 55), (0, 0), "10 ns are allowed");
    assert_eq!(found(&given, 56), (1, 11));
}

/// Of all that the kernel recorded, nothing is missing.
#[test]
fn jobs_that_begin_are_none_of_these() {
    let given = [(0, 0, BEGAN), (1, 1, BEGAN), (40, 0, COMPLETE), (80, 1, COMPLETE)];
    assert_eq!(found(&given, 300), (0, 0));
    assert_eq!(found(&given, 400), (1, 100));
}

/// The urgent job executes all the time: neither is its task's next job due, nor does the other one get anything.
#[test]
fn a_job_that_others_keep_waiting_is_none() {
    assert_eq!(found(&[(5, 0, BEGAN)], 900), (0, 0));
}

#[test]
fn a_task_without_further_jobs_lacks_none() {
    let left = EngineInput::Left;
    let given = [(5, 0, BEGAN), (50, 0, COMPLETE), (900, 0, left), (900, 1, left)];
    assert_eq!(found(&given, 900), (0, 0));
    assert_eq!(found(&given[..3], 900), (1, 855), "the second task's job");
}

/// The first job counts as arrived at 250: no other one may arrive before 550.
#[test]
fn the_least_separation_is_waited_for() {
    let began = EngineInput::Began(Instant::from_ns(250));
    let left = EngineInput::Left;
    let given = [(250, 0, began), (260, 0, COMPLETE), (900, 1, left)];
    assert_eq!(found(&given, 560), (0, 0));
    assert_eq!(found(&given, 600), (1, 50));
}

/// What others did later does not fit to a run in which the job executes: it waits, and nothing breaks.
#[test]
fn sections_of_others_meanwhile_do_not_matter() {
    let report = EngineInput::Reported;
    let given =
        [(0, 1, BEGAN), (20, 1, report(Input::NpEnter)), (60, 1, report(Input::NpExit)), (90, 1, COMPLETE)];
    assert_eq!(found(&given, 500), (1, 500));
}
