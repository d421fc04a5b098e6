//! Random systems. System `index` of a seed depends on nothing else.

use crate::system::{Arrivals, Costs, Lateness, Order, System};
use schedlab_model::{
    Alignment, ClusterId, Cost, Duration, Instant, OverheadKind, Overheads, Platform, ReleasePoint, Step,
    Suspension, Task, Work,
};
use schedlab_workload::Random;

/// How long periods are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// A few nanoseconds, so that everything coincides.
    Small,
    /// Up to a fifth of a millisecond, so that nothing does.
    Large,
}

/// Any system without overheads.
pub fn any(seed: u64, index: u64, scale: Scale) -> System {
    let mut random = Random::new(seed, *b"TestDraw", index);
    let random = &mut random;
    let (scope, platform) = machine(random, 4);
    let count = random.between(1, 7);
    let tasks: Vec<Task> = (0..count).map(|_| task(random, scale, platform.clusters.len())).collect();
    let longest = tasks.iter().map(|task| task.period.as_ns()).max().unwrap_or(1);
    let mut platform = platform;
    if random.below(4) == 0 {
        platform.releases = ReleasePoint::Tick;
        platform.quantum = Duration::from_ns(random.between(1, longest));
    }
    System {
        horizon: Instant::from_ns(longest * random.between(3, 12) + random.below(longest)),
        tasks,
        platform,
        scope,
        order: *pick(random, &Order::ALL),
        preemptive: random.below(3) > 0,
        overheads: Overheads::default(),
        arrivals: *pick(random, &[Arrivals::Periodic, Arrivals::Sporadic]),
        lateness: *pick(random, &[Lateness::Random, Lateness::FirstOnly]),
        costs: *pick(random, &[Costs::Worst, Costs::Below]),
        seed: random.bits(),
    }
}

/// Any system, with overheads, releases at timers or ticks, aligned or staggered quanta.
pub fn with_overheads(seed: u64, index: u64, scale: Scale) -> System {
    let mut system = any(seed, index, scale);
    let mut random = Random::new(seed, *b"TestOver", index);
    let shortest = system.tasks.iter().map(|task| task.period.as_ns()).min().unwrap_or(1);
    let most = match scale {
        Scale::Small => 2,
        Scale::Large => shortest / 20,
    };
    overheads(&mut random, most, &mut system);
    let quantum = random.between(2 * most + 1, (4 * shortest).max(2 * most + 2));
    system.platform.quantum = Duration::from_ns(quantum);
    system.platform.alignment = *pick(&mut random, &[Alignment::Aligned, Alignment::Staggered]);
    system.platform.releases = *pick(&mut random, &[ReleasePoint::Timer, ReleasePoint::Tick]);
    system
}

/// Each kind that the simulator charges is absent or constant, linear or by working set.
pub fn overheads(random: &mut Random, most: u64, system: &mut System) {
    let kinds = [
        OverheadKind::Release,
        OverheadKind::Scheduling,
        OverheadKind::ContextSwitch,
        OverheadKind::Tick,
        OverheadKind::Ipi,
        OverheadKind::CacheRelatedPreemption,
        OverheadKind::CacheRelatedMigration,
    ];
    for kind in kinds {
        let by_size =
            matches!(kind, OverheadKind::CacheRelatedPreemption | OverheadKind::CacheRelatedMigration);
        let length = |random: &mut Random| Duration::from_ns(random.between(0, most));
        let cost = match random.below(4) {
            0 => Cost::default(),
            1 if by_size => {
                let (low, high) = (length(random), length(random));
                Cost::ByWorkingSet(vec![(0, low.min(high)), (1024, low.max(high))])
            }
            2 => Cost::Linear { base: length(random), per_task_ps: random.between(0, most * 100) },
            _ => Cost::Constant(length(random)),
        };
        system.overheads.set(kind, cost.into());
    }
}

/// One of `choices`.
pub fn pick<'a, T>(random: &mut Random, choices: &'a [T]) -> &'a T {
    &choices[random.below(choices.len() as u64) as usize]
}

fn machine(random: &mut Random, most: u64) -> (char, Platform) {
    let processors = random.between(1, most) as u16;
    match random.below(3) {
        0 => ('P', Platform::partitioned(processors)),
        1 => ('C', Platform::clustered(processors, random.between(1, 3) as u16)),
        _ => ('G', Platform::global(processors)),
    }
}

fn task(random: &mut Random, scale: Scale, clusters: usize) -> Task {
    let period = match scale {
        Scale::Small => random.between(1, 12),
        Scale::Large => random.between(10_000, 200_000),
    };
    let most = *pick(random, &[period, period.div_ceil(2), period.div_ceil(4)]);
    let wcet = random.between(1, most);
    let relative_deadline = match random.below(3) {
        0 => period,
        1 => random.between(1, period),
        _ => random.between(1, 3 * period),
    };
    let duration = Duration::from_ns;
    let mut task = Task::constrained(Work::from_ns(wcet), duration(period), duration(relative_deadline));
    task.fixed_priority = random.below(4) as u32;
    task.cluster = ClusterId(random.below(clusters as u64) as u16);
    task.working_set = random.below(2_000);
    if random.below(2) == 0 {
        task.offset = Instant::from_ns(random.below(period + 1));
    }
    if random.below(3) == 0 {
        task.jitter = duration(random.between(0, period));
    }
    if random.below(8) == 0 {
        task.join = Instant::from_ns(random.below(2 * period) + 1);
        task.leave = Instant::from_ns(task.join.as_ns() + random.below(5 * period));
    }
    match random.below(4) {
        0 => task.suspension = Suspension::Dynamic(duration(random.between(0, period))),
        1 => {
            task.suspension = Suspension::Segmented;
            task.program = program(random, wcet, period);
        }
        _ => {}
    }
    task
}

/// Up to six steps of execution, self-suspension and sections, whose execution adds up to `wcet`.
fn program(random: &mut Random, wcet: u64, period: u64) -> Vec<Step> {
    let (mut steps, mut left, mut inside) = (Vec::new(), wcet, 0);
    for _ in 0..random.between(1, 6) {
        match random.below(5) {
            0 | 1 => {
                let piece = random.between(0, left);
                left -= piece;
                steps.push(Step::Execute(Work::from_ns(piece)));
            }
            2 if inside == 0 => steps.push(Step::Suspend(Duration::from_ns(random.between(1, period)))),
            3 if inside > 0 => {
                inside -= 1;
                steps.push(Step::NpExit);
            }
            _ => {
                inside += 1;
                steps.push(Step::NpEnter);
            }
        }
    }
    if left > 0 {
        steps.push(Step::Execute(Work::from_ns(left)));
    }
    steps.extend((0..inside).map(|_| Step::NpExit));
    steps
}
