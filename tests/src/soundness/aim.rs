//! Random systems near the breakdown of one test.

use super::judge::accepts;
use crate::draw::{overheads, pick};
use crate::system::{Arrivals, Costs, Lateness, Order, System};
use schedlab_analysis::{registry, Test};
use schedlab_model::{
    Alignment, ClusterId, Duration, Instant, Overheads, Platform, ReleasePoint, Step, Suspension, Task, Work,
};
use schedlab_workload::Random;

/// Relative deadlines, as against periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deadlines {
    Implicit,
    Constrained,
    Arbitrary,
}

/// The systems that a test is about.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// The test's name.
    pub test: &'static str,
    orders: &'static [Order],
    preemptive: bool,
    /// More than one processor per cluster.
    multiprocessor: bool,
    deadlines: Deadlines,
    /// Jitter and self-suspension.
    disturbed: bool,
    /// Self-suspension, where disturbed.
    suspends: bool,
    /// Explores a whole hyperperiod: small numbers, arrivals that are periodic, and no overheads.
    explores: bool,
}

impl Aim {
    /// Whether the test is aimed at with overheads, too.
    pub fn bears_overheads(&self) -> bool {
        !self.explores
    }
}

const EDF: &[Order] = &[Order::Edf];
const FIXED: &[Order] = &[Order::Rm, Order::Dm, Order::Fp];

/// Of tests of tardiness.
const POINTS: &[Order] = &[Order::Edf, Order::Fifo, Order::Fl];

const fn uniprocessor(test: &'static str, orders: &'static [Order], deadlines: Deadlines) -> Aim {
    Aim { multiprocessor: false, ..multiprocessor(test, orders, deadlines) }
}

const fn multiprocessor(test: &'static str, orders: &'static [Order], deadlines: Deadlines) -> Aim {
    Aim {
        test,
        orders,
        preemptive: true,
        multiprocessor: true,
        deadlines,
        disturbed: true,
        suspends: true,
        explores: false,
    }
}

const fn exploring(test: &'static str, multiprocessor: bool) -> Aim {
    Aim { explores: true, multiprocessor, ..nonpreemptive(test, &Order::ALL) }
}

const fn nonpreemptive(test: &'static str, orders: &'static [Order]) -> Aim {
    Aim { preemptive: false, suspends: false, ..uniprocessor(test, orders, Deadlines::Arbitrary) }
}

/// Every test that accepts systems.
pub const AIMS: &[Aim] = &[
    multiprocessor("one_processor_each", &Order::ALL, Deadlines::Constrained),
    uniprocessor("edf_utilization", EDF, Deadlines::Implicit),
    uniprocessor("qpa", EDF, Deadlines::Arbitrary),
    uniprocessor("edf_response_time", EDF, Deadlines::Arbitrary),
    nonpreemptive("np_edf_demand", EDF),
    nonpreemptive("np_edf_response_time", EDF),
    uniprocessor("liu_layland", &[Order::Rm], Deadlines::Implicit),
    uniprocessor("hyperbolic", &[Order::Rm], Deadlines::Implicit),
    uniprocessor("response_time", FIXED, Deadlines::Arbitrary),
    uniprocessor("suspension_aware", FIXED, Deadlines::Constrained),
    nonpreemptive("np_response_time", FIXED),
    multiprocessor("gfb", EDF, Deadlines::Constrained),
    multiprocessor("baker", EDF, Deadlines::Constrained),
    multiprocessor("bcl", EDF, Deadlines::Constrained),
    multiprocessor("bcl_iterative", EDF, Deadlines::Constrained),
    multiprocessor("bertogna_cirinei_edf", EDF, Deadlines::Constrained),
    multiprocessor("baruah", EDF, Deadlines::Constrained),
    multiprocessor("liu_anderson", EDF, Deadlines::Constrained),
    multiprocessor("ff_dbf", EDF, Deadlines::Constrained),
    multiprocessor("load", EDF, Deadlines::Arbitrary),
    multiprocessor("bertogna_cirinei_fp_no_slack", FIXED, Deadlines::Constrained),
    multiprocessor("bertogna_cirinei_fp", FIXED, Deadlines::Constrained),
    multiprocessor("guan", FIXED, Deadlines::Constrained),
    multiprocessor("devi_anderson", EDF, Deadlines::Implicit),
    Aim {
        preemptive: false,
        disturbed: false,
        ..multiprocessor("devi_anderson_np", EDF, Deadlines::Implicit)
    },
    multiprocessor("compliant_vector", POINTS, Deadlines::Arbitrary),
    exploring("schedule_abstraction", false),
    exploring("schedule_abstraction_global", true),
];

/// Tests that are not aimed at: those of Pfair schedulers, which [`super::examine_pfair`] examines, and those that accept nothing.
pub const ELSEWHERE: &[&str] = &["pfair", "pfair_periodic", "pfair_lateness", "overload", "overload_soft"];

/// A system near the breakdown of a test.
#[derive(Clone, Debug)]
pub struct Aimed {
    /// The system.
    pub system: System,
    /// The place of the test in [`AIMS`].
    pub aim: usize,
    /// The test accepts, and the costs are at least 90% of where it ceases to.
    pub near_breakdown: bool,
    /// The horizon is two hyperperiods, so that whatever recurs has occurred.
    whole: bool,
}

/// Costs are scaled in parts of this.
const WHOLE: u64 = 1_000;

/// Systems drawn until the test accepts one.
const TRIES: usize = 6;

/// Case `index` of `seed`.
pub fn aim(seed: u64, index: u64) -> Aimed {
    let mut random = Random::new(seed, *b"TestAims", index);
    let at = (index % AIMS.len() as u64) as usize;
    let with_overheads = AIMS[at].bears_overheads() && index / AIMS.len() as u64 % 2 == 1;
    let test = registry::find(AIMS[at].test).expect("a test of this name");
    let mut draw = || {
        let base = base_system(&AIMS[at], with_overheads, &mut random);
        let breakdown = breakdown(test, &base);
        (base, breakdown)
    };
    let (mut base, mut breakdown) = draw();
    // A set that the test refuses whatever its costs tries nothing of it.
    for _ in 1..TRIES {
        if breakdown > 0 {
            break;
        }
        (base, breakdown) = draw();
    }
    let scale = match random.below(10) {
        0..=4 => breakdown,
        5..=7 => random.between((breakdown * 9).div_ceil(10), breakdown),
        _ => random.between(breakdown / 2, breakdown * 5 / 4),
    };
    let mut system = scaled(&base, scale);
    let near_breakdown = scale * 10 >= breakdown * 9 && breakdown > 0 && accepts(test, &system);
    let whole = set_horizon(&mut system);
    Aimed { system, aim: at, near_breakdown, whole }
}

impl Aimed {
    /// Whether the run holds the worst case of exact tests: all at once, all that they may need, no
    /// overheads, long enough, and not more than the processors can do, so that the miss comes early.
    pub fn is_worst_case(&self) -> bool {
        let system = &self.system;
        let plain = |task: &Task| {
            task.offset == Instant::ZERO && task.jitter.is_zero() && task.suspension_bound().is_zero()
        };
        self.whole
            && system.overheads.are_none()
            && system.arrivals == Arrivals::Periodic
            && system.costs == Costs::Worst
            && system.tasks.iter().all(plain)
            && (0..system.platform.clusters.len()).all(|cluster| fits(system, cluster))
    }
}

/// Whether a cluster's utilization is at most its processors, and each task's at most 1: an overload may take longer than two hyperperiods to
/// make a job late whose deadline is far.
fn fits(system: &System, cluster: usize) -> bool {
    let here = system.tasks.iter().filter(|task| task.cluster.index() == cluster);
    if here.clone().any(|task| task.wcet.as_ns() > task.period.as_ns()) {
        return false;
    }
    let Some(hyperperiod) = hyperperiod(&system.tasks) else { return false };
    let work: u64 = here.map(|task| task.wcet.as_ns() * (hyperperiod / task.period.as_ns())).sum();
    work <= hyperperiod * system.platform.clusters[cluster].cpus.len() as u64
}

/// The largest scale at which `test` accepts, if acceptance is monotone; a boundary of acceptance anyway.
fn breakdown(test: &Test, base: &System) -> u64 {
    let (mut good, mut bad) = (0, 4 * WHOLE);
    while bad - good > 1 {
        let middle = (good + bad) / 2;
        match accepts(test, &scaled(base, middle)) {
            true => good = middle,
            false => bad = middle,
        }
    }
    good
}

/// `base` with costs of `scale` thousandths, at least a nanosecond.
fn scaled(base: &System, scale: u64) -> System {
    let mut system = base.clone();
    for task in &mut system.tasks {
        let shrink = |work: Work| Work::from_ns((work.as_ns() * scale / WHOLE).max(1));
        let mut sum = Work::ZERO;
        for step in &mut task.program {
            if let Step::Execute(work) = step {
                *work = shrink(*work);
                sum += *work;
            }
        }
        task.wcet = if task.program.is_empty() { shrink(task.wcet) } else { sum };
        task.bcet = if task.bcet.is_zero() { Work::ZERO } else { task.wcet };
    }
    system
}

fn base_system(aim: &Aim, with_overheads: bool, random: &mut Random) -> System {
    let (scope, platform) = machine(aim, random);
    let clusters = platform.clusters.len() as u64;
    let small = aim.explores || !with_overheads && random.below(2) == 0;
    let mut tasks = Vec::new();
    for cluster in 0..clusters {
        let processors = platform.clusters[cluster as usize].cpus.len() as u64;
        let count = match aim.test {
            "one_processor_each" => random.between(1, processors),
            // States multiply with each task.
            _ if aim.explores => random.between(1, processors + 3),
            _ if aim.multiprocessor => random.between(processors + 1, 3 * processors + 3),
            _ => random.between(1, 8),
        };
        let recipe = Recipe { aim, count, processors, small, with_overheads };
        add_cluster(&recipe, ClusterId(cluster as u16), random, &mut tasks);
    }
    random.shuffle(&mut tasks);
    let mut system = System {
        tasks,
        platform,
        scope,
        order: *pick(random, aim.orders),
        preemptive: aim.preemptive || (aim.test == "one_processor_each" && random.below(2) == 0),
        overheads: Overheads::default(),
        arrivals: Arrivals::Periodic,
        lateness: Lateness::Random,
        costs: Costs::Worst,
        seed: random.bits(),
        horizon: Instant::NEVER,
    };
    if random.below(8) == 0 {
        system.platform.releases = ReleasePoint::Tick;
        system.platform.quantum = Duration::from_ns(if small { 1 } else { random.between(100, 10_000) });
        system.platform.alignment = *pick(random, &[Alignment::Aligned, Alignment::Staggered]);
    }
    arrive(&mut system, random);
    if aim.explores {
        system.arrivals = Arrivals::Periodic;
        // Known costs: the only schedule is the one that is simulated.
        if random.below(2) == 0 {
            system.costs = Costs::Worst;
            system.tasks.iter_mut().for_each(|task| task.bcet = task.wcet);
        }
    }
    if with_overheads {
        let shortest = system.tasks.iter().map(|task| task.period.as_ns()).min().expect("some task");
        overheads(random, shortest / 200, &mut system);
        system.platform.quantum = Duration::from_ns(random.between(shortest / 20, shortest));
        system.platform.alignment = *pick(random, &[Alignment::Aligned, Alignment::Staggered]);
    }
    system
}

fn machine(aim: &Aim, random: &mut Random) -> (char, Platform) {
    match aim.multiprocessor {
        false => {
            let processors = *pick(random, &[1, 1, 1, 2]);
            ('P', Platform::partitioned(processors))
        }
        true if random.below(4) == 0 => ('C', Platform::clustered(4, 2)),
        true => ('G', Platform::global(random.between(2, 6) as u16)),
    }
}

/// What one cluster's tasks are like.
struct Recipe<'a> {
    aim: &'a Aim,
    count: u64,
    processors: u64,
    small: bool,
    with_overheads: bool,
}

/// Adds tasks whose utilizations are random parts of the cluster's processors.
fn add_cluster(recipe: &Recipe<'_>, cluster: ClusterId, random: &mut Random, tasks: &mut Vec<Task>) {
    let parts: Vec<u64> = (0..recipe.count).map(|_| random.between(1, 1_000)).collect();
    let whole: u64 = parts.iter().sum();
    let disturbed = recipe.aim.disturbed && random.below(2) == 0;
    for part in parts {
        let period = match (recipe.small, recipe.aim.explores) {
            (_, true) => *pick(random, &[2, 3, 4, 5, 6, 8, 10, 12]),
            (true, false) => *pick(random, &[2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60]),
            (false, false) => random.between(20_000, 400_000),
        };
        let wcet = (period * recipe.processors * part / whole).clamp(1, period);
        let relative_deadline = match recipe.aim.deadlines {
            Deadlines::Implicit => period,
            _ if random.below(4) == 0 => period,
            Deadlines::Arbitrary if random.below(2) == 0 => random.between(period, 3 * period),
            Deadlines::Constrained | Deadlines::Arbitrary => random.between(period.div_ceil(2), period),
        };
        let (period, relative_deadline) = (Duration::from_ns(period), Duration::from_ns(relative_deadline));
        let mut task = Task::constrained(Work::from_ns(wcet), period, relative_deadline);
        task.cluster = cluster;
        task.fixed_priority = random.below(5) as u32;
        task.working_set = random.below(2_000);
        if disturbed {
            disturb(&mut task, recipe, random);
        }
        tasks.push(task);
    }
}

/// Adds jitter and self-suspension, or neither. No test accepts dynamic self-suspension with overheads.
fn disturb(task: &mut Task, recipe: &Recipe<'_>, random: &mut Random) {
    let part = |random: &mut Random| Duration::from_ns(random.between(0, task.period.as_ns() / 5));
    if random.below(3) == 0 {
        task.jitter = part(random);
    }
    if !recipe.aim.suspends {
        return;
    }
    match random.below(4) {
        0 if !recipe.with_overheads => task.suspension = Suspension::Dynamic(part(random)),
        0 | 1 if task.wcet.as_ns() > 1 => {
            let pause = part(random);
            let first = random.between(1, task.wcet.as_ns() - 1);
            let rest = Step::Execute(Work::from_ns(task.wcet.as_ns() - first));
            let first = Step::Execute(Work::from_ns(first));
            if !pause.is_zero() {
                task.suspension = Suspension::Segmented;
                task.program = vec![first, Step::Suspend(pause), rest];
            }
        }
        _ => {}
    }
}

/// Synchronous, offset, sporadic or adversarial.
fn arrive(system: &mut System, random: &mut Random) {
    let below = *pick(random, &[Costs::Worst, Costs::Below]);
    match random.below(4) {
        0 => system.lateness = Lateness::FirstOnly,
        1 => {
            system.costs = below;
            for task in &mut system.tasks {
                task.offset = Instant::from_ns(random.below(task.period.as_ns()));
            }
        }
        2 => {
            system.costs = below;
            system.arrivals = Arrivals::Sporadic;
        }
        _ => attack(system, random),
    }
}

/// One victim: the others' deadlines coincide with its own, as far as their first arrivals allow, or they all arrive with it but
/// the longest, which begins just before.
fn attack(system: &mut System, random: &mut Random) {
    system.lateness = Lateness::FirstOnly;
    let longest = system.tasks.iter().map(|task| task.period.as_ns() + task.jitter.as_ns()).max();
    let longest = longest.expect("some task");
    if random.below(2) == 0 {
        let victim = random.below(system.tasks.len() as u64) as usize;
        let due = longest + system.tasks[victim].relative_deadline.as_ns();
        for task in &mut system.tasks {
            let until = (due - due.min(task.relative_deadline.as_ns())) % task.period.as_ns();
            task.offset = Instant::from_ns(until);
        }
    } else {
        // First releases coincide, as late as jitter allows.
        let costliest = system.tasks.iter().map(|task| task.wcet).max().expect("some task");
        for task in &mut system.tasks {
            let early = task.jitter.as_ns() + u64::from(task.wcet == costliest);
            task.offset = Instant::from_ns(longest + 1 - early);
        }
    }
}

fn hyperperiod(tasks: &[Task]) -> Option<u64> {
    tasks.iter().try_fold(1u64, |all, task| {
        let period = task.period.as_ns();
        (all / gcd(all, period)).checked_mul(period)
    })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

/// Two hyperperiods after the last first arrival, or 1,000 longest periods. True for the former.
fn set_horizon(system: &mut System) -> bool {
    let most = |of: fn(&Task) -> u64| system.tasks.iter().map(of).max().expect("some task");
    let thousand = 1_000 * most(|task| task.period.as_ns());
    let start = most(|task| task.offset.as_ns() + task.relative_deadline.as_ns());
    let twice = hyperperiod(&system.tasks).and_then(|once| once.checked_mul(2)?.checked_add(start));
    let whole = twice.filter(|twice| *twice <= thousand);
    system.horizon = Instant::from_ns(whole.unwrap_or(thousand));
    whole.is_some()
}
