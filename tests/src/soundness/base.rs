//! A random system that a test is about, with any costs: the aim scales them.

use super::aim::{Aim, Deadlines};
use super::arrive;
use crate::draw::{overheads, pick};
use crate::system::{Arrivals, Costs, Lateness, System};
use schedlab_model::{
    Alignment, ClusterId, Duration, Instant, Overheads, Platform, ReleasePoint, Step, Suspension, Task, Work,
};
use schedlab_workload::Random;

/// What lengths of time are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    /// A few nanoseconds, so that everything coincides.
    Small,
    /// Periods are multiples of this, so that a hyperperiod is soon over; nothing else is.
    Grid(u64),
    /// Nothing coincides: the run sees a thousand longest periods, each with other distances of arrivals.
    Wild,
}

impl Numbers {
    fn draw(aim: &Aim, with_overheads: bool, random: &mut Random) -> Numbers {
        match random.below(32) {
            _ if aim.explores => Numbers::Small,
            // These runs take most of the time.
            0 => Numbers::Wild,
            1..=16 if !with_overheads => Numbers::Small,
            _ => Numbers::Grid(random.between(2_000, 20_000)),
        }
    }

    fn period(self, explores: bool, random: &mut Random) -> u64 {
        const FEW: [u64; 8] = [2, 3, 4, 5, 6, 8, 10, 12];
        const MANY: [u64; 14] = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60];
        match self {
            Numbers::Small if explores => *pick(random, &FEW),
            Numbers::Small => *pick(random, &MANY),
            Numbers::Grid(unit) => unit * *pick(random, &MANY),
            Numbers::Wild => random.between(50_000, 400_000),
        }
    }
}

/// A system that `aim` is about. Its horizon is not set.
pub(super) fn base_system(aim: &Aim, with_overheads: bool, random: &mut Random) -> System {
    let (scope, platform) = machine(aim, random);
    let clusters = platform.clusters.len() as u64;
    let numbers = Numbers::draw(aim, with_overheads, random);
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
        let recipe = Recipe { aim, count, processors, numbers, with_overheads };
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
        system.platform.quantum = Duration::from_ns(match numbers {
            Numbers::Small => 1,
            Numbers::Grid(_) | Numbers::Wild => random.between(100, 10_000),
        });
        system.platform.alignment = *pick(random, &[Alignment::Aligned, Alignment::Staggered]);
    }
    arrive::draw(&mut system, random);
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
        system.platform.quantum = Duration::from_ns(random.between(shortest / 4, 2 * shortest));
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
    numbers: Numbers,
    with_overheads: bool,
}

/// Adds tasks whose utilizations are random parts of the cluster's processors.
fn add_cluster(recipe: &Recipe<'_>, cluster: ClusterId, random: &mut Random, tasks: &mut Vec<Task>) {
    let parts: Vec<u64> = (0..recipe.count).map(|_| random.between(1, 1_000)).collect();
    let whole: u64 = parts.iter().sum();
    let disturbed = recipe.aim.disturbed && random.below(2) == 0;
    for part in parts {
        let period = recipe.numbers.period(recipe.aim.explores, random);
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
