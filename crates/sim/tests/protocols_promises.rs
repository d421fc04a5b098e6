//! Every protocol of the registry on random systems, small systems in all orders of requests, and with jobs given up: it
//! keeps what the registry says and what its definition demands.

mod locks;
mod support;

use locks::promises::Promises;
use locks::random::{readers_and_writers, system, Random, Shape, System};
use locks::*;
use schedlab_lock::*;
use schedlab_model::*;
use schedlab_policy::{Decision, Decisions, Policy};
use schedlab_sim::{simulate, Charges, Periodic, Setup};
use schedlab_trace::Timeline;
use support::*;

/// How many random systems for each protocol; `make soak` asks for 100,000.
fn systems(usual: u64) -> u64 {
    std::env::var("LOCK_SYSTEMS").map_or(usual, |count| count.parse().unwrap())
}

/// The protocols for schedulers by priority; `LOCK_PROTOCOL` asks for those alone whose names begin so.
fn protocols() -> impl Iterator<Item = &'static Protocol> {
    let wanted = std::env::var("LOCK_PROTOCOL").unwrap_or_default();
    ALL_PROTOCOLS
        .iter()
        .filter(|protocol| protocol.ceilings != Ceilings::Quanta && protocol.name != "lock-free")
        .filter(move |protocol| protocol.name.starts_with(&wanted))
}

/// The schedulers and platforms that a protocol is for.
fn homes(protocol: &Protocol) -> Vec<(&'static str, Platform)> {
    let edf = protocol.ceilings != Ceilings::Priorities;
    let (one, two, three) = (Platform::partitioned(1), Platform::partitioned(2), Platform::partitioned(3));
    let mut homes = match protocol.reach {
        Reach::Local => vec![("P-FP", one.clone()), ("P-EDF", one), ("P-FP", two)],
        Reach::Partitioned => vec![("P-FP", two), ("P-EDF", three.clone()), ("P-FP", three)],
        Reach::Global => vec![("G-FP", Platform::global(2)), ("G-EDF", Platform::global(3))],
        Reach::Any => vec![
            ("P-FP", three),
            ("G-EDF", Platform::global(3)),
            ("C-FP", Platform::clustered(4, 2)),
            ("G-FP", Platform::global(2)),
        ],
    };
    homes.retain(|(scheduler, _)| edf || !scheduler.ends_with("EDF"));
    homes
}

/// A random system that the protocol takes.
fn system_for(protocol: &Protocol, seed: u64, platform: &Platform) -> System {
    let is_flat = protocol.nesting != Nesting::Any || (!protocol.deadlock_free && seed % 2 == 0);
    let shape =
        Shape { processors: platform.clusters.len() as u16, units: 1, depth: if is_flat { 1 } else { 3 } };
    let mut system = system(seed, shape);
    if protocol.reach == Reach::Local {
        apart(&mut system, platform);
    }
    if protocol.name.starts_with("rw-") {
        readers_and_writers(&mut system, seed);
    } else if protocol.several_units {
        several_units(&mut system, protocol, platform);
    }
    system
}

/// Resource k is for processor k, counted round, alone.
fn apart(system: &mut System, platform: &Platform) {
    let clusters = platform.clusters.len() as u32;
    for task in &mut system.tasks {
        let own = u32::from(task.cluster.0);
        for step in &mut task.program {
            if let Step::Request(resource, _) | Step::Release(resource, _) = step {
                resource.0 = resource.0 * clusters + own;
            }
        }
    }
    system.resources = vec![Resource { units: 1 }; system.resources.len() * clusters as usize];
}

/// More units; on one processor requests for two of three as well.
fn several_units(system: &mut System, protocol: &Protocol, platform: &Platform) {
    if protocol.reach == Reach::Partitioned || protocol.nesting != Nesting::Any || platform.clusters.len() > 1
    {
        return;
    }
    system.resources.iter_mut().for_each(|resource| resource.units = 3);
    for (at, task) in system.tasks.iter_mut().enumerate() {
        for step in &mut task.program {
            if let Step::Request(resource, units) | Step::Release(resource, units) = step {
                *units = 1 + (at as u32 + resource.0) % 3;
            }
        }
    }
}

/// Gives a job up at its absolute deadline.
struct GivingUp {
    inner: Box<dyn Policy>,
    timers: Vec<(TimerKey, Option<Instant>)>,
    late: Vec<JobId>,
}

impl Policy for GivingUp {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        self.inner.priority(job, jobs)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        self.inner.note(now, event, jobs);
        match event {
            Event::Ready(job) => {
                let at = jobs.get(job).absolute_deadline;
                self.timers.push((TimerKey(job.task.0), Some(at.max(now + Duration::from_ns(1)))));
            }
            Event::Completed(job) => self.timers.push((TimerKey(job.task.0), None)),
            Event::Timer(key) => self.late.push(jobs.of_task(TaskId(key.0)).id),
            _ => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.timers.drain(..).for_each(|(key, at)| out.push(Decision::Timer(key, at)));
        self.late.drain(..).for_each(|job| out.push(Decision::Abort(job)));
        self.inner.decide(now, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.inner.linked(cpu)
    }

    fn promises(&self) -> &'static [Invariant] {
        self.inner.promises()
    }
}

/// Runs a system, and gives jobs up at their deadlines if `aborts`.
fn run_under(
    protocol: &Protocol,
    make: Make,
    scheduler: &str,
    setup: Setup,
    resources: &[Resource],
    aborts: bool,
) -> Timeline {
    if !aborts {
        return run_locked(setup, resources, scheduler, make);
    }
    let points: Vec<u64> = setup.tasks.iter().map(|task| task.fixed_priority.into()).collect();
    let order = match scheduler.ends_with("EDF") {
        true => PriorityOrder::EarliestDeadline,
        false => PriorityOrder::Fixed(&points),
    };
    let locks =
        make(&LockSetup { tasks: &setup.tasks, resources, platform: &setup.platform, order, lengths: &[] });
    let locks = locks.unwrap_or_else(|error| panic!("{}: {error}", protocol.name));
    let giving_up = |inner| GivingUp { inner, timers: Vec::new(), late: Vec::new() };
    let policies: Vec<_> =
        policies(scheduler, &setup.platform, &setup.tasks).into_iter().map(giving_up).collect();
    let (source, mut timeline) = (Periodic::new(&setup.tasks), Timeline::default());
    simulate(setup, policies, locks, source, &mut timeline);
    timeline
}

/// Holds `make`, which should be `protocol`, to what that one promises; gives how many waited.
fn hold(protocol: &Protocol, make: Make, seed: u64, aborts: bool) -> usize {
    let homes = homes(protocol);
    let (scheduler, platform) = &homes[seed as usize % homes.len()];
    let System { mut tasks, resources } = system_for(protocol, seed, platform);
    if platform.clusters.len() == 1 {
        tasks.iter_mut().for_each(|task| task.cluster = ClusterId(0));
    }
    let tick = Duration::from_ns(1);
    let slow = Charges { release: tick, scheduling: tick, context_switch: tick, ..Charges::default() };
    // Decisions lag behind on a machine that takes its time, so that what is promised of priorities holds later.
    let charges = if aborts && seed % 3 == 0 { slow } else { Charges::default() };
    let is_ideal = charges.scheduling == Duration::ZERO;
    let setup = Setup { charges, ..ideal(tasks.clone(), platform.clone(), 5_000) };
    let timeline = run_under(protocol, make, scheduler, setup, &resources, aborts);
    let mut promises = Promises::new(protocol, &tasks, &resources, platform);
    promises.aborts = aborts;
    promises.is_ideal = is_ideal;
    promises.check(&timeline).waits
}

#[test]
fn every_protocol_keeps_its_promises() {
    for protocol in protocols() {
        let waits: usize = (0..systems(200)).map(|seed| guarded(protocol, seed, false)).sum();
        assert!(
            protocol.waiting == Waiting::Never || waits as u64 > systems(200) / 4,
            "{}: {waits}",
            protocol.name
        );
    }
}

#[test]
fn jobs_that_are_given_up_leave_every_queue() {
    for protocol in protocols() {
        (0..systems(100)).for_each(|seed| {
            guarded(protocol, seed, true);
        });
    }
}

fn guarded(protocol: &Protocol, seed: u64, aborts: bool) -> usize {
    let result = std::panic::catch_unwind(|| hold(protocol, protocol.make, seed, aborts));
    result.unwrap_or_else(|_| panic!("{} breaks a promise: seed {seed}, aborts {aborts}", protocol.name))
}

/// A small system of 2 to 4 tasks and 1 to 3 resources: each task executes for as long as `before` says, then holds a
/// resource for two, then one for one. `pattern` chooses the rest.
fn small_system(pattern: u64, before: &[u64; 4], clusters: u16) -> System {
    let mut random = Random(pattern);
    let (tasks, resources) = (2 + pattern % 3, 1 + pattern / 3 % 3);
    let execute = |ns| Step::Execute(Work::from_ns(ns));
    let section = |r: u64, ns| {
        [Step::Request(ResourceId(r as u32), 1), execute(ns), Step::Release(ResourceId(r as u32), 1)]
    };
    let mut all = Vec::new();
    for index in 0..tasks {
        let begin = before[index as usize];
        let [first, second] = [random.below(resources), random.below(resources)];
        let rest =
            [section(first, 2).to_vec(), vec![execute(1)], section(second, 1).to_vec(), vec![execute(1)]];
        all.push(Task {
            offset: Instant::from_ns(random.below(3)),
            leave: Instant::from_ns(50),
            // The last task is the most urgent, or the first is.
            fixed_priority: if pattern % 2 == 0 { tasks - index } else { index } as u32,
            cluster: ClusterId(random.below(clusters.into()) as u16),
            program: (begin > 0).then(|| execute(begin)).into_iter().chain(rest.concat()).collect(),
            ..task(1, 1_000, 100 + tasks - index)
        });
    }
    System { tasks: all, resources: vec![Resource { units: 1 }; resources as usize] }
}

/// The first `patterns` small systems on two processors, with all times of the first requests from 0 to 4.
fn small_systems_hold(protocol: &Protocol, patterns: u64) {
    let homes = homes_on_two(protocol);
    for pattern in 0..patterns {
        let (scheduler, platform) = &homes[pattern as usize % homes.len()];
        let times = 5u64.pow(2 + (pattern % 3) as u32);
        for choice in 0..times {
            let before = [1, 5, 25, 125].map(|place| choice / place % 5);
            let mut system = small_system(pattern, &before, platform.clusters.len() as u16);
            if protocol.reach == Reach::Local {
                apart(&mut system, platform);
            }
            let setup = ideal(system.tasks.clone(), platform.clone(), 500);
            let timeline = run_locked(setup, &system.resources, scheduler, protocol.make);
            Promises::new(protocol, &system.tasks, &system.resources, platform).check(&timeline);
        }
    }
}

fn homes_on_two(protocol: &Protocol) -> Vec<(&'static str, Platform)> {
    match protocol.reach {
        Reach::Local | Reach::Partitioned => vec![("P-FP", Platform::partitioned(2))],
        Reach::Global => vec![("G-FP", Platform::global(2))],
        Reach::Any => vec![("P-FP", Platform::partitioned(2)), ("G-FP", Platform::global(2))],
    }
}

/// A run may end at any instant: also where a job is granted, releases, or moves to another processor and back.
#[test]
fn a_run_ends_at_any_horizon() {
    for protocol in protocols() {
        for seed in 0..8 {
            let homes = homes(protocol);
            let (scheduler, platform) = &homes[seed as usize % homes.len()];
            let System { mut tasks, resources } = system_for(protocol, seed, platform);
            if platform.clusters.len() == 1 {
                tasks.iter_mut().for_each(|task| task.cluster = ClusterId(0));
            }
            let whole = run_locked(
                ideal(tasks.clone(), platform.clone(), 5_000),
                &resources,
                scheduler,
                protocol.make,
            );
            for horizon in 1..40 {
                let setup = ideal(tasks.clone(), platform.clone(), horizon);
                let cut = run_locked(setup, &resources, scheduler, protocol.make);
                // Up to its end the run is the same, whatever ends there.
                let before = |(at, _): &&(Instant, schedlab_trace::Record)| at.as_ns() < horizon;
                assert!(
                    cut.records.iter().filter(before).eq(whole.records.iter().filter(before)),
                    "{}",
                    protocol.name
                );
            }
        }
    }
}

#[test]
fn small_systems_keep_their_promises_at_all_times_of_requests() {
    protocols().for_each(|protocol| small_systems_hold(protocol, 6));
}

#[test]
#[ignore = "minutes: make soak"]
fn many_small_systems_keep_their_promises_at_all_times_of_requests() {
    protocols().for_each(|protocol| small_systems_hold(protocol, 1_500));
}

/// Priority goes through chains: A (P0) waits for R0, which B (P1) holds, who waits for R1, which C (P0) holds, who waits for
/// R2, which D (P1) holds. So D is as urgent as A and goes before E, of middling urgency; without chains E would go first.
#[test]
fn inheritance_is_transitive_across_three_locks_and_two_processors() {
    use locks::draw::*;
    let nested = |outer, inner| around(outer, 1, [execute(1), section(inner, 1)].concat());
    let tasks = vec![
        at(5, 1, 0, &[section(0, 1)]),
        at(2, 4, 1, &[nested(0, 1)]),
        at(1, 5, 0, &[nested(1, 2)]),
        at(0, 6, 1, &[section(2, 5)]),
        at(5, 2, 1, &[execute(3)]),
    ];
    let setup = ideal(tasks, Platform::partitioned(2), 1_000);
    let timeline = run_locked(setup, &[Resource { units: 1 }; 3], "P-FP", make!(Pip));
    assert_eq!(draw(&timeline, 2, 12), ".C....C.A... / DDBDDDEBEE..");
}
