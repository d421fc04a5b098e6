//! Fits of small runs, and of random ones.

use super::*;
use crate::engine::replay::replay;
use schedlab_model::{ClusterId, CpuId, Overrun, Platform, Task, TaskId, Work};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup};
use schedlab_sim::{Charges, NoLocks};
use schedlab_trace::{about, Record};
use schedlab_workload::arrivals::PeriodicSource;

mod locks;
mod long;
mod unbegun;

/// Tasks of these periods, of which the shorter one goes first, on so many processors in one cluster.
fn system(periods: &[u64], processors: u16) -> (Setup, impl Fn() -> DomainSetup) {
    system_under("G-RM", periods, processors)
}

/// As above, under this scheduler.
fn system_under(name: &'static str, periods: &[u64], processors: u16) -> (Setup, impl Fn() -> DomainSetup) {
    let task = |period: &u64| Task::implicit(Work::from_ns(1), Duration::from_ns(*period));
    let (tasks, platform) = (periods.iter().map(task).collect::<Vec<_>>(), Platform::global(processors));
    let horizon = Instant::from_ns(900);
    let (charges, overruns) = (Charges::default(), Overrun::Ignore);
    let setup = Setup { tasks: tasks.clone(), platform: platform.clone(), charges, overruns, horizon };
    let make = move || {
        let cpus = &platform.clusters[0].cpus;
        let cluster = ClusterSetup {
            cluster: ClusterId(0),
            cpus,
            platform: &platform,
            tasks: &tasks,
            affinity: Affinity::default(),
            supertasks: &[],
            throttling: None,
        };
        DomainSetup {
            cpus: cpus.clone(),
            policies: vec![find(name).unwrap().policy(&cluster).unwrap()],
            locks: Box::new(NoLocks),
            source: Box::new(PeriodicSource::new(&tasks).unwrap()),
            may_go_without: false,
            clients: Vec::new(),
        }
    };
    (setup, make)
}

const NONE: Instant = Instant::ZERO;

/// Inputs about the first jobs of tasks: time, task, what.
fn inputs(all: &[(u64, u32, EngineInput)]) -> Vec<Timed> {
    let timed = |(at, task, what): &(u64, u32, EngineInput)| {
        (Instant::from_ns(*at), JobId::new(TaskId(*task), 0), *what)
    };
    all.iter().map(timed).collect()
}

/// When each task's first job was complete, and where it was dispatched, as the engine decides.
fn decided(setup: &Setup, make: &dyn Fn() -> DomainSetup, fitted: &Fitted) -> Vec<(u64, Vec<u16>)> {
    let records = replay(make(), setup, &fitted.inputs).records;
    let of = |task: usize| {
        let (mut complete, mut on) = (0, Vec::new());
        for (at, record) in &records {
            match record {
                Record::Complete { job } if job.task.index() == task && job.number == 0 => {
                    complete = at.as_ns()
                }
                Record::Dispatch { job, cpu } if job.task.index() == task => on.push(cpu.0),
                about![lives, places, urgencies, requests, attempts, machine] => {}
            }
        }
        (complete, on)
    };
    (0..setup.tasks.len()).map(of).collect()
}

const COMPLETE: EngineInput = EngineInput::Reported(Input::Complete);
const BEGAN: EngineInput = EngineInput::Began(NONE);

/// The less urgent job is complete three nanoseconds after the urgent one was ready: before the kernel stopped it.
#[test]
fn a_job_that_ends_before_it_is_stopped_ends_before_the_decision() {
    let (setup, make) = system(&[300, 800], 1);
    let given = [(0, 1, BEGAN), (100, 0, BEGAN), (103, 1, COMPLETE), (150, 0, COMPLETE)];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!((fitted.late_stops, fitted.early_starts), (1, 0));
    assert_eq!(fitted.longest_move, Duration::from_ns(4), "from 103 to 99");
    assert_eq!(decided(&setup, &make, &fitted), [(150, vec![0]), (99, vec![0])]);
}

/// The kernel executed the less urgent job first: it counts once the engine executes it.
#[test]
fn a_job_that_went_first_ends_when_the_engine_lets_it() {
    let (setup, make) = system(&[300, 800], 1);
    let given = [(0, 0, BEGAN), (0, 1, BEGAN), (10, 1, COMPLETE), (20, 0, COMPLETE)];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!((fitted.late_stops, fitted.early_starts), (0, 1));
    assert_eq!(fitted.longest_move, Duration::from_ns(10), "from 10 to 20");
    assert_eq!(decided(&setup, &make, &fitted), [(20, vec![0]), (20, vec![0])]);
}

/// Without preemption, a less urgent job was ready a moment before an urgent one, which the kernel executed
/// first: it decided when both were ready.
#[test]
fn jobs_that_the_kernel_chose_from_were_ready_together() {
    let (setup, make) = system_under("NG-RM", &[300, 800], 1);
    let on = EngineInput::Executes(CpuId(0));
    let given = [(0, 1, BEGAN), (3, 0, BEGAN), (5, 0, on), (20, 0, COMPLETE), (21, 1, on), (30, 1, COMPLETE)];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!((fitted.late_starts, fitted.early_starts), (1, 0));
    assert!(fitted.longest_move <= Duration::from_ns(4), "ready at 0, and at 3");
    assert_eq!(decided(&setup, &make, &fitted), [(20, vec![0]), (30, vec![0])]);
}

/// The kernel counts budgets: a job goes to the background when the kernel says so, and not after its WCET of 1 ns.
#[test]
fn a_job_goes_to_the_background_when_the_kernel_says_so() {
    let (setup, make) = system(&[300, 800], 1);
    let setup = Setup { overruns: Overrun::BestEffort, ..setup };
    let overran = EngineInput::Reported(Input::Overran);
    let given = [(0, 0, BEGAN), (0, 1, BEGAN), (10, 0, overran), (30, 1, COMPLETE), (40, 0, COMPLETE)];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!((fitted.late_stops, fitted.late_starts, fitted.early_starts), (0, 0, 0));
    assert_eq!(decided(&setup, &make, &fitted), [(40, vec![0, 0]), (30, vec![0])]);
    let records = replay(make(), &setup, &fitted.inputs).records;
    let budgets: Vec<u64> = records
        .iter()
        .filter(|(_, record)| matches!(record, Record::Budget { .. }))
        .map(|(at, _)| at.as_ns())
        .collect();
    assert_eq!(budgets, [10]);
}

/// As above on two processors, where nothing but the order of execution shows what the kernel chose.
#[test]
fn jobs_that_the_kernel_chose_from_are_known_by_their_executions() {
    let (setup, make) = system_under("NG-RM", &[300, 400, 800], 2);
    let on = |cpu| EngineInput::Executes(CpuId(cpu));
    let given = [
        (0, 1, BEGAN),
        (1, 2, BEGAN),
        (2, 0, BEGAN),
        (5, 0, on(1)),
        (6, 1, on(0)),
        (50, 1, COMPLETE),
        (51, 2, on(0)),
        (70, 2, COMPLETE),
        (90, 0, COMPLETE),
    ];
    let fitted = fitted(&make, &setup, inputs(&given));
    assert_eq!((fitted.late_stops, fitted.late_starts, fitted.early_starts), (0, 1, 0));
    assert_eq!(decided(&setup, &make, &fitted), [(90, vec![1]), (50, vec![0]), (70, vec![0])]);
}

/// Which of two processors a job gets is the kernel's choice, and it keeps that one.
#[test]
fn processors_have_the_names_of_those_that_the_kernel_chose() {
    let (setup, make) = system(&[300, 400, 800], 2);
    let on = |cpu| EngineInput::Executes(CpuId(cpu));
    let given = [
        (0, 0, BEGAN),
        (1, 1, BEGAN),
        (2, 0, on(1)),
        (3, 1, on(0)),
        (4, 2, BEGAN),
        (50, 0, COMPLETE),
        (51, 2, on(1)),
        (60, 1, COMPLETE),
        (70, 2, COMPLETE),
    ];
    let fitted = fitted(&make, &setup, inputs(&given));
    let found = decided(&setup, &make, &fitted);
    assert_eq!(found, [(50, vec![1]), (60, vec![0]), (70, vec![1])]);
}

/// The kernel did not get to execute the least urgent job before two others were ready: that job takes no name from
/// them.
#[test]
fn a_job_that_the_kernel_did_not_execute_takes_no_name() {
    let (setup, make) = system(&[300, 400, 800], 2);
    let on = |cpu| EngineInput::Executes(CpuId(cpu));
    let given = [
        (0, 2, BEGAN),
        (1, 0, BEGAN),
        (2, 1, BEGAN),
        (3, 0, on(0)),
        (3, 1, on(1)),
        (50, 0, COMPLETE),
        (51, 2, on(0)),
        (60, 1, COMPLETE),
        (70, 2, COMPLETE),
    ];
    let fitted = fitted(&make, &setup, inputs(&given));
    let found = decided(&setup, &make, &fitted);
    assert_eq!(found, [(50, vec![0]), (60, vec![1]), (70, vec![1, 0])]);
}

/// Whatever the kernel does, each processor has one job at a time, which leaves the processor that it was given.
#[test]
fn names_belong_to_one_job_at_a_time() {
    let mut x = 12345_u64;
    let mut next = move |below: u64| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x >> 33) % below
    };
    for round in 0..2_000 {
        let name = if round % 3 == 0 { "NG-RM" } else { "G-RM" };
        let (setup, make) = system_under(name, &[810, 820, 830, 840, 850, 860], 3);
        let mut given = Vec::new();
        for task in 0..6 {
            let (begun, length) = (next(40), 1 + next(60));
            given.push((begun, task, BEGAN));
            (0..next(4)).for_each(|_| {
                given.push((begun + next(90), task, EngineInput::Executes(CpuId(next(3) as u16))));
            });
            if next(3) == 0 {
                let at = begun + next(30);
                given.push((at, task, EngineInput::Reported(Input::NpEnter)));
                given.push((at + next(30), task, EngineInput::Reported(Input::NpExit)));
            }
            given.push((begun + 100 + length, task, COMPLETE));
        }
        given.sort_by_key(|(at, ..)| *at);
        let fitted = fitted(&make, &setup, inputs(&given));
        let mut on = [None; 3];
        for (at, record) in replay(make(), &setup, &fitted.inputs).records {
            match record {
                Record::Dispatch { cpu, job } => {
                    assert_eq!(on[cpu.index()].replace(job), None, "{round}: {job} at {at:?}");
                }
                Record::Preempt { cpu, job } => {
                    assert_eq!(on[cpu.index()].take(), Some(job), "{round}: at {at:?}");
                }
                Record::Complete { job } => {
                    on.iter_mut().filter(|there| **there == Some(job)).for_each(|there| *there = None);
                }
                about![lives, places, urgencies, requests, attempts, machine] => {}
            }
        }
    }
}

/// Jobs that the kernel never began are never dispatched, and late.
#[test]
fn jobs_that_were_never_begun_wait() {
    let (setup, make) = system(&[300, 800], 1);
    let fitted = fitted(&make, &setup, inputs(&[(5, 0, BEGAN), (50, 0, COMPLETE)]));
    let decided = replay(make(), &setup, &fitted.inputs);
    let count = |wanted: fn(&Record) -> bool| decided.records.iter().filter(|(_, one)| wanted(one)).count();
    assert_eq!(count(|record| matches!(record, Record::Dispatch { .. })), 1);
    assert_eq!((decided.summary.jobs_arrived, decided.summary.jobs_completed), (5, 1));
    assert_eq!(decided.summary.jobs_missed, 3);
}
