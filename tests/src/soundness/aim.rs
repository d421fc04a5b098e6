//! Random systems near the breakdown of one test.

use super::arrive::{self, hyperperiod};
use super::base::base_system;
use super::judge::accepts;
use crate::system::{Arrivals, Costs, Order, System};
use schedlab_analysis::{registry, Test};
use schedlab_model::{Instant, Step, Task, Work};
use schedlab_workload::Random;

/// Relative deadlines, as against periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deadlines {
    Implicit,
    Constrained,
    Arbitrary,
}

/// The systems that a test is about.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// The test's name.
    pub test: &'static str,
    pub(super) orders: &'static [Order],
    pub(super) preemptive: bool,
    /// More than one processor per cluster.
    pub(super) multiprocessor: bool,
    pub(super) deadlines: Deadlines,
    /// Jitter and self-suspension.
    pub(super) disturbed: bool,
    /// Self-suspension, where disturbed.
    pub(super) suspends: bool,
    /// Explores a whole hyperperiod: small numbers, arrivals that are periodic, and no overheads.
    pub(super) explores: bool,
}

impl Aim {
    /// Whether the test is aimed at with overheads, too.
    pub fn bears_overheads(&self) -> bool {
        !self.explores
    }
}

const EDF: &[Order] = &[Order::Edf];
const MONOTONIC: &[Order] = &[Order::Rm, Order::Dm];
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
    multiprocessor("dm_density", MONOTONIC, Deadlines::Constrained),
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

/// Tests that are not aimed at: those of Pfair schedulers, which [`super::examine_pfair`] examines, those of optimal
/// schedulers, EDF-US, EDZL and MLLF, whose systems the tests of the simulator run, that of split tasks, which `lab`
/// examines, and those that accept nothing.
pub const ELSEWHERE: &[&str] = &[
    "pfair",
    "pfair_lateness",
    "overload",
    "overload_soft",
    "response_time_any_tie",
    "optimal",
    "ekg",
    "qps",
    "nps_f",
    "edf_us",
    "semi_partitioned_edf",
    "edzl_as_edf",
    "mllf_as_edf",
];

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
    /// Of the further patterns of arrivals.
    seed: u64,
}

/// Costs are scaled in parts of this.
const WHOLE: u64 = 1_000;

/// Systems drawn until the test accepts one.
const TRIES: usize = 6;

/// Case `index` of `seed`.
pub fn aim(seed: u64, index: u64) -> Aimed {
    let mut random = Random::new(seed, *b"TestAims", index);
    let chosen = (index % AIMS.len() as u64) as usize;
    let with_overheads = AIMS[chosen].bears_overheads() && index / AIMS.len() as u64 % 2 == 1;
    let test = registry::find(AIMS[chosen].test).expect("a test of this name");
    let mut draw = || {
        let base = base_system(&AIMS[chosen], with_overheads, &mut random);
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
        8 => random.between(breakdown / 2, breakdown * 5 / 4),
        // Where an exact test refuses, there has to be a miss.
        _ => random.between(breakdown + 1, breakdown * 9 / 8 + 1),
    };
    let mut system = scaled(&base, scale);
    let near_breakdown = scale * 10 >= breakdown * 9 && breakdown > 0 && accepts(test, &system);
    let whole = arrive::set_horizon(&mut system);
    Aimed { system, aim: chosen, near_breakdown, whole, seed: random.bits() }
}

/// Patterns of arrivals besides the one that was drawn, where the verdict is about all of them.
const MORE_PATTERNS: u64 = 3;

impl Aimed {
    /// The same system with other arrivals that its verdicts speak of: all of them, if arrivals are sporadic. Finding
    /// the breakdown costs more than a run of some hyperperiods.
    pub fn other_patterns(&self) -> impl Iterator<Item = Aimed> + '_ {
        let worthwhile = self.system.arrivals == Arrivals::Sporadic && self.whole;
        let count = if worthwhile { MORE_PATTERNS } else { 0 };
        (0..count).map(|index| {
            let mut aimed = self.clone();
            arrive::at_worst(&mut aimed.system, &mut Random::new(self.seed, *b"Patterns", index));
            // Without preemption, the worst case needs a job that begins just before.
            aimed.whole = arrive::set_horizon(&mut aimed.system) && aimed.system.preemptive;
            aimed
        })
    }

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

/// Whether a cluster's utilization is at most its processors, and each task's at most 1: an overload may take longer
/// than two hyperperiods to make a job late whose deadline is far.
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
    // Most tests that refuse the set whatever its costs refuse it at once.
    if !accepts(test, &scaled(base, 1)) {
        return 0;
    }
    let (mut good, mut bad) = (1, 4 * WHOLE);
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
