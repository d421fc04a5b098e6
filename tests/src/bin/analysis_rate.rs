//! Task sets per second of one core: placement, tests, overheads, generation; SchedCAT's figure for the same workload
//! beside it.
//!
//! `analysis_rate [--batches K] [--only TEXT]`: sets as in the comparison: periods log-uniform in 10..=100 ms in
//! whole microseconds, utilizations by RandFixedSum with sum u m, constrained deadlines D = C + U[0.5, 1] (T - C).
//! Sets are drawn before the clock runs; each row is measured in batches of 200 sets, and the best of K batches
//! counts, as on a shared machine the others measure the neighbours.

#![forbid(unsafe_code)]
#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

use schedlab_analysis::decide::Scratch;
use schedlab_analysis::overheads::jlfp::{inflate_into, Accounting};
use schedlab_analysis::tardiness::gel;
use schedlab_analysis::uniprocessor::{qpa, response_time};
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Arrivals, System, Test};
use schedlab_lab::batch::{Question, Set, Workspace};
use schedlab_model::{Cost, Duration, OverheadKind, Overheads, Statistic, Task, Work};
use schedlab_workload::generate::utilization::{BoundedSum, RandFixedSumTable};
use schedlab_workload::placement::{Packer, Packing};
use schedlab_workload::Random;
use std::hint::black_box;
use std::time::Instant;

const SETS: usize = 200;

struct Options {
    batches: usize,
    only: String,
}

fn options() -> Options {
    let mut options = Options { batches: 30, only: String::new() };
    let mut arguments = std::env::args().skip(1);
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        match name.as_str() {
            "--batches" => options.batches = value.parse().expect("--batches needs a whole number"),
            "--only" => options.only = value,
            other => panic!("unknown option {other}; known are --batches, --only"),
        }
    }
    options
}

fn sets(m: u32, n: u32, u: f64, constrained: bool) -> Vec<Vec<Task>> {
    let table = RandFixedSumTable::new(n, u * f64::from(m), 0.0, 1.0);
    let mut random = Random::new(1, *b"RateSets", u64::from(n));
    let task = |utilization: f64, random: &mut Random| {
        let period = (10_000.0 * 10f64.powf(random.unit())) as u64 * 1_000;
        let cost = ((utilization * period as f64 / 1_000.0) as u64).max(1) * 1_000;
        let cost = cost.min(period);
        let room = ((period - cost) as f64 * (0.5 + 0.5 * random.unit())) as u64;
        let deadline = if constrained { cost + room / 1_000 * 1_000 } else { period };
        Task::constrained(Work::from_ns(cost), Duration::from_ns(period), Duration::from_ns(deadline))
    };
    let mut set = || table.draw(&mut random).into_iter().map(|u| task(u, &mut random)).collect();
    (0..SETS).map(|_| set()).collect()
}

/// Prints a row: the best rate of all batches.
fn row(options: &Options, name: &str, schedcat: &str, mut each: impl FnMut(usize) -> bool) {
    if !name.contains(&options.only) {
        return;
    }
    let (mut best, mut accepted) = (f64::INFINITY, 0);
    for _ in 0..options.batches {
        let start = Instant::now();
        accepted = (0..SETS).filter(|&index| black_box(each(index))).count();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("| {name} | {:.0} | {schedcat} | {accepted} of {SETS} |", SETS as f64 / best);
}

/// What a batch keeps from set to set.
struct Bench {
    packer: Packer,
    system: System,
    scratch: Scratch,
    inflated: Vec<Task>,
    ranks: Vec<u32>,
}

impl Bench {
    fn new() -> Self {
        Bench {
            packer: Packer::default(),
            system: System::empty(),
            scratch: Scratch::default(),
            inflated: Vec::new(),
            ranks: Vec::new(),
        }
    }

    fn place_and_test(&mut self, tasks: &[Task], processors: u16, order: AnalysedOrder, test: &Test) -> bool {
        let placement = self.packer.place(&worst_fit(), tasks, processors).expect("a set that can be placed");
        if !placement.fits() {
            return false;
        }
        self.ranks.clear();
        if order == AnalysedOrder::FixedPriority {
            let mut by_deadline: Vec<u32> = (0..tasks.len() as u32).collect();
            by_deadline.sort_by_key(|&task| tasks[task as usize].relative_deadline);
            self.ranks.resize(tasks.len(), 0);
            by_deadline.iter().enumerate().for_each(|(rank, &task)| self.ranks[task as usize] = rank as u32);
        }
        let (ranks, arrivals) = (&self.ranks, Arrivals::Sporadic);
        let scheduler = AnalysedScheduler { order, preemptive: true, ranks, points: &[], arrivals };
        placement.bins.iter().all(|bin| {
            let refilled = self.system.refill(tasks, bin.iter().copied(), 1, &scheduler, Duration::ZERO);
            refilled.expect("a valid system");
            test.accepts(&self.system, &mut self.scratch)
        })
    }
}

/// As a batch asks it.
fn question() -> Question {
    "P-EDF hard qpa worst_fit_decreasing".parse().expect("a question of a batch")
}

fn worst_fit() -> Packing {
    "worst_fit_decreasing".parse().expect("a packing of the list")
}

fn overheads() -> Overheads {
    let mut overheads = Overheads::default();
    let mut set = |kind, base: u64, per_task_ps: u64| {
        let max = Cost::Linear { base: Duration::from_ns(base), per_task_ps };
        overheads.set(kind, max.into());
    };
    set(OverheadKind::Scheduling, 3_000, 40_000);
    set(OverheadKind::ContextSwitch, 5_000, 0);
    set(OverheadKind::Tick, 8_000, 60_000);
    set(OverheadKind::Release, 2_000, 30_000);
    set(OverheadKind::Ipi, 1_500, 0);
    overheads
}

fn with_overheads(bench: &mut Bench, tasks: &[Task], overheads: &Overheads) -> bool {
    let accounting = Accounting {
        overheads,
        statistic: Statistic::Max,
        quantum: Duration::from_ns(1_000_000),
        processors: 8,
        machine_tasks: tasks.len(),
        release_latency: Duration::ZERO,
        polled: Duration::ZERO,
        dedicated_interrupts: false,
        switches_in_progress: true,
    };
    let mut inflated = std::mem::take(&mut bench.inflated);
    let fits = inflate_into(tasks, &accounting, &mut inflated).is_ok()
        && bench.place_and_test(&inflated, 8, AnalysedOrder::Edf, &qpa::TEST);
    bench.inflated = inflated;
    fits
}

fn generation(options: &Options) {
    let table = RandFixedSumTable::new(100, 8.0, 0.0, 1.0);
    let mut random = Random::new(2, *b"RateSets", 0);
    row(options, "RandFixedSum n=100, one table", "354", |_| table.draw(&mut random).len() == 100);
    let bounds: Vec<(f64, f64)> = (0..100).map(|n| (0.0, 0.05 + 0.9 * f64::from(n % 10) / 10.0)).collect();
    let from = BoundedSum::new(&bounds, 20.0).expect("a sum within the bounds");
    row(options, "bounded fixed sum n=100, one table", "-", |_| from.draw(&mut random).is_some());
    row(options, "bounded fixed sum n=100, a table for each set", "-", |index| {
        let from = BoundedSum::new(&bounds, 18.0 + index as f64 / 100.0).expect("a sum within the bounds");
        from.draw(&mut random).is_some()
    });
}

fn main() {
    let (options, mut bench) = (options(), Bench::new());
    println!("| workload | sets/s | SchedCAT | accepted |\n|---|---|---|---|");
    let (implicit, constrained) = (sets(8, 40, 0.9, false), sets(8, 40, 0.68, true));
    for (name, schedcat, sets) in [
        ("P-EDF, WFD + QPA, m=8 n=40, implicit, u=.9", "8484", &implicit),
        ("P-EDF, WFD + QPA, m=8 n=40, constrained, u=.68", "8130", &constrained),
    ] {
        let (question, mut workspace) = (question(), Workspace::default());
        row(&options, name, schedcat, |index| {
            let proof = question.judge(Set::independent(&sets[index], 8), &mut workspace);
            proof.expect("a set that can be judged").is_some()
        });
        row(&options, &format!("{name}, every processor's test run"), schedcat, |index| {
            bench.place_and_test(&sets[index], 8, AnalysedOrder::Edf, &qpa::TEST)
        });
    }
    row(&options, "P-FP (DM), WFD + RTA, m=8 n=40, u=.68", "6233", |index| {
        bench.place_and_test(&constrained[index], 8, AnalysedOrder::FixedPriority, &response_time::TEST)
    });
    let (light, overheads) = (sets(8, 40, 0.6, false), overheads());
    row(&options, "P-EDF + JLFP overheads + QPA, m=8 n=40, u=.6", "1304", |index| {
        with_overheads(&mut bench, &light[index], &overheads)
    });
    let pairs: Vec<Vec<(u64, u64)>> = sets(8, 40, 0.7, false)
        .iter()
        .map(|set| set.iter().map(|task| (task.wcet.as_ns(), task.period.as_ns())).collect())
        .collect();
    row(&options, "G-FL compliant vectors, m=8 n=40, u=.7", "1373", |index| {
        let point = |&(cost, period): &(u64, u64)| period - cost * 7 / 8;
        let points: Vec<u64> = pairs[index].iter().map(point).collect();
        gel::responses(&pairs[index], &points, 8).is_some()
    });
    generation(&options);
}
