//! Blocking bounds against simulation: nothing that is called schedulable misses, no response time exceeds its bound,
//! and no job waits longer than its blocking term.

use crate::locks;
#[path = "locks/short_inside_long.rs"]
mod short_inside_long;
use crate::support;
#[path = "locks/retries.rs"]
mod retries;
#[path = "locks/tardy.rs"]
mod tardy;
#[path = "locks/under_overheads.rs"]
mod under_overheads;

use locks::random::Random;
use locks::{run_locked, Make};
use schedlab_analysis::analyze_with_locks;
use schedlab_analysis::blocking::response::{
    with_terms, Waiting as InResponse, Waiting::Spins, Waiting::Suspends,
};
use schedlab_analysis::blocking::{derive, Lengths, Locking, Sections, Terms};
use schedlab_analysis::steps::Show;
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Analysis, Answer, Arrivals};
use schedlab_lock::{find_protocol, Length, LockSetup, Waiting};
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::*;
use schedlab_policy::find;
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
    ("mpcp-all", "P-FP", true),
    ("fmlp+", "P-FP", false),
    ("dpcp", "P-FP", false),
    ("dflp", "P-FP", false),
    ("mrsp", "P-FP", false),
    ("spin-priority", "P-FP", true),
    ("spin-unordered", "P-FP", true),
    ("spin-fifo-preemptable", "P-FP", false),
    ("spin-priority-preemptable", "P-FP", false),
    ("spin-unordered-preemptable", "P-FP", false),
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
    ("task-fair", "G-FP", true),
    ("task-fair", "C-FP", true),
    ("fmlp-short", "G-FP", true),
    ("fmlp-long", "G-FP", false),
    ("fmlp", "G-FP", false),
    ("omlp", "G-FP", false),
    ("omlp-clustered", "C-FP", false),
    ("rw-task-fair", "G-FP", true),
    ("rw-phase-fair", "C-FP", true),
    ("lock-free", "P-FP", true),
    ("lock-free", "P-EDF", true),
    ("lock-free", "G-EDF", true),
    ("lock-free", "C-EDF", true),
    ("lock-free", "G-FP", true),
    ("lock-free", "C-FP", true),
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
    std::env::var("BLOCKING_SYSTEMS").map_or(120, |count| count.parse().unwrap())
}

#[derive(Clone)]
struct System {
    tasks: Vec<Task>,
    resources: Vec<Resource>,
    platform: Platform,
}

/// Two to four processors, two to nine tasks, periods that let many jobs meet; local resources only if `local`.
fn system(seed: u64, scheduler: &str, local: bool, nests: Nests) -> System {
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
            section(&mut random, &mut program, resources.len() as u64, nests);
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
        tasks.iter_mut().enumerate().for_each(|(rank, task)| task.fixed_priority = rank as u32);
    }
    System { tasks, resources, platform }
}

/// Whether the next resource may be requested inside a section of this one.
type Nests = fn(ResourceId) -> bool;

/// The system of this seed for `protocol` under `scheduler`.
fn drawn(seed: u64, protocol: &str, scheduler: &str) -> System {
    let made = find_protocol(protocol).unwrap();
    let local = matches!(made.reach, schedlab_lock::Reach::Local) || protocol == "pip";
    let nests: Nests = match protocol {
        "fmlp" => |outer| LENGTHS[outer.index()] == Length::Long,
        _ if local && made.waiting == Waiting::Never => |_| true,
        _ => |_| false,
    };
    suited(system(seed, scheduler, local, nests), seed, protocol)
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

fn section(random: &mut Random, program: &mut Vec<Step>, resources: u64, nests: Nests) {
    let resource = ResourceId(random.below(resources) as u32);
    program.push(Step::Request(resource, 1));
    program.push(Step::Execute(Work::from_ns(1 + random.below(4))));
    let inner = ResourceId(resource.0 + 1);
    if nests(resource) && u64::from(inner.0) < resources && random.below(3) == 0 {
        program.push(Step::Request(inner, 1));
        program.push(Step::Execute(Work::from_ns(1 + random.below(2))));
        program.push(Step::Release(inner, 1));
    }
    program.push(Step::Release(resource, 1));
}

fn analysis(system: &System, protocol: &str, scheduler: &str) -> Analysis {
    let ranks: Vec<u32> = system.tasks.iter().map(|task| task.fixed_priority).collect();
    let order = if scheduler.ends_with("EDF") { AnalysedOrder::Edf } else { AnalysedOrder::FixedPriority };
    let (ranks, arrivals) = (&ranks[..], Arrivals::Sporadic);
    let scheduler = AnalysedScheduler { order, preemptive: true, ranks, points: &[], arrivals };
    let (class, resources) = (find_protocol(protocol).unwrap().class, &system.resources);
    let locking =
        Locking { protocol, class, resources, short: &SHORT, attempts: &[], fails: &[], mutexes: &[] };
    analyze_with_locks(&system.tasks, &system.platform, &scheduler, locking, PROGRAMS, Show::Nothing).unwrap()
}

/// By job: time spent waiting for resources, or on operations in vain; by task: the longest response time.
struct Seen {
    waited: Vec<(JobId, u64)>,
    responses: Vec<u64>,
    missed: bool,
}

fn seen(timeline: &Timeline, tasks: &[Task]) -> Seen {
    let mut since = std::collections::BTreeMap::new();
    let mut waited = std::collections::BTreeMap::new();
    let mut commits = std::collections::BTreeMap::new();
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
            Record::Commit { job, .. } => *commits.entry(*job).or_insert(0) += 1,
            Record::Retry { job, .. } => {
                let operation = commits.get(job).copied().unwrap_or(0);
                *waited.entry(*job).or_insert(0) += section_length(&tasks[job.task.index()], operation);
            }
            Record::Complete { job } => {
                let task = &tasks[job.task.index()];
                let arrival = task.offset.as_ns() + u64::from(job.number) * task.period.as_ns();
                let response = &mut seen.responses[job.task.index()];
                *response = (at.as_ns() - arrival).max(*response);
            }
            Record::Miss { .. } => seen.missed = true,
            _ => {}
        }
    }
    seen.waited = waited.into_iter().collect();
    seen
}

/// How long the section at this place of the task's program takes.
fn section_length(task: &Task, place: usize) -> u64 {
    let begins = |step: &Step| matches!(step, Step::Request(..));
    let begin =
        task.program.iter().enumerate().filter(|(_, step)| begins(step)).nth(place).expect("it is there").0;
    match task.program[begin + 1] {
        Step::Execute(work) => work.as_ns(),
        _ => panic!("a section executes"),
    }
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
    compare_system(&drawn(seed, case.0, case.1), seed, case, power);
}

fn compare_system(system: &System, seed: u64, case: &(&str, &str, bool), power: &mut Power) {
    let (protocol, scheduler, waits_count) = *case;
    let analysis = analysis(system, protocol, scheduler);
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
            let (bound, method) = (blocking.terms[job.task.index()].remote.unwrap(), blocking.method);
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

/// The system of this seed with releases at ticks, of which there are three or more in each period.
fn at_ticks(seed: u64, case: &(&str, &str, bool)) -> System {
    let mut system = drawn(seed, case.0, case.1);
    let shortest = system.tasks.iter().map(|task| task.period.as_ns()).min().unwrap_or(1);
    system.platform.releases = ReleasePoint::Tick;
    system.platform.quantum = Duration::from_ns(1 + Random(seed ^ 0x71C5).below(shortest.div_ceil(3)));
    system
}

/// Jobs that arrive between ticks are released late, and closer together.
#[test]
fn releases_at_ticks_exceed_no_bound() {
    for case in CASES {
        let mut power = Power::default();
        for seed in 0..systems() {
            compare_system(&at_ticks(seed, case), seed, case, &mut power);
        }
        println!("{} {} at ticks: {power:?} of {}", case.0, case.1, systems());
        assert!(power.accepted * 40 > systems(), "{case:?}: only {power:?}");
    }
}

/// Bounds for releases by timer do not hold at ticks.
#[test]
fn bounds_without_ticks_are_exceeded_at_ticks() {
    for case in CASES.iter().filter(|case| matches!(case.0, "srp" | "msrp" | "omlp")) {
        let exceeds = |seed: u64| {
            let ticking = at_ticks(seed, case);
            let by_timer = Platform { releases: ReleasePoint::Timer, ..ticking.platform.clone() };
            let timely = System { platform: by_timer, ..ticking.clone() };
            let analysis = analysis(&timely, case.0, case.1);
            let setup = ideal(ticking.tasks.clone(), ticking.platform.clone(), 5_000);
            let run = run_locked(setup, &ticking.resources, case.1, maker(case.0));
            let longest = seen(&run, &ticking.tasks).responses;
            let bounds = analysis.response_times.iter().map(|bound| bound.map_or(u64::MAX, Duration::as_ns));
            longest.into_iter().zip(bounds).any(|(longest, bound)| longest > bound)
        };
        assert!((0..400).any(exceeds), "{case:?}");
    }
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
        let has_program =
            matches!((case.0, case.1), ("msrp" | "mpcp" | "mpcp-all" | "fmlp+" | "dflp", "P-FP"));
        assert_eq!(power.by_program > 0, has_program, "{case:?}: {power:?}");
        // Among few systems there may be none that only the program proves.
        let few = systems() < 1_000;
        assert!(
            !has_program || few || power.by_program_only > 0,
            "{case:?}: no program proves more, {power:?}"
        );
    }
}

/// Each term matters: without it, some run takes longer than the response time that then results.
#[test]
fn dropped_terms_are_noticed() {
    type Drop = fn(&mut Terms);
    let drops: [(&str, Drop); 2] =
        [("remote", |terms| terms.remote = Some(0)), ("local", |terms| terms.local = 0)];
    let waits = [
        ("msrp", Spins),
        ("mpcp", Suspends),
        ("mpcp-all", Suspends),
        ("fmlp+", Suspends),
        ("dpcp", Suspends),
        ("mrsp", Spins),
    ];
    for (protocol, waiting) in waits {
        for (name, drop) in drops {
            let noticed = (0..600).any(|seed| exceeds_without(seed, protocol, waiting, drop));
            assert!(noticed, "{protocol} without the {name} term");
        }
    }
}

/// Whether a run takes longer than the response times with weakened terms.
fn exceeds_without(seed: u64, protocol: &str, waiting: InResponse, drop: fn(&mut Terms)) -> bool {
    let system = system(seed, "P-FP", false, |_| false);
    let Some(blocking) = analysis(&system, protocol, "P-FP").blocking else { return false };
    let mut terms = blocking.terms;
    terms.iter_mut().for_each(drop);
    let ranks: Vec<u32> = system.tasks.iter().map(|task| task.fixed_priority).collect();
    let sharing =
        derive(&system.tasks, &system.resources, &system.platform, &ranks, Sections::Each, Lengths::ALIKE)
            .unwrap();
    let bounds = with_terms(&sharing, &terms, waiting);
    let setup = ideal(system.tasks.clone(), system.platform.clone(), 5_000);
    let timeline = run_locked(setup, &system.resources, "P-FP", find_protocol(protocol).unwrap().make);
    let seen = seen(&timeline, &system.tasks);
    seen.responses.iter().zip(bounds).any(|(response, bound)| bound.is_some_and(|bound| *response > bound))
}
