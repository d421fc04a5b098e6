//! A task that leaves, and a job that is given up, leave every queue of every protocol: none waits for them afterwards.

use crate::locks;
use crate::support;

use locks::draw::{execute, section};
use locks::run_giving_up_at;
use schedlab_lock::*;
use schedlab_model::*;
use schedlab_trace::{Record, Timeline};
use std::sync::Arc;
use support::*;

/// Asks for the resource at 3, while HOLDER has it.
const WAITER: TaskId = TaskId(0);
/// Has the resource from 1 on.
const HOLDER: TaskId = TaskId(1);
/// Asks for it at 41 and 81.
const NEXT: TaskId = TaskId(2);
/// Executes their sections, if the protocol has servers.
const SERVER: TaskId = TaskId(3);
/// After this nothing is left of the other two.
const QUIET: Instant = Instant::from_ns(40);

/// When a task leaves, and a job is given up.
const AT: Instant = Instant::from_ns(4);

/// Three users of one resource, on two processors if the protocol is for more than one, and a server if it wants one.
fn system(protocol: &Protocol) -> (Vec<Task>, Platform, &'static str) {
    let (platform, scheduler, far) = match (protocol.ceilings, protocol.reach) {
        (Ceilings::Quanta, _) => (Platform::global(2), "PD2", 0),
        (_, Reach::Local) => (Platform::partitioned(1), "P-FP", 0),
        (_, Reach::Global) => (Platform::global(2), "G-FP", 0),
        (_, Reach::Partitioned | Reach::Any) => (Platform::partitioned(2), "P-FP", 1),
    };
    let task = |priority, offset, length, cluster| Task {
        program: [execute(1), section(0, length), execute(1)].concat(),
        fixed_priority: priority,
        cluster: ClusterId(cluster),
        offset: Instant::from_ns(offset),
        leave: Instant::from_ns(15),
        ..task(length + 2, 20, 20)
    };
    let mut tasks = vec![task(0, 2, 2, 0), task(1, 0, 4, far), task(2, 40, 2, 0)];
    let next = &mut tasks[NEXT.index()];
    (next.period, next.leave) = (Duration::from_ns(40), Instant::from_ns(110));
    if scheduler == "PD2" {
        // Both have the first quantum.
        tasks[WAITER.index()].offset = Instant::ZERO;
        tasks[WAITER.index()].program.splice(0..1, execute(3));
    }
    if protocol.name == "pfair-server" {
        let program = [vec![Step::Serve(ResourceId(0))], execute(10)].concat();
        tasks.push(Task { program, fixed_priority: 3, ..support::task(10, 20, 20) });
    }
    (tasks, Platform { quantum: Duration::from_ns(10), ..platform }, scheduler)
}

/// `going` leaves, and its job is given up or not.
fn run(protocol: &Protocol, going: TaskId, is_given_up: bool) -> Timeline {
    let (mut tasks, platform, scheduler) = system(protocol);
    tasks[going.index()].leave = AT;
    let when = move |job: &Job| if is_given_up && job.id.task == going { AT } else { Instant::NEVER };
    let setup = ideal(tasks, platform, 150);
    run_giving_up_at(setup, &[Resource { units: 1 }], scheduler, protocol.make, Arc::new(when))
}

fn times(timeline: &Timeline, wanted: impl Fn(&Record) -> bool) -> Vec<u64> {
    let found = timeline.records.iter().filter(|(_, record)| wanted(record));
    found.map(|(at, _)| at.as_ns()).collect()
}

/// NEXT has the resource as soon as it asks.
fn nobody_is_in_the_way(timeline: &Timeline) -> bool {
    let asks = |record: &Record| matches!(record, Record::Request { job, .. } if job.task == NEXT);
    let goes_on = |record: &Record| match *record {
        Record::Acquire { job, .. } | Record::Attempt { job, .. } => job.task == NEXT || job.task == SERVER,
        _ => false,
    };
    let had = times(timeline, goes_on).into_iter().filter(|at| *at >= QUIET.as_ns());
    times(timeline, asks) == [41, 81] && had.eq([41, 81])
}

#[test]
fn nobody_waits_for_a_task_that_has_left() {
    for protocol in ALL_PROTOCOLS {
        for (going, is_given_up) in [(WAITER, false), (WAITER, true), (HOLDER, false), (HOLDER, true)] {
            let timeline = run(protocol, going, is_given_up);
            let place = format!("{}: {going} leaves, given up: {is_given_up}", protocol.name);
            let job = JobId::new(going, 0);
            let end = if is_given_up { Record::Abort { job } } else { Record::Complete { job } };
            let ends = times(&timeline, |record| *record == end);
            // The SRP's gate keeps the job from the policy, which gives it up as soon as it hears of it.
            let is_gated = protocol.name == "srp" && going == WAITER;
            assert!(ends.len() == 1, "{place}: {ends:?}");
            assert_eq!(ends == [AT.as_ns()], is_given_up && !is_gated, "{place}: {ends:?}");
            assert_eq!(times(&timeline, |record| *record == Record::Leave { task: going }), ends, "{place}");
            assert!(nobody_is_in_the_way(&timeline), "{place}: {timeline:?}");
        }
    }
}
