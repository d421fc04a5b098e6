//! No job is blocked longer in a simulation than the published bound of its protocol says.
//!
//! The bounds are computed with the response times of the very schedule that they are held against, so a bound that counts
//! too few requests of others is found as well as a protocol that grants in a wrong order.

mod locks;
mod support;

use locks::random::{system, Random, Shape};
use locks::run_locked;
use schedlab_analysis::blocking::*;
use schedlab_lock::find_protocol;
use schedlab_lp_blocking::spin::{greedy::Greedy, Spinning};
use schedlab_lp_blocking::{maximum, semaphore, Program};
use schedlab_model::*;
use schedlab_trace::{Record, SuspendReason, Timeline};
use std::collections::BTreeMap;
use support::*;

/// What counts as blocking while a job waits, or is ready without a processor.
#[derive(Clone, Copy, PartialEq)]
enum Blocked {
    /// No more urgent job of its cluster executes (suspension-aware), spinning not being progress.
    Aware,
    /// Fewer more urgent jobs of its cluster are pending than it has processors (suspension-oblivious).
    Oblivious,
}

/// One protocol, and how to bound it.
struct Case {
    protocol: &'static str,
    processors: u16,
    cluster: u16,
    blocked: Blocked,
    bounds: fn(&Sharing, &[u64], u32) -> Vec<Terms>,
}

#[derive(Clone, Copy)]
struct Live {
    base: Priority,
    home: ClusterId,
    cpu: Option<CpuId>,
    waits: bool,
    since: Instant,
    blocked: u64,
}

/// By task: the longest response and the longest blocking of its jobs.
fn observe(
    timeline: &Timeline,
    tasks: &[Task],
    platform: &Platform,
    blocked: Blocked,
) -> (Vec<u64>, Vec<u64>) {
    let mut live: BTreeMap<JobId, Live> = BTreeMap::new();
    let (mut responses, mut longest) = (vec![0; tasks.len()], vec![0; tasks.len()]);
    let (mut now, mut arrivals) = (Instant::ZERO, BTreeMap::new());
    for (at, record) in &timeline.records {
        let all = live.clone();
        for seen in live.values_mut().filter(|seen| is_blocked(seen, &all, platform, blocked)) {
            seen.blocked += (*at - now).as_ns();
        }
        now = *at;
        match *record {
            Record::Arrival { job, .. } => drop(arrivals.insert(job, *at)),
            Record::Ready { job, priority, .. } => {
                let (home, since) = (tasks[job.slot()].cluster, arrivals[&job]);
                live.insert(job, Live { base: priority, home, cpu: None, waits: false, since, blocked: 0 });
            }
            Record::Dispatch { cpu, job } => live.get_mut(&job).unwrap().cpu = Some(cpu),
            Record::Preempt { job, .. } => live.get_mut(&job).unwrap().cpu = None,
            Record::Suspend { job, reason } => {
                let seen = live.get_mut(&job).unwrap();
                (seen.cpu, seen.waits) = (None, reason != SuspendReason::Itself);
            }
            Record::Spin { job, .. } => live.get_mut(&job).unwrap().waits = true,
            Record::Resume { job } | Record::Acquire { job, .. } => live.get_mut(&job).unwrap().waits = false,
            Record::Complete { job } => {
                let seen = live.remove(&job).unwrap();
                let (response, longest) = (&mut responses[job.slot()], &mut longest[job.slot()]);
                *response = (*response).max((*at - seen.since).as_ns());
                *longest = (*longest).max(seen.blocked);
            }
            _ => {}
        }
    }
    (responses, longest)
}

fn is_blocked(job: &Live, all: &BTreeMap<JobId, Live>, platform: &Platform, blocked: Blocked) -> bool {
    let cpus = &platform.clusters[job.home.index()].cpus;
    let more_urgent =
        || all.values().filter(|other| other.home == job.home && other.base.is_higher_than(job.base));
    let progresses = job.cpu.is_some() && !job.waits;
    let is_interfered = match blocked {
        Blocked::Aware => more_urgent().any(|other| other.cpu.is_some_and(|cpu| cpus.contains(&cpu))),
        Blocked::Oblivious => more_urgent().count() >= cpus.len(),
    };
    !progresses && !is_interfered
}

/// A flat system whose costs are what its programs say; all resources have users on several processors if need be.
fn flat_system(seed: u64, case: &Case) -> (Vec<Task>, Vec<Resource>, Platform) {
    let platform = Platform::clustered(case.processors, case.cluster);
    let clusters = platform.clusters.len() as u16;
    let mut made = system(seed, Shape { processors: clusters, units: 1, depth: 1 });
    let mut random = Random(seed ^ 0x5EED);
    for task in &mut made.tasks {
        let service =
            task.program.iter().map(|step| if let Step::Execute(work) = step { work.as_ns() } else { 0 });
        task.wcet = Work::from_ns(service.sum());
        task.period = Duration::from_ns(40 + random.below(60));
        task.relative_deadline = task.period;
        task.leave = Instant::from_ns(250);
    }
    (made.tasks, made.resources, platform)
}

fn is_local_anywhere(tasks: &[Task], resources: usize) -> bool {
    (0..resources as u32).any(|resource| {
        let uses = |task: &&Task| {
            task.program.iter().any(|step| matches!(step, Step::Request(r, _) if r.0 == resource))
        };
        let mut clusters: Vec<u16> = tasks.iter().filter(uses).map(|task| task.cluster.0).collect();
        clusters.dedup();
        clusters.iter().all(|cluster| *cluster == clusters[0]) && !clusters.is_empty()
    })
}

/// Gives how many jobs' bounds were compared, and how many were blocked at all.
fn compare(case: &Case, seed: u64) -> (usize, usize) {
    let (tasks, resources, platform) = flat_system(seed, case);
    // The bounds of these count every resource as global.
    if matches!(case.protocol, "mpcp" | "dpcp" | "dflp" | "mrsp")
        && is_local_anywhere(&tasks, resources.len())
    {
        return (0, 0);
    }
    let scheduler = match platform.clusters.len() {
        1 => "G-FP",
        _ if case.cluster == 1 => "P-FP",
        _ => "C-FP",
    };
    let make = find_protocol(case.protocol).unwrap().make;
    let setup = ideal(tasks.clone(), platform.clone(), 5_000);
    let timeline = run_locked(setup, &resources, scheduler, make);
    let (responses, longest) = observe(&timeline, &tasks, &platform, case.blocked);
    if responses.iter().zip(&tasks).any(|(response, task)| *response > task.period.as_ns()) {
        return (0, 0);
    }
    let levels: Vec<u32> = (0..tasks.len() as u32).collect();
    let sharing = derive(&tasks, &resources, &platform, &levels, Sections::Each).unwrap();
    let bounds = (case.bounds)(&sharing, &responses, u32::from(case.cluster));
    for (at, terms) in bounds.iter().enumerate() {
        let bound = terms.total().unwrap_or(u64::MAX);
        let (name, seen) = (case.protocol, longest[at]);
        assert!(seen <= bound, "{name} seed {seed}: T{at} is blocked for {seen}, but {terms:?}");
    }
    (tasks.len(), longest.iter().filter(|blocked| **blocked > 0).count())
}

/// What each task's linear program proves.
fn programs(sharing: &Sharing, program: impl Fn(usize) -> Program) -> Vec<Terms> {
    let bound = |at| Terms { remote: maximum(&program(at)), local: 0 };
    (0..sharing.tasks().len()).map(bound).collect()
}

fn spin_bounds(sharing: &Sharing, responses: &[u64]) -> Vec<Terms> {
    let mut greedy = Greedy::default();
    greedy.read(sharing);
    let mut bound = |at| Terms::new(greedy.bound(sharing, responses, at, Spinning::NonPreemptive), 0);
    (0..sharing.tasks().len()).map(&mut bound).collect()
}

const CASES: &[Case] = &[
    Case {
        protocol: "task-fair",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: task_fair_mutex::bounds,
    },
    Case {
        protocol: "msrp",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: |sharing, responses, _| msrp_holistic::bounds(sharing, responses),
    },
    Case {
        protocol: "msrp",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: |sharing, _, _| msrp_classic::bounds(sharing),
    },
    Case {
        protocol: "mpcp",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: |sharing, responses, _| mpcp::bounds(sharing, responses, false),
    },
    Case {
        protocol: "dpcp",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: |sharing, responses, _| dpcp::bounds(sharing, responses, &dpcp::in_turn(3, 3)),
    },
    Case {
        protocol: "dflp",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: |sharing, responses, _| dflp::bounds(sharing, responses, &dpcp::in_turn(3, 3)),
    },
    Case {
        protocol: "fmlp+",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: |sharing, responses, _| fmlp_plus::bounds(sharing, responses, true),
    },
    Case {
        protocol: "omlp",
        processors: 2,
        cluster: 2,
        blocked: Blocked::Oblivious,
        bounds: global_omlp::bounds,
    },
    Case {
        protocol: "fmlp-long",
        processors: 2,
        cluster: 2,
        blocked: Blocked::Oblivious,
        bounds: |sharing, responses, _| global_fmlp::bounds(sharing, responses),
    },
    Case {
        protocol: "omlp-clustered",
        processors: 4,
        cluster: 2,
        blocked: Blocked::Oblivious,
        bounds: clustered_omlp::bounds,
    },
    Case {
        protocol: "omlp-clustered",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Oblivious,
        bounds: clustered_omlp::bounds,
    },
    Case {
        protocol: "omlp-partitioned",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Oblivious,
        bounds: |sharing, responses, _| partitioned_omlp::bounds(sharing, responses),
    },
    Case {
        protocol: "msrp",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: |sharing, responses, _| spin_bounds(sharing, responses),
    },
    Case {
        protocol: "fmlp+",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: |sharing, responses, _| {
            programs(sharing, |at| semaphore::fmlp_plus::program(sharing, responses, at))
        },
    },
    Case {
        protocol: "dflp",
        processors: 3,
        cluster: 1,
        blocked: Blocked::Aware,
        bounds: |sharing, responses, _| {
            let homes = dpcp::in_turn(3, 3);
            programs(sharing, |at| semaphore::dflp::program(sharing, responses, at, &homes))
        },
    },
];

#[test]
fn nobody_is_blocked_longer_than_the_bound() {
    let systems = std::env::var("LOCK_SYSTEMS").map_or(150, |count| count.parse().unwrap());
    let mut failed = Vec::new();
    for case in CASES {
        let sums = std::panic::catch_unwind(|| {
            let all = (0..systems).map(|seed| compare(case, seed));
            all.fold((0, 0), |sum, (compared, blocked)| (sum.0 + compared, sum.1 + blocked))
        });
        match sums {
            Ok((compared, blocked)) => assert!(
                blocked as u64 > systems / 10,
                "{}: only {blocked} of {compared} tasks were blocked at all",
                case.protocol
            ),
            Err(_) => failed.push(case.protocol),
        }
    }
    assert!(failed.is_empty(), "{failed:?} block longer than their bounds");
}
