//! Jobs that are given up execute their abort handlers, once, and leave their sections in order.

use crate::locks::harness::{homes, protocols, system_for};
use crate::locks::promises::Promises;
use crate::locks::random::System;
use crate::locks::{make, run_giving_up, run_locked};
use crate::support::*;
use crate::utility::{all, random_tasks};
use schedlab_lock::Protocol;
use schedlab_model::*;
use schedlab_policy::{find, Scope};
use schedlab_sim::{Input, Live, NoLocks};
use schedlab_trace::{Record, Timeline};
use std::collections::BTreeMap;

fn handler(cost: u64) -> Option<AbortHandler> {
    Some(AbortHandler { cost: Work::from_ns(cost), utility: Utility::ZERO })
}

fn aborts(timeline: &Timeline) -> Vec<(u64, u32)> {
    let abort = |(at, record): &(Instant, Record)| match record {
        Record::Abort { job } => Some((at.as_ns(), job.task.0)),
        _ => None,
    };
    timeline.records.iter().filter_map(abort).collect()
}

/// Two units late: without a handler the job is gone at 2, with one it is gone at 3.
#[test]
fn a_late_job_executes_its_handler_and_is_gone_then() {
    let late = || Task { period: Duration::from_ns(4), ..task(3, 1_000, 2) };
    let run = |first| run(vec![first, task(1, 1_000, 9)], "G-HVDF", 1, 8);
    let plain = run(late());
    assert_eq!((draw(&plain, 1, 8), aborts(&plain)), ("BA..AA..".into(), vec![(2, 0), (6, 0)]));
    let handled = run(Task { abort_handler: handler(1), ..late() });
    assert_eq!((draw(&handled, 1, 8), aborts(&handled)), ("BAA.AAA.".into(), vec![(3, 0), (7, 0)]));
}

/// A has not begun when it is given up: it has nothing to hand back. Its handler would go first.
#[test]
fn a_job_that_has_not_begun_has_no_handler() {
    let dense = Task { utility: Some(step(9)), ..task(4, 100, 4) };
    let timeline = run(vec![Task { abort_handler: handler(3), ..task(2, 100, 3) }, dense], "P-HVDF", 1, 8);
    assert_eq!((draw(&timeline, 1, 8), aborts(&timeline)), ("BBBB....".into(), vec![(3, 0)]));
}

fn step(height: u64) -> TimeUtility {
    TimeUtility::Step { height: Utility::from_millionths(height * 1_000_000), termination: None }
}

/// A is in a section at its termination: its handler executes within it. B, which spins for it, is given up
/// meanwhile, and gets it first; only then does its own handler execute.
#[test]
fn a_handler_leaves_the_section_and_a_waiter_gets_it_first() {
    let (ask, give) = (Step::Request(ResourceId(0), 1), Step::Release(ResourceId(0), 1));
    let shares = |deadline, outside| Task {
        program: vec![Step::Execute(Work::from_ns(outside)), ask, Step::Execute(Work::from_ns(9)), give],
        abort_handler: handler(2),
        ..task(9 + outside, 1_000, deadline)
    };
    let setup = ideal(vec![shares(3, 1), shares(4, 2)], platform(Scope::Global, 2, 2), 12);
    let timeline = run_locked(setup, &[Resource { units: 1 }], "G-HVDF", make!("task-fair"));
    assert_eq!(
        (draw(&timeline, 2, 12).as_str(), aborts(&timeline)),
        ("AAAAA....... / BBBBBBB.....", vec![(5, 0), (7, 1)])
    );
    let of_section = |(at, record): &(Instant, Record)| match record {
        Record::Acquire { job, .. } => Some((at.as_ns(), job.task.0, true)),
        Record::Release { job, .. } => Some((at.as_ns(), job.task.0, false)),
        _ => None,
    };
    let sections: Vec<_> = timeline.records.iter().filter_map(of_section).collect();
    assert_eq!(sections, [(1, 0, true), (5, 0, false), (5, 1, true), (7, 1, false)]);
}

/// A job that sleeps when it is given up wakes for its handler, and not again.
#[test]
fn a_handler_ends_a_suspension() {
    let execute = Step::Execute(Work::from_ns(1));
    let program = vec![execute, Step::Suspend(Duration::from_ns(6)), execute];
    let sleeps =
        Task { program, suspension: Suspension::Segmented, abort_handler: handler(2), ..task(2, 1_000, 3) };
    let timeline = run(vec![sleeps, task(9, 1_000, 20)], "P-LBESA", 1, 12);
    assert_eq!((draw(&timeline, 1, 12), aborts(&timeline)), ("ABBAABBBBBBB".into(), vec![(5, 0)]));
}

/// Each utility-accrual scheduler, in overload: a job that has begun executes its handler for its cost after its
/// termination time, no job executes then otherwise, and each abort comes once.
#[test]
fn every_handler_is_executed_once_under_every_scheduler() {
    let mut handled = 0;
    for (number, name) in all().iter().enumerate() {
        for seed in 0..20 {
            let platform = platform(find(name).unwrap().scope, 4, 2);
            let mut tasks = random_tasks(100 * seed + number as u32, platform.clusters.len() as u16);
            for (index, task) in tasks.iter_mut().enumerate() {
                task.abort_handler = handler(index as u64 % 4).filter(|_| index % 5 > 0);
            }
            let timeline = run_setup(ideal(tasks.clone(), platform, 600), name);
            handled += check_handlers(&timeline, &tasks, &format!("{name}, seed {seed}"));
        }
    }
    assert!(handled > 1_000, "power: {handled}");
}

/// What a job has executed in all and at its termination time, and where it executes now.
#[derive(Clone, Copy, Default)]
struct Seen {
    arrival: u64,
    since: Option<u64>,
    late: u64,
    begun: bool,
    aborted: bool,
}

fn check_handlers(timeline: &Timeline, tasks: &[Task], what: &str) -> usize {
    let mut jobs: BTreeMap<(u32, u32), Seen> = BTreeMap::new();
    let mut handled = 0;
    for (at, record) in &timeline.records {
        let at = at.as_ns();
        let (job, ends) = match record {
            Record::Arrival { job, .. } => {
                jobs.insert((job.task.0, job.number), Seen { arrival: at, ..Seen::default() });
                continue;
            }
            Record::Dispatch { job, .. } => {
                let seen = jobs.get_mut(&(job.task.0, job.number)).unwrap();
                (seen.since, seen.begun) = (Some(at), true);
                continue;
            }
            Record::Preempt { job, .. } | Record::Suspend { job, .. } => (job, false),
            Record::Complete { job } | Record::Abort { job } => (job, true),
            _ => continue,
        };
        let seen = jobs.get_mut(&(job.task.0, job.number)).unwrap();
        let own = &tasks[job.task.index()];
        let termination = seen.arrival + own.termination().as_ns();
        if let Some(since) = seen.since.take() {
            seen.late += at.saturating_sub(since.max(termination));
        }
        if ends {
            assert!(!std::mem::replace(&mut seen.aborted, true), "{what}: {job} ends twice");
            let cost = own.abort_handler.map_or(0, |handler| handler.cost.as_ns());
            let is_abort = matches!(record, Record::Abort { .. });
            let expected = if is_abort && seen.begun { cost } else { 0 };
            assert_eq!(seen.late, expected, "{what}: {job} after its termination");
            handled += usize::from(expected > 0);
        }
    }
    handled
}

/// Any scheduler that gives jobs up, under every protocol: what each promises holds although jobs are given up within
/// sections and while they wait for them, and whatever is taken is given back.
#[test]
fn protocols_keep_their_promises_under_handlers() {
    for protocol in protocols() {
        let mut held = 0;
        for seed in 0..60 {
            held += hold_with_handlers(protocol, seed);
        }
        assert!(held > 0, "{}: no job was given up in a section", protocol.name);
    }
}

/// How many jobs were given up while they held something.
fn hold_with_handlers(protocol: &Protocol, seed: u64) -> usize {
    let homes = homes(protocol);
    let (scheduler, platform) = &homes[seed as usize % homes.len()];
    let System { mut tasks, resources } = system_for(protocol, seed, platform);
    for (index, task) in tasks.iter_mut().enumerate() {
        task.abort_handler = handler((seed + index as u64) % 3);
        if platform.clusters.len() == 1 {
            task.cluster = ClusterId(0);
        }
    }
    let setup = ideal(tasks.clone(), platform.clone(), 5_000);
    let timeline = run_giving_up(setup, &resources, scheduler, protocol.make);
    let mut promises = Promises::new(protocol, &tasks, &resources, platform);
    promises.aborts = true;
    promises.check(&timeline);
    let (mut held, mut given_up) = (BTreeMap::new(), 0);
    for (at, record) in &timeline.records {
        match record {
            Record::Acquire { job, .. } => *held.entry((job.task.0, job.number)).or_insert(0) += 1,
            Record::Release { job, .. } => *held.get_mut(&(job.task.0, job.number)).unwrap() -= 1,
            Record::Abort { job } => {
                let left = held.get(&(job.task.0, job.number)).copied().unwrap_or(0);
                assert_eq!(left, 0, "{}, seed {seed}: {job} holds something at {at}", protocol.name);
                given_up += usize::from(held.contains_key(&(job.task.0, job.number)));
            }
            _ => {}
        }
    }
    given_up
}

/// In a live run a job that has begun goes on until its thread has handed everything back. That it is complete comes
/// too late.
#[test]
fn a_live_job_is_given_up_until_its_thread_says_so() {
    let at = Instant::from_ns;
    let tasks = vec![task(3, 20, 5), Task { offset: at(4), ..task(3, 20, 6) }];
    let setup = ideal(tasks, platform(Scope::Partitioned, 1, 1), 40);
    let made = policies("P-DASA-ND", &setup.platform, &setup.tasks);
    let source = periodic(&setup.tasks);
    let mut live = Live::new(setup, made, NoLocks, source, Timeline::default());
    let (first, second) = (JobId::new(TaskId(0), 0), JobId::new(TaskId(1), 0));
    live.advance(at(4));
    assert_eq!((live.scheduled(CpuId(0)), live.next_given_up()), (Some(first), None));
    live.advance(at(9));
    assert_eq!((live.next_given_up(), live.next_given_up()), (Some(first), None));
    assert_eq!(
        (live.scheduled(CpuId(0)), live.is_given_up(first)),
        (Some(first), true),
        "its handler goes first"
    );
    assert!(!live.report(at(9), first, Input::Complete));
    assert!(live.report(at(9), first, Input::HandedBack));
    assert_eq!((live.scheduled(CpuId(0)), live.is_given_up(first)), (None, false), "3 do not fit into 1");
    live.advance(at(10));
    assert_eq!(live.next_given_up(), None, "{second} has not begun");
    live.finish(at(40));
    // The thread of the second job of the first task never says so.
    assert_eq!(aborts(&live.into_sink()), [(9, 0), (10, 1), (30, 1)]);
}
