//! Blocking bounds against simulation: nothing that is called schedulable misses, no response time exceeds its bound, and
//! no job waits longer than its blocking term.

mod locks;
mod support;

use locks::random::Random;
use locks::{run_locked, Make};
use schedlab_analysis::blocking::response::{
    with_terms, Waiting as InResponse, Waiting::Spins, Waiting::Suspends,
};
use schedlab_analysis::blocking::{analyze_with_methods, derive, Locking, Sections, Terms};
use schedlab_analysis::overheads::jlfp::Inflation;
use schedlab_analysis::overheads::locks::{Locks, Machine, Waits};
use schedlab_analysis::{Analysis, Answer, Arrivals, Order, Scheduler};
use schedlab_lock::{find_protocol, Length, LockSetup, Waiting};
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::*;
use schedlab_policy::find;
use schedlab_sim::Setup;
use schedlab_trace::{Record, SuspendReason, Timeline};
use support::{ideal, platform};

/// Protocol, scheduler, and whether time spent waiting must stay within the remote term.
const CASES: &[(&str, &str, bool)] = &[
    ("pip", "P-FP", false),
    ("pcp", "P-FP", false),
    ("ipcp", "P-FP", false),
    ("srp", "P-FP", false),
    ("npcs", "P-FP", false),
    ("msrp", "P-FP", true),
    ("mpcp", "P-FP", true),
    ("fmlp+", "P-FP", false),
    ("dpcp", "P-FP", false),
    ("dflp", "P-FP", false),
    ("mrsp", "P-FP", false),
    ("task-fair", "P-FP", true),
    ("fmlp-short", "P-FP", true),
    ("omlp-partitioned", "P-FP", false),
    ("omlp-clustered", "P-FP", false),
    ("srp", "P-EDF", false),
    ("npcs", "P-EDF", false),
    ("msrp", "P-EDF", true),
    ("task-fair", "P-EDF", true),
    ("fmlp-short", "P-EDF", true),
    ("fmlp+", "P-EDF", false),
    ("omlp-partitioned", "P-EDF", false),
    ("task-fair", "G-EDF", true),
    ("fmlp-short", "G-EDF", true),
    ("fmlp-long", "G-EDF", false),
    ("fmlp", "G-EDF", false),
    ("fmlp-long", "P-EDF", false),
    ("fmlp", "P-EDF", false),
    ("omlp", "G-EDF", false),
    ("omlp-clustered", "C-EDF", false),
    ("task-fair", "C-EDF", true),
    ("gpip", "G-FP", false),
    ("ppcp", "G-FP", false),
    ("rw-task-fair", "P-FP", true),
    ("rw-phase-fair", "P-FP", true),
    ("rw-task-fair", "P-EDF", true),
    ("rw-phase-fair", "P-EDF", true),
    ("rw-task-fair", "G-EDF", true),
    ("rw-phase-fair", "G-EDF", true),
    ("rw-phase-fair", "C-EDF", true),
];

/// Under `fmlp`: by resource, whether it is short.
const SHORT: [bool; 3] = [true, false, true];
const LENGTHS: [Length; 3] = [Length::Short, Length::Long, Length::Short];

/// Makes `protocol`, with [`LENGTHS`].
fn maker(protocol: &str) -> Make {
    match protocol {
        "fmlp" => |setup| {
            let LockSetup { tasks, resources, platform, order, .. } = *setup;
            let setup = LockSetup { tasks, resources, platform, order, lengths: &LENGTHS };
            (find_protocol("fmlp").unwrap().make)(&setup)
        },
        other => find_protocol(other).unwrap().make,
    }
}

/// How many systems of each case; `BLOCKING_SYSTEMS` asks for more.
fn systems() -> u64 {
    std::env::var("BLOCKING_SYSTEMS").map_or(200, |count| count.parse().unwrap())
}

struct System {
    tasks: Vec<Task>,
    resources: Vec<Resource>,
    platform: Platform,
}

/// Two to four processors, two to nine tasks, periods that let many jobs meet; local resources only if `local`.
fn system(seed: u64, scheduler: &str, local: bool, nested: bool) -> System {
    let mut random = Random(seed);
    let scope = find(scheduler).unwrap().scope;
    let processors = if local { 1 } else { 2 + random.below(3) as u16 };
    let platform = platform(scope, processors, 2);
    let clusters = platform.clusters.len() as u64;
    let resources = vec![Resource { units: 1 }; 1 + random.below(3) as usize];
    let count = 2 + random.below(3 * u64::from(processors) - 1);
    let heavy = 1 + random.below(3);
    let mut tasks = Vec::new();
    for index in 0..count {
        let mut program = Vec::new();
        for _ in 0..random.below(3) {
            execute(&mut random, &mut program, 2 * heavy);
            section(&mut random, &mut program, resources.len() as u64, u64::from(nested));
        }
        execute(&mut random, &mut program, 2 * heavy);
        program.push(Step::Execute(Work::from_ns(1)));
        let cost =
            program.iter().map(|step| if let Step::Execute(work) = step { work.as_ns() } else { 0 }).sum();
        let period = cost * (2 + random.below(12)) + random.below(10);
        tasks.push(Task {
            offset: Instant::from_ns(random.below(30)),
            leave: Instant::from_ns(600),
            fixed_priority: index as u32,
            cluster: ClusterId(random.below(clusters) as u16),
            program,
            ..support::task(cost, period, period - random.below(period - cost + 1) / 3)
        });
    }
    // Deadline-monotonic, mostly: else hardly any set is schedulable.
    if seed % 8 != 0 {
        tasks.sort_by_key(|task| task.relative_deadline);
        tasks.iter_mut().enumerate().for_each(|(at, task)| task.fixed_priority = at as u32);
    }
    System { tasks, resources, platform }
}

/// The system as `protocol` wants it: with readers, who take one unit, and writers, who take all.
fn suited(mut system: System, seed: u64, protocol: &str) -> System {
    if !protocol.starts_with("rw-") {
        return system;
    }
    let (mut random, all) = (Random(seed ^ 0x5EED), system.tasks.len() as u32 + 1);
    system.resources.iter_mut().for_each(|resource| resource.units = all);
    for task in &mut system.tasks {
        let mut units = 1;
        for step in &mut task.program {
            match step {
                Step::Request(_, wanted) => {
                    units = if random.below(2) == 0 { 1 } else { all };
                    *wanted = units;
                }
                Step::Release(_, given) => *given = units,
                _ => {}
            }
        }
    }
    system
}

fn execute(random: &mut Random, program: &mut Vec<Step>, bound: u64) {
    let length = random.below(bound);
    if length > 0 {
        program.push(Step::Execute(Work::from_ns(length)));
    }
}

fn section(random: &mut Random, program: &mut Vec<Step>, resources: u64, depth: u64) {
    let resource = ResourceId(random.below(resources) as u32);
    program.push(Step::Request(resource, 1));
    program.push(Step::Execute(Work::from_ns(1 + random.below(4))));
    let inner = ResourceId(resource.0 + 1);
    if depth > 0 && u64::from(inner.0) < resources && random.below(3) == 0 {
        program.push(Step::Request(inner, 1));
        program.push(Step::Execute(Work::from_ns(1 + random.below(2))));
        program.push(Step::Release(inner, 1));
    }
    program.push(Step::Release(resource, 1));
}

fn analysis(system: &System, protocol: &str, scheduler: &str) -> Analysis {
    let ranks: Vec<u32> = system.tasks.iter().map(|task| task.fixed_priority).collect();
    let order = if scheduler.ends_with("EDF") { Order::Edf } else { Order::FixedPriority };
    let scheduler = Scheduler { order, preemptive: true, ranks: &ranks, arrivals: Arrivals::Sporadic };
    let locking = Locking { protocol, resources: &system.resources, short: &SHORT };
    analyze_with_methods(&system.tasks, &system.platform, &scheduler, locking, PROGRAMS).unwrap()
}

/// By job: time spent waiting for resources; by task: the longest response time.
struct Seen {
    waited: Vec<(JobId, u64)>,
    responses: Vec<u64>,
    missed: bool,
}

fn seen(timeline: &Timeline, tasks: &[Task]) -> Seen {
    let mut since = std::collections::BTreeMap::new();
    let mut waited = std::collections::BTreeMap::new();
    let mut seen = Seen { waited: Vec::new(), responses: vec![0; tasks.len()], missed: false };
    for (at, record) in &timeline.records {
        match record {
            Record::Spin { job, .. } | Record::Suspend { job, reason: SuspendReason::Resource(_) } => {
                since.insert(*job, *at);
            }
            Record::Acquire { job, .. } => {
                if let Some(begin) = since.remove(job) {
                    *waited.entry(*job).or_insert(0) += (*at - begin).as_ns();
                }
            }
            Record::Complete { job } => {
                let task = &tasks[job.slot()];
                let arrival = task.offset.as_ns() + u64::from(job.number) * task.period.as_ns();
                let response = &mut seen.responses[job.slot()];
                *response = (at.as_ns() - arrival).max(*response);
            }
            Record::Miss { .. } => seen.missed = true,
            _ => {}
        }
    }
    seen.waited = waited.into_iter().collect();
    seen
}

#[derive(Default, Debug)]
struct Power {
    accepted: u64,
    /// Accepted systems in which a job waited.
    waited: u64,
    /// Tasks whose response time reached its bound.
    tight: u64,
    /// Systems that a linear program accepts.
    by_program: u64,
    /// Systems that only a linear program accepts.
    by_program_only: u64,
}

/// Whether this method by itself accepts all clusters that have tasks.
fn accepts(analysis: &Analysis, method: &str) -> bool {
    let mut verdicts = analysis.clusters.iter().flat_map(|cluster| &cluster.verdicts);
    let mut own = verdicts.by_ref().filter(|verdict| verdict.test == method).peekable();
    own.peek().is_some() && own.all(|verdict| verdict.answer == Answer::Schedulable)
}

/// Judges one system, and what a run of it shows. A panic tells where theory and run differ.
fn compare(seed: u64, case: &(&str, &str, bool), power: &mut Power) {
    let (protocol, scheduler, waits_count) = *case;
    let made = find_protocol(protocol).unwrap();
    let local = matches!(made.reach, schedlab_lock::Reach::Local) || protocol == "pip";
    let nested = local && made.waiting == Waiting::Never;
    let system = suited(system(seed, scheduler, local, nested), seed, protocol);
    let analysis = analysis(&system, protocol, scheduler);
    if analysis.hard != Answer::Schedulable {
        return;
    }
    let setup = ideal(system.tasks.clone(), system.platform.clone(), 5_000);
    let timeline = run_locked(setup, &system.resources, scheduler, maker(protocol));
    let seen = seen(&timeline, &system.tasks);
    let here = format!("{protocol} {scheduler} seed {seed}");
    assert!(!seen.missed, "{here}: a deadline is missed");
    for (task, response) in seen.responses.iter().enumerate() {
        let bound = analysis.response_times[task].expect("a schedulable task has a bound").as_ns();
        assert!(*response <= bound, "{here}: T{task} took {response}, bound {bound}");
        power.tight += u64::from(*response == bound);
    }
    for blocking in analysis.blocking.iter().chain(&analysis.more_blocking) {
        // A method that accepts nothing stopped before its terms were bounds.
        if !accepts(&analysis, blocking.method) {
            continue;
        }
        // Sections of more urgent jobs of the same processor, which a job may wait for, are interference to this one.
        if blocking.method == "mpcp_program" {
            continue;
        }
        for (job, waited) in seen.waited.iter().filter(|_| waits_count) {
            let (bound, method) = (blocking.terms[job.slot()].remote.unwrap(), blocking.method);
            assert!(*waited <= bound, "{here}: {job} waited {waited}, {method} says {bound}");
        }
    }
    let by_program = analysis.more_blocking.iter().any(|more| accepts(&analysis, more.method));
    let first = analysis.blocking.as_ref().is_some_and(|first| accepts(&analysis, first.method));
    power.by_program += u64::from(by_program);
    power.by_program_only += u64::from(by_program && !first);
    power.accepted += 1;
    power.waited += u64::from(!seen.waited.is_empty());
}

#[test]
fn no_run_exceeds_a_bound() {
    for case in CASES {
        let mut power = Power::default();
        for seed in 0..systems() {
            compare(seed, case, &mut power);
        }
        println!("{} {}: {power:?} of {}", case.0, case.1, systems());
        assert!(power.accepted * 20 > systems(), "{case:?}: only {power:?}");
        let has_program = matches!((case.0, case.1), ("msrp" | "mpcp" | "fmlp+" | "dflp", "P-FP"));
        assert_eq!(power.by_program > 0, has_program, "{case:?}: {power:?}");
        assert!(!has_program || power.by_program_only > 0, "{case:?}: no program proves more, {power:?}");
    }
}

/// Each term matters: without it, some run takes longer than the response time that then results.
#[test]
fn dropped_terms_are_noticed() {
    type Drop = fn(&mut Terms);
    let drops: [(&str, Drop); 2] =
        [("remote", |terms| terms.remote = Some(0)), ("local", |terms| terms.local = 0)];
    let waits =
        [("msrp", Spins), ("mpcp", Suspends), ("fmlp+", Suspends), ("dpcp", Suspends), ("mrsp", Spins)];
    for (protocol, waiting) in waits {
        for (name, drop) in drops {
            let noticed = (0..600).any(|seed| exceeds_without(seed, protocol, waiting, drop));
            assert!(noticed, "{protocol} without the {name} term");
        }
    }
}

/// Whether a run takes longer than the response times with weakened terms.
fn exceeds_without(seed: u64, protocol: &str, waiting: InResponse, drop: fn(&mut Terms)) -> bool {
    let system = system(seed, "P-FP", false, false);
    let Some(blocking) = analysis(&system, protocol, "P-FP").blocking else { return false };
    let mut terms = blocking.terms;
    terms.iter_mut().for_each(drop);
    let ranks: Vec<u32> = system.tasks.iter().map(|task| task.fixed_priority).collect();
    let sharing = derive(&system.tasks, &system.resources, &system.platform, &ranks, Sections::Each).unwrap();
    let bounds = with_terms(&sharing, &terms, waiting);
    let setup = ideal(system.tasks.clone(), system.platform.clone(), 5_000);
    let timeline = run_locked(setup, &system.resources, "P-FP", find_protocol(protocol).unwrap().make);
    let seen = seen(&timeline, &system.tasks);
    seen.responses.iter().zip(bounds).any(|(response, bound)| bound.is_some_and(|bound| *response > bound))
}

/// The same with times forty times as long.
fn longer(mut system: System) -> System {
    const TIMES: u64 = 40;
    for task in &mut system.tasks {
        task.wcet = Work::from_ns(task.wcet.as_ns() * TIMES);
        task.period = Duration::from_ns(task.period.as_ns() * TIMES);
        task.relative_deadline = Duration::from_ns(task.relative_deadline.as_ns() * TIMES);
        task.offset = Instant::from_ns(task.offset.as_ns() * TIMES);
        task.leave = Instant::from_ns(task.leave.as_ns() * TIMES);
        for step in &mut task.program {
            if let Step::Execute(work) = step {
                *work = Work::from_ns(work.as_ns() * TIMES);
            }
        }
    }
    system
}

fn small_overheads(random: &mut Random, kinds: &[OverheadKind]) -> Overheads {
    let mut overheads = Overheads::default();
    for &kind in kinds {
        let cost = Cost::Constant(Duration::from_ns(random.below(6)));
        overheads.set(kind, OverheadSpec { max: cost.clone(), mean: cost });
    }
    overheads
}

/// The tasks as they run: the simulator does not charge what lock operations take, so that jobs execute it, where it
/// hurts most.
fn executing_lock_operations(tasks: &[Task], overheads: &Overheads, locks: Locks) -> Vec<Task> {
    let of = |kind| overheads.evaluate(kind, Statistic::Max, 0, 0).as_ns();
    let kernel = of(OverheadKind::SyscallEntry) + of(OverheadKind::SyscallExit);
    let lock = of(OverheadKind::LockAcquire) + of(OverheadKind::LockRelease);
    let within = lock + if locks.waits == Waits::Spins { 0 } else { 2 * kernel };
    let after = locks.leaving.as_ns() + if locks.waits == Waits::Distributed { 0 } else { kernel };
    let run = |ns| Step::Execute(Work::from_ns(ns));
    let longer = |task: &Task| {
        let (mut program, mut depth, mut added) = (Vec::new(), 0, 0);
        for &step in &task.program {
            let outermost = match step {
                Step::Request(..) => {
                    depth += 1;
                    depth == 1
                }
                Step::Release(..) => {
                    depth -= 1;
                    depth == 0
                }
                _ => false,
            };
            let pays = outermost || !locks.groups;
            program.push(step);
            match step {
                Step::Request(..) if pays && within > 0 => {
                    program.push(run(within));
                    added += within;
                }
                Step::Release(..) if pays && after > 0 => {
                    program.push(run(after));
                    added += after;
                }
                _ => {}
            }
        }
        Task { program, wcet: Work::from_ns(task.wcet.as_ns() + added), ..task.clone() }
    };
    tasks.iter().map(longer).collect()
}

/// What one system with overheads showed.
enum Shown {
    Refused,
    /// Accepted; whether a job waited.
    Met(bool),
    Missed,
}

/// Judges one system with overheads of these kinds, and runs it if it is accepted; `weaken` changes what the analysis believes, given
/// the tasks as they are.
fn with_overheads(
    seed: u64,
    (protocol, scheduler): (&str, &str),
    kinds: &[OverheadKind],
    weaken: fn(&mut Task, &Task),
) -> Shown {
    let made = find_protocol(protocol).unwrap();
    let local = matches!(made.reach, schedlab_lock::Reach::Local) || protocol == "pip";
    let nested = local && made.waiting == Waiting::Never;
    let mut system = longer(suited(system(seed, scheduler, local, nested), seed, protocol));
    system.platform.quantum = Duration::from_ns(500);
    let overheads = small_overheads(&mut Random(seed), kinds);
    let locks = Locks::of_protocol(protocol, Duration::from_ns(seed % 4)).unwrap();
    let machine = Machine { platform: &system.platform, overheads: &overheads, statistic: Statistic::Max };
    let Inflation::Fits(mut tasks) = machine.inflate(&system.tasks, locks) else { return Shown::Refused };
    tasks.iter_mut().zip(&system.tasks).for_each(|(task, given)| weaken(task, given));
    let inflated = System { tasks, resources: system.resources.clone(), platform: system.platform.clone() };
    let analysis = analysis(&inflated, protocol, scheduler).of_inflated_tasks();
    if analysis.hard != Answer::Schedulable {
        return Shown::Refused;
    }
    let tasks = executing_lock_operations(&system.tasks, &overheads, locks);
    let charges = schedlab_sim::Charges::evaluate(&overheads, Statistic::Max, &tasks);
    let setup = Setup { charges, ..ideal(tasks.clone(), system.platform.clone(), 100_000) };
    let timeline = run_locked(setup, &system.resources, scheduler, maker(protocol));
    let seen = seen(&timeline, &tasks);
    let late = |(task, response): (usize, &u64)| {
        *response > analysis.response_times[task].expect("a schedulable task has a bound").as_ns()
    };
    match seen.missed || seen.responses.iter().enumerate().any(late) {
        true => Shown::Missed,
        false => Shown::Met(!seen.waited.is_empty()),
    }
}

/// What is proved of tasks with overheads holds where the machine takes them, and jobs execute lock operations: all kinds of overhead, and
/// each by itself, where no other hides what it lacks.
#[test]
fn no_accepted_system_misses_under_overheads() {
    for (protocol, scheduler, _) in CASES.iter().filter(|case| case.0 != "mrsp") {
        let (mut accepted, mut waited) = (0, 0);
        for seed in 0..systems() {
            let one = [OverheadKind::ALL[(seed / 2) as usize % OverheadKind::ALL.len()]];
            let kinds = if seed % 2 == 0 { &OverheadKind::ALL[..] } else { &one };
            match with_overheads(seed, (protocol, scheduler), kinds, |_, _| {}) {
                Shown::Refused => {}
                Shown::Missed => panic!("{protocol} {scheduler} seed {seed}: later than its bound"),
                Shown::Met(any) => {
                    accepted += 1;
                    waited += u64::from(any);
                }
            }
        }
        println!(
            "{protocol} {scheduler} with overheads: {accepted} accepted, {waited} with waiting, of {}",
            systems()
        );
        assert!(accepted * 10 > systems(), "{protocol} {scheduler}: only {accepted}");
    }
}

/// Each part matters: where it is dropped, some run takes longer than what is then believed.
#[test]
fn dropped_lock_overheads_are_noticed() {
    type Drop = fn(&mut Task, &Task);
    use OverheadKind::{
        CacheRelatedMigration, CacheRelatedPreemption, ContextSwitch, Ipi, LockAcquire, LockRelease,
        Scheduling, SyscallEntry, SyscallExit,
    };
    let sections: Drop = |task, given| task.program.clone_from(&given.program);
    let costs: Drop = |task, given| task.wcet = given.wcet;
    let locks = &[LockAcquire, LockRelease, SyscallEntry, SyscallExit][..];
    let caches = &[CacheRelatedPreemption, CacheRelatedMigration];
    for (name, case, kinds, drop) in [
        ("locks in sections", ("pcp", "P-FP"), locks, sections),
        ("locks in sections", ("srp", "P-FP"), locks, sections),
        ("locks in sections", ("msrp", "P-FP"), locks, sections),
        ("locks in sections", ("mpcp", "P-FP"), locks, sections),
        ("locks in sections", ("fmlp+", "P-FP"), locks, sections),
        ("locks in sections", ("dpcp", "P-FP"), locks, sections),
        ("locks in sections", ("dflp", "P-FP"), locks, sections),
        ("locks in sections", ("task-fair", "P-EDF"), locks, sections),
        ("locks in costs", ("pcp", "P-FP"), locks, costs),
        ("locks in costs", ("msrp", "P-FP"), locks, costs),
        ("locks in costs", ("mpcp", "P-FP"), locks, costs),
        ("locks in costs", ("dpcp", "P-FP"), locks, costs),
        ("switches in sections", ("mpcp", "P-FP"), &[Scheduling, ContextSwitch], sections),
        ("switches in sections", ("fmlp+", "P-FP"), &[Scheduling, ContextSwitch], sections),
        ("switches in sections", ("dpcp", "P-FP"), &[Scheduling, ContextSwitch], sections),
        ("ipi in sections", ("mpcp", "P-FP"), &[Ipi], sections),
        ("ipi in sections", ("fmlp+", "P-FP"), &[Ipi], sections),
        ("ipi in costs", ("mpcp", "P-FP"), &[Ipi], costs),
        ("ipi in costs", ("dpcp", "P-FP"), &[Ipi], costs),
        ("cache in sections", ("dpcp", "P-FP"), caches, sections),
        ("cache in sections", ("dflp", "P-FP"), caches, sections),
    ] {
        let missed = |seed| matches!(with_overheads(seed, case, kinds, drop), Shown::Missed);
        let believed = |seed| !matches!(with_overheads(seed, case, kinds, |_, _| {}), Shown::Missed);
        let first = (0..3_000).find(|seed| missed(*seed)).unwrap_or_else(|| panic!("{name}: {case:?}"));
        assert!(
            believed(first),
            "{name}: {case:?} seed {first} is later than its bound with everything counted"
        );
    }
}
