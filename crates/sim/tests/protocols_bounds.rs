//! No job is blocked longer in a simulation than the published bound of its protocol says.
//!
//! The bounds are computed with the response times of the very schedule that they are held against, so a bound that
//! counts too few requests of others is found as well as a protocol that grants in a wrong order.

use crate::locks;
use crate::support;

use locks::blocked::{observe, Blocked};
use locks::random::{readers_and_writers, system, Random, Shape};
use locks::run_locked;
use schedlab_analysis::blocking::*;
use schedlab_lock::find_protocol;
use schedlab_lp_blocking::spin::greedy::Greedy;
use schedlab_lp_blocking::spin::ranked::{Lock, PendingJob, Ranks, WaitLength};
use schedlab_lp_blocking::spin::Spinning;
use schedlab_lp_blocking::{maximum, semaphore, LinearProgram};
use schedlab_model::*;
use support::*;

/// One protocol, and how to bound it.
struct Case {
    protocol: &'static str,
    processors: u16,
    cluster: u16,
    blocked: Blocked,
    bounds: fn(&Sharing, &[u64], u32) -> Vec<Terms>,
}

impl Case {
    /// True if it tells reading from writing.
    fn reads(&self) -> bool {
        self.protocol.starts_with("rw-")
    }
}

/// A flat system whose costs are what its programs say; all resources have users on several processors if need be.
fn flat_system(seed: u64, case: &Case) -> (Vec<Task>, Vec<Resource>, Platform) {
    let platform = Platform::clustered(case.processors, case.cluster);
    let clusters = platform.clusters.len() as u16;
    let mut made = system(seed, Shape { processors: clusters, units: 1, depth: 1 });
    if case.reads() {
        readers_and_writers(&mut made, seed);
    }
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

/// What was seen of some tasks.
#[derive(Clone, Copy, Debug, Default)]
struct Power {
    compared: u64,
    /// How many were blocked at all.
    blocked: u64,
    /// How many were blocked for at least three quarters of a positive bound.
    near: u64,
    /// How many were blocked for as long as a positive bound says.
    reached: u64,
}

/// Who requests what; where reading is told from writing, a request for all units writes.
fn shared(case: &Case, tasks: &[Task], resources: &[Resource], platform: &Platform) -> Sharing {
    let levels: Vec<u32> = (0..tasks.len() as u32).collect();
    let sharing = derive(tasks, resources, platform, &levels, Sections::Flat, Lengths::ALIKE).unwrap();
    if !case.reads() {
        return sharing;
    }
    let units = resources.iter().map(|resource| resource.units).collect();
    let mut apart = Sharing::new(platform.clusters.len() as u32, units);
    for (sharer, task) in sharing.tasks().iter().zip(tasks) {
        apart.push(*sharer, &reads_and_writes(task, resources)).unwrap();
    }
    apart
}

fn reads_and_writes(task: &Task, resources: &[Resource]) -> Vec<Requests> {
    let mut all: Vec<Requests> = Vec::new();
    let mut length = 0;
    for step in &task.program {
        match *step {
            Step::Request(..) => length = 0,
            Step::Execute(work) => length += work.as_ns(),
            Step::Release(resource, units) => {
                let index = all.iter().position(|one| one.resource == resource.0).unwrap_or(all.len());
                if index == all.len() {
                    all.push(Requests { resource: resource.0, units: 1, ..Requests::default() });
                }
                let request = &mut all[index];
                let (count, longest) = match units == resources[resource.index()].units {
                    true => (&mut request.writes, &mut request.write_length),
                    false => (&mut request.reads, &mut request.read_length),
                };
                (*count, *longest) = (*count + 1, length.max(*longest));
            }
            _ => {}
        }
    }
    all
}

/// Holds a system's tasks to their bounds, and adds what was seen.
fn compare(case: &Case, seed: u64, power: &mut Power) {
    let (tasks, resources, platform) = flat_system(seed, case);
    // The bounds of these count every resource as global.
    if matches!(case.protocol, "mpcp" | "mpcp-all" | "dpcp" | "dflp" | "mrsp")
        && is_local_anywhere(&tasks, resources.len())
    {
        return;
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
        return;
    }
    let sharing = shared(case, &tasks, &resources, &platform);
    let bounds = (case.bounds)(&sharing, &responses, u32::from(case.cluster));
    let parts = if case.blocked == Blocked::Shares { u64::from(case.cluster) } else { 1 };
    for (index, terms) in bounds.iter().enumerate() {
        let bound = terms.total().unwrap_or(u64::MAX).saturating_mul(parts);
        let (name, seen) = (case.protocol, longest[index]);
        assert!(seen <= bound, "{name} seed {seed}: T{index} is blocked for {seen}/{parts}, but {terms:?}");
        power.compared += 1;
        power.blocked += u64::from(seen > 0);
        power.near += u64::from(bound > 0 && seen >= bound - bound / 4);
        power.reached += u64::from(bound > 0 && seen == bound);
    }
}

/// What each task's linear program proves.
fn programs(sharing: &Sharing, program: impl Fn(usize) -> LinearProgram) -> Vec<Terms> {
    let bound = |at| Terms { remote: maximum(&program(at)), local: 0 };
    (0..sharing.tasks().len()).map(bound).collect()
}

fn spin_bounds(sharing: &Sharing, responses: &[u64], spinning: Spinning) -> Vec<Terms> {
    let mut greedy = Greedy::default();
    greedy.read(sharing);
    let mut bound = |at| Terms::new(greedy.bound(sharing, responses, at, spinning), 0);
    (0..sharing.tasks().len()).map(&mut bound).collect()
}

fn ranked_bounds(sharing: &Sharing, responses: &[u64], lock: Lock) -> Vec<Terms> {
    let bound = |task| Terms::new(PendingJob { sharing, responses, task, lock }.bound(), 0);
    (0..sharing.tasks().len()).map(bound).collect()
}

/// The protocols of one processor.
const ONE: Case =
    Case { protocol: "", processors: 1, cluster: 1, blocked: Blocked::Aware, bounds: |_, _, _| Vec::new() };
/// Those of three, each by itself.
const THREE: Case = Case { processors: 3, ..ONE };
/// Those of two under one scheduler.
const GLOBAL: Case = Case { processors: 2, cluster: 2, blocked: Blocked::Shares, ..ONE };

const CASES: &[Case] = &[
    Case { protocol: "task-fair", bounds: task_fair_mutex::bounds, ..THREE },
    Case {
        protocol: "msrp",
        bounds: |sharing, responses, _| msrp_holistic::bounds(sharing, responses),
        ..THREE
    },
    Case { protocol: "msrp", bounds: |sharing, _, _| msrp_classic::bounds(sharing), ..THREE },
    Case {
        protocol: "mpcp",
        bounds: |sharing, responses, _| mpcp::bounds(sharing, responses, false),
        ..THREE
    },
    Case {
        protocol: "mpcp-all",
        bounds: |sharing, responses, _| mpcp::bounds_boosted_by(mpcp::Users::All, sharing, responses, false),
        ..THREE
    },
    Case {
        protocol: "dpcp",
        bounds: |sharing, responses, _| dpcp::bounds(sharing, responses, &dpcp::in_turn(3, 3)),
        ..THREE
    },
    Case {
        protocol: "dflp",
        bounds: |sharing, responses, _| dflp::bounds(sharing, responses, &dpcp::in_turn(3, 3)),
        ..THREE
    },
    Case {
        protocol: "fmlp+",
        bounds: |sharing, responses, _| fmlp_plus::bounds(sharing, responses, true),
        ..THREE
    },
    Case { protocol: "omlp", blocked: Blocked::Oblivious, bounds: global_omlp::bounds, ..GLOBAL },
    Case {
        protocol: "fmlp-long",
        blocked: Blocked::Oblivious,
        bounds: |sharing, responses, _| global_fmlp::bounds(sharing, responses),
        ..GLOBAL
    },
    Case {
        protocol: "omlp-clustered",
        processors: 4,
        cluster: 2,
        blocked: Blocked::Oblivious,
        bounds: clustered_omlp::bounds,
    },
    Case { protocol: "omlp-clustered", blocked: Blocked::Oblivious, bounds: clustered_omlp::bounds, ..THREE },
    Case {
        protocol: "omlp-partitioned",
        blocked: Blocked::Oblivious,
        bounds: |sharing, responses, _| clustered_omlp::bounds(sharing, responses, 1),
        ..THREE
    },
    Case {
        protocol: "msrp",
        bounds: |sharing, responses, _| spin_bounds(sharing, responses, Spinning::NonPreemptive),
        ..THREE
    },
    Case {
        protocol: "spin-fifo-preemptable",
        bounds: |sharing, responses, _| spin_bounds(sharing, responses, Spinning::Preemptable),
        ..THREE
    },
    Case {
        protocol: "spin-priority",
        bounds: |sharing, responses, _| {
            ranked_bounds(sharing, responses, Lock::new(Ranks::ByPriority, Spinning::NonPreemptive))
        },
        ..THREE
    },
    Case {
        protocol: "spin-unordered",
        bounds: |sharing, responses, _| {
            ranked_bounds(sharing, responses, Lock::new(Ranks::Equal, Spinning::NonPreemptive))
        },
        ..THREE
    },
    Case {
        protocol: "spin-priority-preemptable",
        bounds: |sharing, responses, _| {
            ranked_bounds(sharing, responses, Lock::new(Ranks::ByPriority, Spinning::Preemptable))
        },
        ..THREE
    },
    Case {
        protocol: "spin-unordered-preemptable",
        bounds: |sharing, responses, _| {
            ranked_bounds(sharing, responses, Lock::new(Ranks::Equal, Spinning::Preemptable))
        },
        ..THREE
    },
    Case {
        protocol: "fmlp+",
        bounds: |sharing, responses, _| {
            programs(sharing, |at| semaphore::fmlp_plus::program(sharing, responses, at))
        },
        ..THREE
    },
    Case {
        protocol: "dflp",
        bounds: |sharing, responses, _| {
            let homes = dpcp::in_turn(3, 3);
            programs(sharing, |at| semaphore::dflp::program(sharing, responses, at, &homes))
        },
        ..THREE
    },
    Case { protocol: "npcs", bounds: |sharing, _, _| npcs::bounds(sharing), ..ONE },
    Case { protocol: "pip", bounds: |sharing, _, _| pip::once_per_task(sharing), ..ONE },
    Case { protocol: "pcp", bounds: |sharing, _, _| pcp::bounds(sharing), ..ONE },
    Case { protocol: "ipcp", bounds: |sharing, _, _| pcp::bounds(sharing), ..ONE },
    Case { protocol: "srp", bounds: |sharing, _, _| srp::bounds(sharing), ..ONE },
    Case { protocol: "mrsp", bounds: |sharing, _, _| mrsp::bounds(sharing), ..THREE },
    Case { protocol: "rw-task-fair", bounds: rw_task_fair::bounds, ..THREE },
    Case { protocol: "rw-phase-fair", bounds: rw_phase_fair::bounds, ..THREE },
    Case { protocol: "gpip", bounds: global_pip::bounds, ..GLOBAL },
    Case { protocol: "ppcp", bounds: ppcp::bounds, ..GLOBAL },
    Case { protocol: "gpip", processors: 3, cluster: 3, bounds: global_pip::bounds, ..GLOBAL },
    Case { protocol: "ppcp", processors: 3, cluster: 3, bounds: ppcp::bounds, ..GLOBAL },
];

/// `LOCK_SYSTEMS` asks for more systems, `LOCK_PROTOCOL` for those protocols alone whose names begin so.
#[test]
fn nobody_is_blocked_longer_than_the_bound() {
    let systems = std::env::var("LOCK_SYSTEMS").map_or(150, |count| count.parse().unwrap());
    let wanted = std::env::var("LOCK_PROTOCOL").unwrap_or_default();
    let mut failed = Vec::new();
    for case in CASES.iter().filter(|case| case.protocol.starts_with(&wanted)) {
        let all = std::panic::catch_unwind(|| {
            let mut power = Power::default();
            (0..systems).for_each(|seed| compare(case, seed, &mut power));
            power
        });
        match all {
            Ok(power) => {
                println!("{}: {power:?}", case.protocol);
                let has_power = power.blocked > systems / 10 && power.near > 0;
                assert!(has_power, "{} is hardly tried: {power:?}", case.protocol);
            }
            Err(_) => failed.push(case.protocol),
        }
    }
    assert!(failed.is_empty(), "{failed:?} block longer than their bounds");
}

/// Where waits are taken as over at once (docs/peers.md), there is no bound: of three tasks on three processors,
/// (section, period) = (2, 3), (1, 100) and (2, 6), the second waits for two jobs of the first and one of the third.
#[test]
fn waits_that_take_no_time_bound_nothing() {
    let task = |cluster: u16, length, period| {
        let run = Step::Execute(Work::from_ns(length));
        Task {
            cluster: ClusterId(cluster),
            program: vec![Step::Request(ResourceId(0), 1), run, Step::Release(ResourceId(0), 1)],
            leave: Instant::from_ns(5),
            ..task(length, period, period)
        }
    };
    let tasks = vec![task(0, 2, 3), task(1, 1, 100), task(2, 2, 6)];
    let (resources, platform) = (vec![Resource { units: 1 }], Platform::partitioned(3));
    let make = find_protocol("spin-unordered").unwrap().make;
    let timeline = run_locked(ideal(tasks.clone(), platform.clone(), 1_000), &resources, "P-FP", make);
    let (responses, longest) = observe(&timeline, &tasks, &platform, Blocked::Aware);
    assert_eq!((responses.as_slice(), longest[1]), (&[3, 7, 4][..], 6));
    let sharing = derive(&tasks, &resources, &platform, &[0, 1, 2], Sections::Flat, Lengths::ALIKE).unwrap();
    let bound = |wait| {
        let lock = Lock { wait, ..Lock::new(Ranks::Equal, Spinning::NonPreemptive) };
        ranked_bounds(&sharing, &responses, lock)[1].total()
    };
    assert_eq!((bound(WaitLength::Instant), bound(WaitLength::Bounded)), (Some(4), Some(12)));
}
