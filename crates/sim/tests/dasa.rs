//! DASA with resources: drawn schedules, deadlocks, and what holds on random systems.

use crate::locks::random::{system, Random, Shape, System};
use crate::locks::{make, run_locked};
use crate::support::*;
use schedlab_model::*;
use schedlab_sim::{Input, Live};
use schedlab_trace::{Record, Timeline};
use std::collections::BTreeMap;

pub(crate) const R0: ResourceId = ResourceId(0);
pub(crate) const R1: ResourceId = ResourceId(1);

pub(crate) fn execute(length: u64) -> Vec<Step> {
    vec![Step::Execute(Work::from_ns(length))]
}

pub(crate) fn holding(resource: ResourceId, inner: &[Vec<Step>]) -> Vec<Step> {
    [vec![Step::Request(resource, 1)], inner.concat(), vec![Step::Release(resource, 1)]].concat()
}

/// A job at `arrival` and no other: its cost, termination time and utility, and a handler of that cost.
pub(crate) fn once(
    arrival: u64,
    termination: u64,
    utility: u64,
    handler: u64,
    program: &[Vec<Step>],
) -> Task {
    let program = program.concat();
    let cost = program.iter().map(|step| if let Step::Execute(work) = step { work.as_ns() } else { 0 }).sum();
    let function = TimeUtility::Step { height: Utility::from_millionths(utility), termination: None };
    Task {
        offset: Instant::from_ns(arrival),
        utility: Some(function),
        abort_handler: Some(AbortHandler { cost: Work::from_ns(handler), utility: Utility::ZERO }),
        program,
        ..task(cost, 1_000_000, termination - arrival)
    }
}

fn run(tasks: Vec<Task>, scheduler: &str, until: u64) -> Timeline {
    let setup = ideal(tasks, Platform::partitioned(1), until);
    run_locked(setup, &[Resource { units: 1 }; 3], scheduler, make!("by-schedule"))
}

pub(crate) fn events(timeline: &Timeline) -> Vec<(u64, &'static str, u32)> {
    let event = |(at, record): &(Instant, Record)| {
        let (what, job) = match record {
            Record::GiveUp { job } => ("gives up", job),
            Record::Abort { job } => ("gone", job),
            Record::Complete { job } => ("complete", job),
            _ => return None,
        };
        Some((at.as_ns(), what, job.task.0))
    };
    timeline.records.iter().filter_map(event).collect()
}

/// The example of `dasa.rs`, and what DASA-ND makes of it.
#[test]
fn a_chain_goes_before_a_denser_job() {
    let tasks = || {
        vec![
            once(2, 9, 30, 0, &[holding(R0, &[execute(3)])]),
            once(2, 10, 12, 0, &[execute(4)]),
            once(0, 14, 2, 0, &[execute(1), holding(R0, &[execute(3)])]),
        ]
    };
    assert_eq!(draw(&run(tasks(), "P-DASA", 10), 1, 10), "CCCCAAA...");
    assert_eq!(draw(&run(tasks(), "P-DASA-ND", 10), 1, 10), "CCBBBBCC..");
}

/// At 3 A, which holds R0, asks for R1, and B, which holds R1, waits for R0. B is the less dense one: its handler
/// executes at once, within its section, and then A gets R1. R0 and R1 are free at the end: C takes both.
#[test]
fn a_deadlock_ends_with_the_least_dense_job() {
    let tasks = vec![
        once(1, 12, 30, 1, &[holding(R0, &[execute(1), holding(R1, &[execute(2)])])]),
        once(0, 15, 10, 2, &[holding(R1, &[execute(2), holding(R0, &[execute(2)])])]),
        once(9, 20, 5, 0, &[holding(R0, &[holding(R1, &[execute(1)])])]),
    ];
    // Their next jobs do the same: nothing is left of what these asked for.
    let timeline = run(tasks, "P-DASA", 1_000_012);
    assert_eq!(draw(&timeline, 1, 12), "BABBBAA..C..");
    let expected = [(3, "gives up", 1), (5, "gone", 1), (7, "complete", 0), (10, "complete", 2)];
    let later = expected.map(|(at, what, task)| (at + 1_000_000, what, task));
    assert_eq!(events(&timeline), [expected, later].concat());
}

/// The same in a live run: the thread of B, which waits for R0, goes on without it, and gets nothing that it asks for
/// then.
#[test]
fn a_live_deadlock_ends_with_a_withdrawn_request() {
    let at = Instant::from_ns;
    let tasks = vec![
        once(1, 12, 30, 1, &[holding(R0, &[execute(1), holding(R1, &[execute(2)])])]),
        once(0, 15, 10, 2, &[holding(R1, &[execute(2), holding(R0, &[execute(2)])])]),
    ];
    let setup = ideal(tasks, Platform::partitioned(1), 12);
    let locks = crate::locks::locks(&setup, &[Resource { units: 1 }; 2], "P-DASA", make!("by-schedule"));
    let policies = policies("P-DASA", &setup.platform, &setup.tasks);
    let source = periodic(&setup.tasks);
    let mut live = Live::new(setup, policies, locks, source, Timeline::default());
    live.let_go_without();
    let (a, b) = (JobId::new(TaskId(0), 0), JobId::new(TaskId(1), 0));
    let ask = |resource| Input::Request(resource, 1);
    let give = |resource| Input::Release(resource, 1);
    let scheduled = |live: &Live<_, _, _, Timeline>| live.scheduled(CpuId(0));
    assert!(live.report(at(0), b, ask(R1)));
    live.advance(at(1));
    assert_eq!(scheduled(&live), Some(a));
    assert!(live.report(at(1), a, ask(R0)) && live.report(at(2), a, ask(R1)));
    assert_eq!((scheduled(&live), live.next_given_up()), (Some(b), None), "A waits for B");
    assert!(live.report(at(3), b, ask(R0)));
    assert_eq!((live.next_given_up(), live.next_withdrawn()), (Some(b), Some(b)));
    assert_eq!((scheduled(&live), live.next_withdrawn()), (Some(b), None), "its handler goes first");
    assert!(live.report(at(4), b, ask(R0)));
    assert_eq!((scheduled(&live), live.next_withdrawn()), (Some(b), Some(b)));
    assert!(live.report(at(5), b, give(R1)) && live.report(at(5), b, Input::HandedBack));
    assert_eq!(scheduled(&live), Some(a), "it has R1 now");
    assert!(
        live.report(at(7), a, give(R1))
            && live.report(at(7), a, give(R0))
            && live.report(at(7), a, Input::Complete)
    );
    live.finish(at(12));
    let timeline = live.into_sink();
    assert_eq!(draw(&timeline, 1, 12), "BABBBAA.....");
    assert_eq!(events(&timeline), [(3, "gives up", 1), (5, "gone", 1), (7, "complete", 0)]);
}

/// The handler of A occupies a processor from 5 to 8. On the other one D and E are not in time together, and E is
/// denser. A decision that does not know of the handler would keep both, run D, and lose E.
#[test]
fn decisions_know_what_handlers_cost() {
    let tasks = vec![
        once(0, 5, 1, 3, &[execute(5)]),
        once(1, 3, 9, 0, &[execute(2)]),
        once(1, 3, 9, 0, &[execute(2)]),
        once(5, 7, 2, 0, &[execute(2)]),
        once(5, 9, 9, 0, &[execute(3)]),
    ];
    for scheduler in ["gMUA", "NG-GUA", "G-GUA"] {
        let timeline = run_setup(ideal(tasks.clone(), Platform::global(2), 12), scheduler);
        assert_eq!(draw(&timeline, 2, 12), "ABB..AAA.... / .CC..EEE....", "{scheduler}");
    }
}

/// Two jobs are given up at once: the handler that is worth more for its time goes first.
#[test]
fn the_densest_handler_goes_first() {
    let worth = |mut task: Task, utility| {
        task.abort_handler.as_mut().unwrap().utility = Utility::from_millionths(utility);
        task
    };
    // B is denser than A, and C denser than both: at 3 both are late.
    let late = |arrival, utility, cost| once(arrival, 4, utility, 2, &[execute(cost)]);
    let timeline = |a, b| {
        let (a, b) = (worth(late(0, 9, 4), a), worth(late(1, 20, 3), b));
        draw(&run(vec![a, b, once(2, 3, 50, 0, &[execute(1)])], "P-HVDF", 9), 1, 9)
    };
    assert_eq!([timeline(0, 0), timeline(3, 5), timeline(5, 3)], ["ABCAAABB.", "ABCABBAA.", "ABCAAABB."]);
}

/// A random system with nested sections and utilities. Two of three ask for two resources in any order.
pub(crate) fn random_system(seed: u64, platform: &Platform) -> System {
    let mut random = Random(seed ^ 0xDA5A);
    let shape = Shape { processors: platform.processors(), units: 1, depth: 3 };
    let mut system = system(seed, shape);
    if seed % 3 > 0 {
        system.resources = vec![Resource { units: 1 }; 2];
        for task in &mut system.tasks {
            let [outer, inner] = if random.below(2) == 0 { [R0, R1] } else { [R1, R0] };
            let mut some = || execute(1 + random.below(3));
            task.program = [some(), holding(outer, &[some(), holding(inner, &[some()])])].concat();
            task.relative_deadline = Duration::from_ns(8 + random.below(20));
            task.period = task.relative_deadline + Duration::from_ns(random.below(20));
        }
    }
    system.tasks.iter_mut().for_each(|task| task.cluster.0 %= platform.clusters.len() as u16);
    crate::locks::harness::apart(&mut system, platform);
    for task in &mut system.tasks {
        let height = Utility::from_millionths(1 + random.below(9));
        task.utility = Some(TimeUtility::Step { height, termination: None });
        let handler = AbortHandler { cost: Work::from_ns(random.below(3)), utility: Utility::ZERO };
        task.abort_handler = Some(handler);
    }
    system
}

/// What a live job has done.
#[derive(Default)]
struct Seen {
    arrival: u64,
    since: Option<u64>,
    begun: bool,
    /// When it was given up, and what it has executed since.
    given_up: Option<(u64, u64)>,
    holds: Vec<ResourceId>,
}

/// What the random systems tried.
#[derive(Default)]
pub(crate) struct Power {
    pub(crate) aborts: usize,
    pub(crate) deadlocks: usize,
    pub(crate) held: usize,
    pub(crate) completions: usize,
}

/// No job executes past its termination time but its handler, whose cost each executes once; what it holds is free
/// afterwards; and no job is left.
pub(crate) fn check(timeline: &Timeline, tasks: &[Task], what: &str, power: &mut Power) {
    let mut jobs: BTreeMap<JobId, Seen> = BTreeMap::new();
    for (at, record) in &timeline.records {
        let at = at.as_ns();
        let Some(job) = record.job() else { continue };
        let own = &tasks[job.task.index()];
        let seen = jobs.entry(job).or_default();
        let termination = seen.arrival + own.termination().as_ns();
        match record {
            Record::Arrival { .. } => seen.arrival = at,
            Record::Dispatch { .. } => (seen.since, seen.begun) = (Some(at), true),
            Record::Acquire { resource, .. } => {
                assert!(seen.given_up.is_none(), "{what}: {job} gets {resource} after it was given up");
                seen.holds.push(*resource);
            }
            Record::Release { resource, .. } => {
                assert_eq!(seen.holds.pop(), Some(*resource), "{what}: {job}")
            }
            Record::GiveUp { .. } => {
                assert!(seen.given_up.is_none() && at <= termination, "{what}: {job} at {at}");
                // What it has executed until now was its own.
                seen.since = seen.since.map(|_| at);
                seen.given_up = Some((at, 0));
                power.deadlocks += usize::from(at < termination);
                power.held += usize::from(!seen.holds.is_empty());
            }
            Record::Preempt { .. }
            | Record::Suspend { .. }
            | Record::Complete { .. }
            | Record::Abort { .. } => {
                if let Some(since) = seen.since.take() {
                    match &mut seen.given_up {
                        Some((_, handler)) => *handler += at - since,
                        None => assert!(at <= termination, "{what}: {job} executes past {termination}"),
                    }
                }
                if matches!(record, Record::Complete { .. } | Record::Abort { .. }) {
                    end(job, jobs.remove(&job).unwrap(), own, record, what, power);
                }
            }
            _ => {}
        }
    }
    jobs.retain(|_, seen| seen.begun || seen.since.is_some());
    assert!(jobs.is_empty(), "{what}: {:?} never end", jobs.keys());
}

fn end(job: JobId, seen: Seen, own: &Task, record: &Record, what: &str, power: &mut Power) {
    assert!(seen.holds.is_empty(), "{what}: {job} holds {:?}", seen.holds);
    let cost = own.abort_handler.unwrap().cost.as_ns();
    match (record, seen.given_up) {
        (Record::Complete { .. }, None) => power.completions += 1,
        (Record::Abort { .. }, Some((_, executed))) => {
            assert_eq!(executed, cost, "{what}: the handler of {job}");
            power.aborts += 1;
        }
        (Record::Abort { .. }, None) => assert!(!seen.begun, "{what}: {job} has begun, and has no handler"),
        _ => panic!("{what}: {job} completes after it was given up"),
    }
}

fn random_systems_hold(seeds: u64) -> Power {
    let mut power = Power::default();
    for seed in 0..seeds {
        let platform = Platform::partitioned(1 + (seed % 2) as u16);
        let System { tasks, resources } = random_system(seed, &platform);
        let setup = ideal(tasks.clone(), platform, 1_000);
        let timeline = run_locked(setup, &resources, "P-DASA", make!("by-schedule"));
        check(&timeline, &tasks, &format!("seed {seed}"), &mut power);
    }
    power
}

#[test]
fn handlers_end_every_abort_and_nothing_is_left() {
    let Power { aborts, deadlocks, held, completions } = random_systems_hold(2_000);
    assert!(
        aborts > 200 && deadlocks > 20 && held > 100 && completions > 2_000,
        "power: {aborts} aborts, {deadlocks} deadlocks, {held} within sections, {completions} completions"
    );
}

#[test]
#[ignore = "100,000 systems: `make soak`; each change tries 2,000"]
fn handlers_end_every_abort_in_many_systems() {
    random_systems_hold(100_000);
}

/// Without sections, DASA decides as DASA-ND.
#[test]
fn without_sections_it_is_dasa_nd() {
    for seed in 0..300 {
        let tasks = crate::utility::random_tasks(seed, 2);
        let run = |name: &str| run_setup(ideal(tasks.clone(), Platform::partitioned(2), 400), name).records;
        assert_eq!(run("P-DASA"), run("P-DASA-ND"), "seed {seed}");
    }
}
