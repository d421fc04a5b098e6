//! What a Pfair decision costs at M = 4 by number of tasks, 10 to 10,000, beside the comparisons that it takes: tables,
//! and fits by log N.
//!
//!     cargo bench --package schedlab-measure --bench pfair_decisions -- [--rounds 201]
//!
//! Of each number of tasks there are so many batches; all numbers take turns.

#[path = "../src/values/fit.rs"]
#[allow(dead_code, unused_imports, reason = "the benchmark needs a part of it")]
mod fit;
#[path = "../src/values/median.rs"]
mod median;
#[path = "../src/one/pfair/systems.rs"]
#[allow(dead_code, unused_imports, reason = "the benchmark needs a part of it")]
mod systems;

use cpu_time::ThreadTime;
use fit::{line, Line};
use median::median;
use schedlab_policy::pfair::{Stream, Weight};
use schedlab_workload::Random;
use systems::{streams, Master, Shared, Slots};

const PROCESSORS: usize = 4;

/// Slots of a batch: some ten to some hundred microseconds.
const SLOTS: usize = 200;

/// Four to a decade.
const TASKS: [usize; 13] = [10, 18, 32, 56, 100, 178, 316, 562, 1_000, 1_778, 3_162, 5_623, 10_000];

/// Beyond this the fit is given for those before alone, too: it is where tasks no longer fit into inner caches.
const INNER: usize = 1_000;

/// What was measured of one scheduler: nanoseconds of a decision by batch, and comparisons.
#[derive(Default)]
struct Measured {
    batches: Vec<f64>,
    comparisons: u64,
    decisions: u64,
}

impl Measured {
    fn add(&mut self, ns: f64, decisions: usize, comparisons: u64) {
        self.batches.push(ns / decisions as f64);
        self.decisions += decisions as u64;
        self.comparisons += comparisons;
    }

    fn median(&self) -> f64 {
        median(&mut self.batches.clone())
    }

    fn least(&self) -> f64 {
        self.batches.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn compared(&self) -> f64 {
        self.comparisons as f64 / self.decisions as f64
    }
}

struct RatedSet {
    name: String,
    tasks: usize,
    master: Box<dyn Slots>,
    shared: Box<dyn Slots>,
    aligned: Measured,
    staggered: Measured,
}

fn main() {
    let mut after = std::env::args().skip_while(|argument| argument != "--rounds").skip(1);
    let rounds: u64 = after.next().map_or(201, |rounds| rounds.parse().expect("a number of rounds"));
    let mut random: Vec<RatedSet> = TASKS.iter().map(|&tasks| row(tasks, &random_set(tasks, 0))).collect();
    let mut equal: Vec<RatedSet> =
        TASKS.iter().map(|&tasks| row(tasks, &equal_streams(PROCESSORS, tasks))).collect();
    let mut turns = [in_turns()];
    for _ in 0..rounds {
        for row in random.iter_mut().chain(&mut equal).chain(&mut turns) {
            batch(row.tasks, row.master.as_mut(), &mut row.aligned);
            batch(row.tasks, row.shared.as_mut(), &mut row.staggered);
        }
    }
    println!(
        "M = {PROCESSORS}. Of a decision: nanoseconds, median and least; millions a second by the median; comparisons"
    );
    print!("{}", table("Random weights", &random));
    let title =
        "As many tasks as 10,000, a hundred to each of a hundred schedulers that take turns slot by slot";
    print!("{}", table(title, &turns));
    print!("{}", table("Equal weights: all tasks compete at once", &equal));
}

/// The measurements of one scheduler.
type Of = fn(&RatedSet) -> &Measured;

const SCHEDULERS: [(&str, Of); 2] = [("aligned", |row| &row.aligned), ("staggered", |row| &row.staggered)];

fn table(title: &str, rows: &[RatedSet]) -> String {
    let mut text =
        format!("\n{title}\n{:>9}  {:^40}  {:^40}\n", "N", "aligned PD2", "staggered PD2 (Schedule)");
    for row in rows {
        text += &format!("{:>9}", row.name);
        for (_, of) in SCHEDULERS {
            let found = of(row);
            let (median, least) = (found.median(), found.least());
            text += &format!("  {median:>9.1} {least:>8.1} {:>8.2} {:>10.2}", 1e3 / median, found.compared());
        }
        text.push('\n');
    }
    for (name, of) in SCHEDULERS.into_iter().filter(|_| rows.len() > 2) {
        for most in [INNER, TASKS[TASKS.len() - 1]] {
            text += &fits(name, most, rows, of);
        }
    }
    text
}

/// What is fitted.
type Value = fn(&Measured) -> f64;

/// By least squares over the logarithms of the numbers of tasks up to `most`.
fn fits(name: &str, most: usize, rows: &[RatedSet], of: Of) -> String {
    let values: [(&str, Value); 3] =
        [("median ns", Measured::median), ("least ns", Measured::least), ("comparisons", Measured::compared)];
    let line = |(what, value): (&str, Value)| {
        let upto = rows.iter().filter(|row| row.tasks <= most);
        let points: Vec<_> = upto.map(|row| ((row.tasks as f64).log2(), value(of(row)))).collect();
        let Some(Line { base, slope, explained, .. }) = line(&points) else {
            unreachable!("at least nine numbers of tasks, each another")
        };
        format!("{name}, N up to {most}, {what}: {base:.1} + {slope:.2} log2 N, R^2 = {explained:.3}\n")
    };
    values.into_iter().map(line).collect()
}

/// The weights of a set of its own for each number of tasks and copy.
fn random_set(tasks: usize, copy: u64) -> Vec<Stream> {
    let mut random = Random::new(1 + copy, *b"PfairFit", tasks as u64);
    streams(PROCESSORS, tasks, &mut random)
}

fn row(tasks: usize, set: &[Stream]) -> RatedSet {
    new_row(tasks.to_string(), tasks, Master::new(set, PROCESSORS), Shared::new(set, PROCESSORS))
}

/// As much memory as many tasks take, while each heap is small.
fn in_turns() -> RatedSet {
    let sets: Vec<_> = (0..100).map(|copy| random_set(100, copy)).collect();
    let masters = sets.iter().map(|set| Master::new(set, PROCESSORS)).collect();
    let shared = sets.iter().map(|set| Shared::new(set, PROCESSORS)).collect();
    new_row("100 x 100".into(), 10_000, Turns::new(masters), Turns::new(shared))
}

fn new_row(
    name: String,
    tasks: usize,
    master: impl Slots + 'static,
    shared: impl Slots + 'static,
) -> RatedSet {
    let (aligned, staggered) = Default::default();
    let mut row =
        RatedSet { name, tasks, master: Box::new(master), shared: Box::new(shared), aligned, staggered };
    // All begin at slot 0 together, which never happens again: go on until most tasks have run a few times.
    for _ in 0..tasks {
        row.master.slot();
        row.shared.slot();
    }
    row
}

/// One batch, after enough slots for each of `tasks` to run twice: caches hold what they can.
fn batch(tasks: usize, scheduler: &mut dyn Slots, found: &mut Measured) {
    let run = |scheduler: &mut dyn Slots, slots| (0..slots).map(|_| scheduler.slot()).sum::<usize>();
    run(scheduler, SLOTS.max(2 * tasks / PROCESSORS));
    let before = scheduler.comparisons();
    let (ns, decisions) = timed(|| run(scheduler, SLOTS));
    found.add(ns, decisions, scheduler.comparisons() - before);
}

/// Nanoseconds of processor time that `work` takes, with what it returns.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = ThreadTime::now();
    let result = work();
    (begin.elapsed().as_nanos() as f64, result)
}

/// Equal weights that add up to at most `processors`, of one quantum each: all tasks become eligible in the same slots.
fn equal_streams(processors: usize, tasks: usize) -> Vec<Stream> {
    let slots = tasks.div_ceil(processors).max(1) as u64;
    assert!(tasks as u64 <= processors as u64 * slots);
    vec![Stream::new(Weight::new(1, slots).expect("a weight"), false, 0); tasks]
}

/// Schedulers that take turns, slot by slot.
struct Turns<S> {
    all: Vec<S>,
    next: usize,
}

impl<S> Turns<S> {
    /// Of `all`, at least one.
    fn new(all: Vec<S>) -> Turns<S> {
        Turns { all, next: 0 }
    }
}

impl<S: Slots> Slots for Turns<S> {
    fn slot(&mut self) -> usize {
        self.next = (self.next + 1) % self.all.len();
        self.all[self.next].slot()
    }

    fn comparisons(&self) -> u64 {
        self.all.iter().map(Slots::comparisons).sum()
    }
}
