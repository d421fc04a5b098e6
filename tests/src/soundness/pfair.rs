//! Pfair schedulers against what analysis says of them: random task sets that fill their processors.
//!
//! Arrivals at quantum boundaries and between them, periodic and sporadic, with jitter, releases at timers and at
//! ticks, deadlines of all kinds, quanta aligned and staggered, plain weights and guaranteed ones, with and without
//! overheads. No set that is called schedulable misses, no bound is exceeded.

mod charge;

pub use charge::Charge;

use self::charge::one_dear_kind;
use super::observe::Observed;
use crate::draw::{overheads, pick};
use crate::pfair_schedulers::NAMES;
use crate::run;
use crate::source::Jobs;
use crate::system::{Arrivals, Costs, Lateness, Order, System};
use schedlab_analysis::pfair::{fits, reserve, Share};
use schedlab_analysis::{self as analysis, analyze, Analysis, Answer, Quanta};
use schedlab_model::{
    Alignment, Duration, Instant, OrderClass, Overheads, Platform, ReleasePoint, Task, Work,
};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Policy};
use schedlab_sim::{simulate, NoLocks};
use schedlab_workload::Random;
use std::fmt;

/// A drawn system, its scheduler, and its tasks as seen by analysis and by the policy.
#[derive(Debug)]
struct Case {
    system: System,
    scheduler: usize,
    guaranteed: bool,
    affinity: Affinity,
    /// With overheads.
    inflated: Vec<Task>,
    told: Vec<Task>,
    /// The weights add up to at least 95% of the processors.
    is_full: bool,
}

/// What happened under one scheduler, without or with overheads.
#[derive(Clone, Debug, Default)]
pub struct PfairRow {
    /// Sets simulated.
    pub sets: u64,
    /// Of these, how many had weights of at least 95% of the processors.
    pub full: u64,
    /// Of these, how many were called schedulable.
    pub accepted: u64,
    /// Sets of which not all deadlines are proved, and some were missed.
    pub late: u64,
    /// The largest quotient of a response time and its bound.
    pub largest: f64,
    /// The largest tardiness, in thousandths of a quantum.
    pub tardiness: u64,
}

/// One row by scheduler, in the order of [`NAMES`]; first without, then with overheads.
#[derive(Clone, Debug)]
pub struct PfairPower {
    /// See above.
    pub rows: Vec<[PfairRow; 2]>,
}

impl Default for PfairPower {
    fn default() -> Self {
        PfairPower { rows: vec![Default::default(); NAMES.len()] }
    }
}

impl PfairPower {
    /// Takes over what another thread found.
    pub fn merge(&mut self, other: &PfairPower) {
        for (row, more) in self.rows.iter_mut().flatten().zip(other.rows.iter().flatten()) {
            row.sets += more.sets;
            row.full += more.full;
            row.accepted += more.accepted;
            row.late += more.late;
            row.largest = row.largest.max(more.largest);
            row.tardiness = row.tardiness.max(more.tardiness);
        }
    }
}

const QUANTUM: u64 = 1_000;

/// Examines case `index` of `seed`.
pub fn examine_pfair(seed: u64, index: u64, power: &mut PfairPower) -> Result<(), String> {
    examine_pfair_charged(Charge::All, seed, index, power)
}

/// Whether the machine of this case takes time for itself.
pub fn has_overheads(index: u64) -> bool {
    index / NAMES.len() as u64 % 3 == 2
}

/// The same if tasks are charged so: too small a charge is refuted in some cases.
pub fn examine_pfair_charged(
    charge: Charge,
    seed: u64,
    index: u64,
    power: &mut PfairPower,
) -> Result<(), String> {
    let Some(case) = draw(seed, index, charge) else { return Ok(()) };
    let found = judge(&case);
    let mut observed = Observed::new(&case.system);
    simulate(run::setup(&case.system), policies(&case), NoLocks, Jobs::new(&case.system), &mut observed);
    let with_overheads = usize::from(!case.system.overheads.are_none());
    let row = &mut power.rows[case.scheduler][with_overheads];
    row.sets += 1;
    row.full += u64::from(case.is_full);
    compare(&found, &observed, row).map_err(|what| {
        let weights = if case.guaranteed { "guaranteed" } else { "plain" };
        format!(
            "{what}\n{} with {weights} weights, affinity {}, told {:?}\n{}",
            NAMES[case.scheduler],
            case.affinity.name(),
            case.told,
            case.system
        )
    })
}

fn compare(found: &Analysis, observed: &Observed, row: &mut PfairRow) -> Result<(), String> {
    let misses: u64 = observed.tasks.iter().map(|task| task.misses).sum();
    let accepted = found.hard == Answer::Schedulable;
    if accepted && misses > 0 {
        return Err(format!("accepted, but {misses} deadlines are missed"));
    }
    row.accepted += u64::from(accepted);
    row.late += u64::from(misses > 0);
    for (index, seen) in observed.tasks.iter().enumerate() {
        row.tardiness = row.tardiness.max(seen.tardiness_max * 1000 / QUANTUM);
        let bounds = [found.response_times[index], found.tardiness[index]];
        for (bound, value) in bounds.into_iter().zip([seen.response_time_max, seen.tardiness_max]) {
            let Some(bound) = bound.map(Duration::as_ns) else { continue };
            if value > bound {
                return Err(format!("T{index} was observed at {value} ns, the bound is {bound} ns"));
            }
            row.largest = row.largest.max(value as f64 / bound.max(1) as f64);
        }
    }
    Ok(())
}

fn policies(case: &Case) -> Vec<Box<dyn Policy>> {
    let platform = &case.system.platform;
    let setup = ClusterSetup {
        cluster: schedlab_model::ClusterId(0),
        cpus: &platform.clusters[0].cpus,
        platform,
        tasks: &case.told,
        affinity: case.affinity,
        supertasks: &[],
        throttling: None,
    };
    let scheduler = find(&NAMES[case.scheduler]).expect("a known name");
    vec![scheduler.policy(&setup).expect("the weights fit")]
}

fn scheduler(system: &System, number: usize, guaranteed: bool) -> analysis::AnalysedScheduler<'static> {
    let class = find(&NAMES[number]).expect("a known name").class();
    let quanta = Quanta {
        length: system.platform.quantum,
        staggered: system.platform.alignment == Alignment::Staggered,
        guaranteed,
        breaks_ties: matches!(class, OrderClass::Pfair { breaks_ties: true, .. }),
    };
    let arrivals = match system.arrivals {
        Arrivals::Periodic => analysis::Arrivals::Periodic,
        Arrivals::Sporadic => analysis::Arrivals::Sporadic,
    };
    analysis::AnalysedScheduler {
        order: analysis::AnalysedOrder::Pfair(quanta),
        preemptive: true,
        ranks: &[],
        points: &[],
        arrivals,
    }
}

fn judge(case: &Case) -> Analysis {
    let scheduler = scheduler(&case.system, case.scheduler, case.guaranteed);
    analyze(&case.inflated, &case.system.platform, &scheduler).expect("a system that can be analysed")
}

/// A system whose weights fit, filled up as far as random tasks do.
fn draw(seed: u64, index: u64, charge: Charge) -> Option<Case> {
    let mut random = Random::new(seed, *b"PfairSet", index);
    let scheduler = (index % NAMES.len() as u64) as usize;
    let mut system = machine(&NAMES[scheduler], &mut random);
    let guaranteed = random.below(2) == 0;
    let mut affinity = Affinity::default();
    if has_overheads(index) {
        overheads(&mut random, QUANTUM / 20, &mut system);
        if random.below(2) == 0 {
            one_dear_kind(&mut random, QUANTUM, &mut system.overheads);
        }
        if random.below(3) == 0 {
            let serves =
                |one: &&Affinity| NAMES[scheduler] != "S-PD2" || one.unsafe_when_staggered().is_none();
            let all: Vec<Affinity> = Affinity::ALL.iter().filter(serves).copied().collect();
            affinity = *pick(&mut random, &all);
        }
    }
    let on_boundaries = random.below(2) == 0;
    let mut kind = Kind {
        on_boundaries,
        jitter: random.below(3) == 0,
        constrained: random.below(3) == 0,
        synchronous: false,
    };
    if NAMES[scheduler] == "PF" && random.below(4) > 0 {
        kind = Kind { on_boundaries: true, jitter: false, synchronous: true, ..kind };
    }
    let mut case = None;
    for _ in 0..30 {
        let task = kind.task(&mut random);
        system.tasks.push(task);
        match fitted(&system, scheduler, guaranteed, (affinity, charge)) {
            Some(fitting) => case = Some(fitting),
            None => drop(system.tasks.pop()),
        }
    }
    case
}

fn machine(name: &str, random: &mut Random) -> System {
    let staggered = name == "S-PD2";
    let platform = Platform {
        quantum: Duration::from_ns(QUANTUM),
        alignment: if staggered { Alignment::Staggered } else { Alignment::Aligned },
        releases: if random.below(4) == 0 { ReleasePoint::Tick } else { ReleasePoint::Timer },
        ..Platform::global(random.between(1, 5) as u16)
    };
    // PF is proved for periodic tasks that use all of their quanta.
    let wild = name != "PF";
    System {
        tasks: Vec::new(),
        platform,
        scope: 'G',
        order: Order::Edf,
        preemptive: true,
        overheads: Overheads::default(),
        arrivals: if wild && random.below(3) == 0 { Arrivals::Sporadic } else { Arrivals::Periodic },
        lateness: *pick(random, &[Lateness::Random, Lateness::FirstOnly]),
        costs: if wild && random.below(3) == 0 { Costs::Below } else { Costs::Worst },
        seed: random.bits(),
        horizon: Instant::from_ns(200 * QUANTUM),
    }
}

/// What the tasks of a system have in common.
struct Kind {
    on_boundaries: bool,
    jitter: bool,
    constrained: bool,
    synchronous: bool,
}

impl Kind {
    fn task(&self, random: &mut Random) -> Task {
        let slots = random.between(1, 14);
        let beyond = if self.on_boundaries { 0 } else { random.below(QUANTUM) };
        let period = slots * QUANTUM + beyond;
        let wcet = random.between(1, slots * QUANTUM);
        let shortest = if self.constrained { period.div_ceil(2).max(QUANTUM) } else { period };
        let longest = if random.below(4) == 0 { 2 * period } else { period };
        let relative_deadline = random.between(shortest.min(longest), longest);
        let (period, relative_deadline) = (Duration::from_ns(period), Duration::from_ns(relative_deadline));
        let mut task = Task::constrained(Work::from_ns(wcet), period, relative_deadline);
        task.working_set = random.below(2_000);
        task.offset = Instant::from_ns(match (self.on_boundaries, random.below(2)) {
            (_, 0) => 0,
            _ if self.synchronous => 0,
            (true, _) => random.below(10) * QUANTUM,
            (false, _) => random.below(10 * QUANTUM),
        });
        if self.jitter {
            task.jitter = Duration::from_ns(random.below(2 * QUANTUM));
        }
        task
    }
}

/// The case of these tasks, if their weights fit.
fn fitted(
    system: &System,
    scheduler_at: usize,
    guaranteed: bool,
    (affinity, charge): (Affinity, Charge),
) -> Option<Case> {
    let inflated = charge.inflated(system, affinity)?;
    let late = match system.platform.releases {
        ReleasePoint::Timer => Duration::ZERO,
        ReleasePoint::Tick => system.platform.quantum,
    };
    let scheduler = scheduler(system, scheduler_at, guaranteed);
    let processors = u32::from(system.platform.processors());
    let ids = (0..inflated.len() as u32).map(schedlab_model::TaskId);
    let reduced = analysis::System::new(&inflated, ids, processors, &scheduler, late).ok()?;
    let share = |task| match guaranteed {
        true => Share::guaranteed(task, &reduced),
        false => Share::plain(task, system.platform.quantum),
    };
    let shares: Vec<Share> = reduced.tasks.iter().map(share).collect::<Option<_>>()?;
    let told = match guaranteed {
        true => reserve::guaranteed(&inflated, &reduced)?,
        false => inflated.clone(),
    };
    let sum: f64 = shares.iter().map(|share| share.quanta as f64 / share.slots as f64).sum();
    let is_full = sum >= 0.95 * f64::from(processors);
    fits(&shares, &reduced).then(|| Case {
        system: system.clone(),
        scheduler: scheduler_at,
        guaranteed,
        affinity,
        inflated,
        told,
        is_full,
    })
}

impl fmt::Display for PfairPower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ("sets", "full", "proved", "late", "observed/bound", "max tardiness");
        write!(f, "{:<24} {:>7} {:>7} {:>7} {:>7}", "", head.0, head.1, head.2, head.3)?;
        writeln!(f, " {:>15} {:>15}", head.4, head.5)?;
        for (overheads, suffix) in ["", " with overheads"].iter().enumerate() {
            for (name, rows) in NAMES.iter().zip(&self.rows) {
                let row = &rows[overheads];
                let name = format!("{name}{suffix}");
                write!(f, "{name:<24} {:>7} {:>7} {:>7} {:>7}", row.sets, row.full, row.accepted, row.late)?;
                writeln!(f, " {:>15.4} {:>12.3} Q", row.largest, row.tardiness as f64 / 1000.0)?;
            }
        }
        Ok(())
    }
}
