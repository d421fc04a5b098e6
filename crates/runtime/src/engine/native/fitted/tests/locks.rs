//! Critical sections that threads take by themselves.

use super::*;
use schedlab_lock::{find_protocol, LockSetup, PriorityOrder};
use schedlab_model::{Resource, ResourceId, Step};

const R: ResourceId = ResourceId(0);
const ASKS: EngineInput = EngineInput::Reported(Input::Request(R, 1));
const GIVES: EngineInput = EngineInput::Reported(Input::Release(R, 1));

/// As [`system`], with a resource under a spin lock that all tasks use.
fn sharing(periods: &[u64], processors: u16) -> (Setup, impl Fn() -> DomainSetup) {
    let (mut setup, make) = system(periods, processors);
    for task in &mut setup.tasks {
        task.program = vec![Step::Request(R, 1), Step::Execute(Work::from_ns(1)), Step::Release(R, 1)];
    }
    let own = setup.clone();
    let make = move || {
        let lock = LockSetup {
            tasks: &own.tasks,
            resources: &[Resource { units: 1 }],
            platform: &own.platform,
            order: PriorityOrder::Other,
            lengths: &[],
        };
        let locks = (find_protocol("task-fair").unwrap().make)(&lock).unwrap();
        DomainSetup { locks, ..make() }
    };
    (setup, make)
}

/// When each task's first job acquired the resource, as the engine decides.
fn acquired(setup: &Setup, make: &dyn Fn() -> DomainSetup, fitted: &Fitted) -> Vec<(u64, u32)> {
    let records = replay(make(), setup, &fitted.inputs).records;
    let acquired = |(at, record): &(Instant, Record)| match record {
        Record::Acquire { job, .. } => Some((at.as_ns(), job.task.0)),
        about![lives, places, urgencies, machine, attempts, Request, Spin, Delay, Release] => None,
    };
    records.iter().filter_map(acquired).collect()
}

/// Jobs spin in the order in which they asked, each until the one before gives the resource back.
#[test]
fn jobs_spin_in_order() {
    let (setup, make) = sharing(&[300, 400, 800], 3);
    let given = [
        (0, 0, BEGAN),
        (0, 1, BEGAN),
        (0, 2, BEGAN),
        (10, 2, ASKS),
        (11, 1, ASKS),
        (12, 0, ASKS),
        (50, 2, GIVES),
        (60, 1, GIVES),
        (61, 1, COMPLETE),
        (70, 0, GIVES),
        (71, 0, COMPLETE),
        (80, 2, COMPLETE),
    ];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!((fitted.late_stops, fitted.late_starts, fitted.early_starts), (0, 0, 0));
    assert_eq!(acquired(&setup, &make, &fitted), [(10, 2), (50, 1), (60, 0)]);
}

/// An urgent job is ready at 100; the other one asks and gives back before the kernel stops it. It still asks then, as
/// the order of requests matters to others, and is not preempted meanwhile.
#[test]
fn a_job_that_asks_before_it_is_stopped_was_not_to_be_preempted() {
    let (setup, make) = sharing(&[300, 800], 1);
    let given = [
        (0, 1, BEGAN),
        (100, 0, BEGAN),
        (102, 1, ASKS),
        (105, 1, GIVES),
        (150, 0, COMPLETE),
        (160, 1, COMPLETE),
    ];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!((fitted.late_stops, fitted.early_starts), (1, 0));
    assert_eq!(fitted.longest_move, Duration::from_ns(3), "from 102 to 99");
    assert_eq!(fitted.late_requests, [Duration::from_ns(3)]);
    assert_eq!(acquired(&setup, &make, &fitted), [(102, 1)]);
    let is = |wanted: Input| {
        let wanted = EngineInput::Reported(wanted);
        fitted
            .inputs
            .iter()
            .filter(|(_, _, what)| *what == wanted)
            .map(|(_, job, _)| job.task.0)
            .collect::<Vec<_>>()
    };
    assert_eq!((is(Input::NpEnter), is(Input::NpExit)), (vec![1], vec![1]));
    assert_eq!(decided(&setup, &make, &fitted), [(150, vec![0]), (160, vec![0, 0])]);
}

/// An urgent job is ready in a section of the other one, which gives back what it holds and is complete before the
/// kernel stops it. It is not complete before it gives that back: the next job gets the lock.
#[test]
fn a_job_is_not_complete_before_its_own_release() {
    let (setup, make) = sharing(&[300, 800], 1);
    let given = [
        (0, 1, BEGAN),
        (10, 1, ASKS),
        (50, 0, BEGAN),
        (100, 1, GIVES),
        (104, 1, COMPLETE),
        (110, 0, ASKS),
        (120, 0, GIVES),
        (150, 0, COMPLETE),
    ];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!((fitted.late_stops, fitted.early_starts), (1, 0));
    assert_eq!(acquired(&setup, &make, &fitted), [(10, 1), (110, 0)]);
    assert_eq!(decided(&setup, &make, &fitted), [(150, vec![0]), (104, vec![0])]);
}

/// The kernel executed the less urgent job first: its section counts once the engine executes it, and in order.
#[test]
fn sections_of_a_job_that_went_first_are_kept() {
    let (setup, make) = sharing(&[300, 800], 1);
    let given = [
        (0, 0, BEGAN),
        (0, 1, BEGAN),
        (10, 1, ASKS),
        (12, 1, GIVES),
        (14, 1, COMPLETE),
        (20, 0, ASKS),
        (25, 0, GIVES),
        (30, 0, COMPLETE),
    ];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!((fitted.late_stops, fitted.early_starts), (0, 1));
    assert_eq!(acquired(&setup, &make, &fitted), [(20, 0), (30, 1)]);
    assert_eq!(decided(&setup, &make, &fitted), [(30, vec![0]), (30, vec![0])]);
}

/// A thread had the lock before the job in front of it gave it back: the engine does not grant it earlier for that, and
/// nothing breaks.
#[test]
fn a_job_that_has_what_it_was_not_granted_waits_in_the_engine() {
    let (setup, make) = sharing(&[300, 800], 2);
    let given = [
        (0, 0, BEGAN),
        (0, 1, BEGAN),
        (10, 0, ASKS),
        (15, 1, ASKS),
        (20, 1, GIVES),
        (22, 1, COMPLETE),
        (40, 0, GIVES),
        (50, 0, COMPLETE),
    ];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!(fitted.early_starts, 1);
    assert_eq!(acquired(&setup, &make, &fitted), [(10, 0), (40, 1)]);
    assert_eq!(decided(&setup, &make, &fitted), [(50, vec![0]), (40, vec![1])]);
}

/// The less urgent job sleeps with the lock from 20 to 80, and the urgent one, ready at 30, spins for it on the only
/// processor. The engine lets the holder keep the processor meanwhile, so both get on.
#[test]
fn a_section_that_sleeps_is_one_that_keeps_its_processor() {
    let (setup, make) = sharing(&[300, 800], 1);
    let given = [
        (0, 1, BEGAN),
        (10, 1, ASKS),
        (29, 1, EngineInput::Reported(Input::NpEnter)),
        (30, 0, BEGAN),
        (40, 0, ASKS),
        (85, 1, GIVES),
        (90, 1, EngineInput::Reported(Input::NpExit)),
        (95, 0, GIVES),
        (100, 0, COMPLETE),
        (110, 1, COMPLETE),
    ];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!(acquired(&setup, &make, &fitted), [(10, 1), (90, 0)]);
    assert_eq!((fitted.early_starts, fitted.longest_move), (1, Duration::from_ns(50)), "from 40 to 90");
    assert_eq!(decided(&setup, &make, &fitted), [(100, vec![0]), (110, vec![0, 0])]);
}
