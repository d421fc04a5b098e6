//! Sharing under Pfair scheduling: zones and lock-free objects, on small examples.

use crate::support;
use schedlab_lock::{find_protocol, LockProtocol, LockSetup, PriorityOrder};
use schedlab_model::*;
use schedlab_sim::simulate;
use schedlab_trace::{Record, SuspendReason, Timeline};
use support::*;

const R: ResourceId = ResourceId(0);

fn machine(processors: u16, alignment: Alignment) -> Platform {
    Platform { quantum: Duration::from_ns(10), alignment, ..Platform::global(processors) }
}

fn execute(length: u64) -> Step {
    Step::Execute(Work::from_ns(length))
}

/// A job that works, uses R for a while, and works again, of `quanta` quanta in every `period`.
fn user(before: u64, section: u64, after: u64, quanta: u64, period: u64) -> Task {
    let program =
        vec![execute(before), Step::Request(R, 1), execute(section), Step::Release(R, 1), execute(after)];
    Task { program, ..task(10 * quanta, 10 * period, 10 * period) }
}

/// What was done about R, by time: `9 delay A`.
fn story(timeline: &Timeline) -> Vec<String> {
    let word = |record: &Record| match record {
        Record::Request { job, .. } => Some(("request", *job)),
        Record::Spin { job, .. } => Some(("spin", *job)),
        Record::Delay { job, .. } => Some(("delay", *job)),
        Record::Acquire { job, .. } => Some(("acquire", *job)),
        Record::Release { job, .. } => Some(("release", *job)),
        Record::Attempt { job, .. } => Some(("attempt", *job)),
        Record::Retry { job, .. } => Some(("retry", *job)),
        Record::Commit { job, .. } => Some(("commit", *job)),
        Record::Suspend { job, reason: SuspendReason::Resource(_) } => Some(("suspend", *job)),
        Record::Resume { job } => Some(("resume", *job)),
        Record::Complete { job } => Some(("complete", *job)),
        _ => None,
    };
    let line = |(at, record): &(Instant, Record)| {
        let (word, job) = word(record)?;
        Some(format!("{} {word} {}", at.as_ns(), (b'A' + job.task.0 as u8) as char))
    };
    timeline.records.iter().filter_map(line).collect()
}

fn run_with(
    tasks: Vec<Task>,
    platform: Platform,
    horizon: u64,
    make: impl FnOnce(&LockSetup<'_>) -> Box<dyn LockProtocol>,
) -> Timeline {
    let name = if platform.alignment == Alignment::Aligned { "PD2" } else { "S-PD2" };
    let policies = policies(name, &platform, &tasks);
    let resources = &[Resource { units: 1 }];
    let setup = LockSetup {
        tasks: &tasks,
        resources,
        platform: &platform,
        order: PriorityOrder::Pfair,
        lengths: &[],
    };
    let locks = make(&setup);
    let source = periodic(&tasks);
    let mut timeline = Timeline::default();
    simulate(ideal(tasks, platform, horizon), policies, locks, source, &mut timeline);
    timeline
}

/// The protocol of this name for `setup`.
fn made(name: &str, setup: &LockSetup<'_>) -> Box<dyn LockProtocol> {
    (find_protocol(name).unwrap().make)(setup).unwrap()
}

fn zones(tasks: Vec<Task>, platform: Platform, horizon: u64, name: &str) -> Vec<String> {
    story(&run_with(tasks, platform, horizon, |setup| made(name, setup)))
}

const SKIP: &str = "zone-skip";
const ROLLBACK: &str = "zone-rollback";

/// 2005, section IV.D: the request at 8 is at risk, since its section of 3 would be preempted at 10. It is ignored
/// until the next quantum; a request at 7 is not.
#[test]
fn a_request_in_the_zone_waits_for_the_next_quantum() {
    for at_end in [SKIP, ROLLBACK] {
        let at = |before| zones(vec![user(before, 3, 2, 2, 2)], machine(1, Alignment::Aligned), 20, at_end);
        assert_eq!(at(8), ["8 request A", "8 delay A", "10 acquire A", "13 release A", "15 complete A"]);
        assert_eq!(at(7), ["7 request A", "7 acquire A", "10 release A", "12 complete A"]);
        assert_eq!(at(10), ["10 request A", "10 acquire A", "13 release A", "15 complete A"]);
    }
}

/// A task without a next quantum at once asks in the first that it has: A of weight 1/2, delayed at 9, in slot 2 or 3.
#[test]
fn a_delayed_request_waits_for_the_jobs_own_quantum() {
    let tasks = vec![user(9, 2, 3, 2, 4), task(20, 40, 40)];
    for at_end in [SKIP, ROLLBACK] {
        let story = zones(tasks.clone(), machine(1, Alignment::Aligned), 40, at_end);
        assert_eq!(story[..4], ["9 request A", "9 delay A", "20 acquire A", "22 release A"]);
    }
}

/// A request at a boundary, by a job that loses its processor there, is not granted in the quantum that ends.
#[test]
fn nobody_acquires_at_the_end_of_its_last_quantum() {
    let tasks = vec![user(10, 2, 3, 2, 4), task(20, 40, 40)];
    for at_end in [SKIP, ROLLBACK] {
        let story = zones(tasks.clone(), machine(1, Alignment::Aligned), 40, at_end);
        assert_eq!(story[..3], ["10 request A", "20 acquire A", "22 release A"]);
    }
}

/// Zones follow the boundaries of each processor: with staggered quanta, those of the second of two are at 5, 15, 25.
#[test]
fn zones_follow_staggered_quanta() {
    let staggered = machine(2, Alignment::Staggered);
    let tasks = vec![user(7, 4, 2, 2, 2), task(20, 20, 20)];
    let story = zones(tasks, staggered, 40, SKIP);
    assert_eq!(story[..4], ["12 request A", "12 delay A", "15 acquire A", "19 release A"]);
    let tasks = vec![user(6, 4, 2, 2, 2), task(20, 20, 20)];
    assert_eq!(
        zones(tasks, machine(2, Alignment::Staggered), 40, SKIP)[..2],
        ["11 request A", "11 acquire A"]
    );
}

/// First come, first served within a slot; one that would be served in its zone is not.
#[test]
fn waiters_are_served_in_order_until_the_zone() {
    let tasks = vec![user(1, 3, 9, 2, 2), user(3, 3, 9, 2, 2), user(2, 3, 9, 2, 2)];
    for at_end in [SKIP, ROLLBACK] {
        let story = zones(tasks.clone(), machine(3, Alignment::Aligned), 20, at_end);
        let expected = [
            "1 request A",
            "1 acquire A",
            "2 request C",
            "2 spin C",
            "3 request B",
            "3 spin B",
            "4 release A",
            "4 acquire C",
            "7 release C",
            "7 acquire B",
            "10 release B",
        ];
        assert_eq!(story[..11], expected);
        let later = vec![user(1, 3, 9, 2, 2), user(3, 4, 9, 2, 2), user(2, 3, 9, 2, 2)];
        let story = zones(later, machine(3, Alignment::Aligned), 20, at_end);
        // The zone is as long as the longest section now, 4: at 7 a section of B would begin too late.
        assert_eq!(story[7..10], ["4 acquire C", "7 release C", "10 acquire B"]);
    }
}

/// 2005, section IV.C: an attempt fails if another operation commits meanwhile, and as often as that happens.
#[test]
fn an_attempt_that_was_overtaken_is_made_again() {
    let lock_free = |setup: &LockSetup<'_>| -> Box<dyn LockProtocol> { made("lock-free", setup) };
    let twice = Task {
        program: [user(1, 2, 1, 2, 2).program, user(1, 2, 1, 2, 2).program].concat(),
        ..task(20, 20, 20)
    };
    let whole = user(0, 4, 1, 2, 2);
    let tasks = vec![Task { program: whole.program[1..].to_vec(), ..whole }, twice];
    let timeline = run_with(tasks, machine(2, Alignment::Aligned), 20, lock_free);
    let expected = [
        "0 request A",
        "0 attempt A",
        "1 request B",
        "1 attempt B",
        "3 commit B",
        "4 retry A",
        "5 request B",
        "5 attempt B",
        "7 commit B",
        "8 retry A",
        "8 complete B",
        "12 commit A",
        "13 complete A",
    ];
    assert_eq!(story(&timeline), expected);
}

/// Of two attempts that end at the same instant, that of the first processor succeeds.
#[test]
fn one_of_two_simultaneous_commits_fails() {
    let lock_free = |setup: &LockSetup<'_>| -> Box<dyn LockProtocol> { made("lock-free", setup) };
    let timeline = run_with(vec![user(1, 2, 1, 1, 1); 2], machine(2, Alignment::Aligned), 10, lock_free);
    let story = story(&timeline);
    assert_eq!(story[4..], ["3 commit A", "3 retry B", "4 complete A", "5 commit B", "6 complete B"]);
}

fn servers(tasks: Vec<Task>, platform: Platform, horizon: u64) -> Vec<String> {
    let make = |setup: &LockSetup<'_>| -> Box<dyn LockProtocol> { made("pfair-server", setup) };
    story(&run_with(tasks, platform, horizon, make))
}

/// A server of R with a weight of `quanta` / `period`.
fn server(quanta: u64, period: u64) -> Task {
    Task {
        program: vec![Step::Serve(R), execute(10 * quanta)],
        ..task(10 * quanta, 10 * period, 10 * period)
    }
}

/// 2005, fig. 9(a): T requests in slot 0; S becomes active at time 1, executes the section in slot 1 and suspends
/// itself; T has the response before time 2 and is scheduled in slot 2.
#[test]
fn figure_9a_request_and_response_aligned() {
    let story = servers(vec![user(8, 9, 2, 4, 4), server(1, 1)], machine(3, Alignment::Aligned), 60);
    let expected = [
        "8 request A",
        "8 suspend A",
        "8 acquire B",
        "19 release B",
        "19 resume A",
        "19 complete B",
        "22 complete A",
    ];
    assert_eq!(story[..7], expected);
}

/// 2005, fig. 9(b): T requests on processor 2 in slot 0, after time 1, when slot 1 is filled already. So S is active
/// in slot 2 only, on processor 3, and its response comes after time 3, when slot 3 is filled. T is scheduled in slot
/// 4.
#[test]
fn figure_9b_request_and_response_staggered() {
    let others = [task(120, 120, 120), task(120, 120, 120)];
    let platform = Platform { quantum: Duration::from_ns(12), ..machine(4, Alignment::Staggered) };
    let client = Task { program: user(8, 9, 2, 1, 1).program, ..task(120, 120, 120) };
    let program = vec![Step::Serve(R), execute(12)];
    let server = Task { program, ..task(12, 12, 12) };
    let tasks = vec![client, others[0].clone(), others[1].clone(), server];
    let make = |setup: &LockSetup<'_>| -> Box<dyn LockProtocol> { made("pfair-server", setup) };
    let timeline = run_with(tasks, platform, 72, make);
    let expected = [
        "14 request A",
        "14 suspend A",
        "14 acquire D",
        "39 release D",
        "39 resume A",
        "39 complete D",
        "56 complete A",
    ];
    assert_eq!(story(&timeline), expected);
    // Slot k of processor 2 begins at 12 k + 6: T has slots 0 and 4 there, S slot 2; slots 1 and 3 are wasted.
    let third = draw(&timeline, 4, 72).split(" / ").nth(2).unwrap().to_string();
    assert_eq!(
        third,
        format!("......{}................{}...............AA................", "A".repeat(8), "D".repeat(9))
    );
}

/// One section after another, in the order of the requests, whatever the clients' priorities; long sections take
/// several quanta of the server, which has a weight of 1/2.
#[test]
fn a_server_executes_requests_in_their_order() {
    let tasks = vec![user(4, 12, 1, 3, 9), user(2, 3, 1, 2, 9), user(3, 1, 1, 2, 9), server(1, 2)];
    let story = servers(tasks, machine(4, Alignment::Aligned), 60);
    let released: Vec<&String> = story.iter().filter(|line| line.contains("release")).collect();
    assert_eq!(released, ["13 release D", "14 release D", "36 release D"]);
    let resumed: Vec<&String> = story.iter().filter(|line| line.contains("resume")).collect();
    assert_eq!(resumed, ["13 resume B", "14 resume C", "36 resume A"]);
}

#[test]
fn systems_without_proper_servers_are_refused() {
    let refused = |tasks: &[Task], order| {
        let platform = machine(2, Alignment::Aligned);
        let resources = &[Resource { units: 1 }];
        let setup = LockSetup { tasks, resources, platform: &platform, order, lengths: &[] };
        (find_protocol("pfair-server").unwrap().make)(&setup).err().unwrap().to_string()
    };
    let pfair = PriorityOrder::Pfair;
    let none = refused(&[server(1, 2), user(1, 1, 1, 1, 1)], PriorityOrder::EarliestDeadline);
    assert_eq!(none, "the static-weight server protocol needs a Pfair scheduler");
    let none = refused(&[task(10, 10, 10), user(1, 1, 1, 1, 1)], pfair);
    assert_eq!(
        none,
        "T1 requests R0, which no task serves, but the static-weight server protocol needs a server"
    );
    let two = refused(&[server(1, 2), user(1, 1, 1, 1, 1), server(1, 3)], pfair);
    assert_eq!(two, "R0 is served by T0 and by T2, but may have one server only");
    let own =
        Task { program: [server(1, 2).program, user(1, 1, 1, 1, 1).program].concat(), ..task(10, 20, 20) };
    assert_eq!(refused(&[own], pfair), "T0 is a server and requests R0, but servers make no requests");
}

/// Block-or-not-2008, section 2.2: an operation on a wait-free object takes as long as it says, whatever others do.
#[test]
fn nobody_waits_for_a_wait_free_object_nor_repeats_anything() {
    let wait_free = |setup: &LockSetup<'_>| -> Box<dyn LockProtocol> { made("wait-free", setup) };
    let timeline = run_with(vec![user(1, 2, 1, 1, 1); 2], machine(2, Alignment::Aligned), 10, wait_free);
    let story = story(&timeline);
    assert_eq!(story[4..], ["3 commit A", "3 commit B", "4 complete A", "4 complete B"]);
}
