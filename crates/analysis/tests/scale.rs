//! What no verdict depends on: the unit of time, and the order in which tasks are listed.
//!
//! Every registered test is asked about a random system. It is asked again with all times multiplied, and with the
//! tasks in another order.

use crate::mixer::Mixer;
use schedlab_analysis::registry::{self, COMBINATIONS, TESTS, YARDSTICKS};
use schedlab_analysis::{
    AnalysedOrder, AnalysedScheduler, Answer, Arrivals, Bounds, Quanta, System, Test, Verdict,
};
use schedlab_model::{Duration, Instant, Point, Suspension, Task, Work};
use std::collections::BTreeMap;

/// A system before analysis reads it.
#[derive(Clone, Debug)]
struct Drawn {
    tasks: Vec<Task>,
    processors: u32,
    order: AnalysedOrder,
    preemptive: bool,
    arrivals: Arrivals,
    ranks: Vec<u32>,
    points: Vec<Point>,
    release_delay: Duration,
}

/// What lengths of time are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    /// A few units.
    Small(u64),
    /// Up to so many units, in which nothing coincides.
    Wild(u64),
}

impl Drawn {
    fn new(numbers: Numbers, random: &mut Mixer) -> Drawn {
        let processors = 1 + random.below(4);
        let order = numbers.order(processors, random);
        let quantum = match order {
            AnalysedOrder::Pfair(quanta) => quanta.length.as_ns(),
            _ => 0,
        };
        let deadlines = random.below(3);
        let disturbed = random.below(3) == 0;
        let count = 1 + random.below(2 * processors + 4);
        let percent = (30 + random.below(75)) * processors / count;
        let mut tasks = Vec::new();
        for _ in 0..count {
            let period = numbers.period(random).max(quantum);
            let share = percent / 2 + random.below(percent + 1);
            let cost = numbers.round(period * share / 100).clamp(numbers.unit(), period);
            let relative_deadline = match deadlines {
                0 => period,
                1 => period - numbers.round(random.below((period - cost) / 2 + 1)),
                _ => cost + numbers.round(random.below(2 * period)),
            };
            let cost = if random.below(8) == 0 { period.min(relative_deadline) } else { cost };
            let relative_deadline = Duration::from_ns(relative_deadline);
            let mut task =
                Task::constrained(Work::from_ns(cost), Duration::from_ns(period), relative_deadline);
            if random.below(2) == 0 {
                task.bcet = task.wcet;
            }
            if disturbed {
                let some = |random: &mut Mixer| {
                    let is_there = random.below(2) == 0;
                    Duration::from_ns(if is_there { numbers.round(random.below(period / 5 + 1)) } else { 0 })
                };
                task.jitter = some(random);
                task.suspension = Suspension::Dynamic(some(random));
            }
            if random.below(8) == 0 {
                tasks.push(task.clone());
            }
            tasks.push(task);
        }
        if random.below(4) == 0 {
            for task in &mut tasks {
                task.offset = Instant::from_ns(numbers.round(random.below(task.period.as_ns())));
            }
        }
        let parts = processors as u32;
        let points = tasks.iter().map(|task| {
            let after = random.below(2 * u64::from(parts) * task.period.as_ns());
            Point { after: numbers.round(after), parts }
        });
        let points = points.collect();
        let tick = if random.below(6) == 0 { numbers.unit() } else { 0 };
        let ranks = shuffled(tasks.len(), random).into_iter().map(|rank| rank as u32).collect();
        Drawn {
            tasks,
            processors: processors as u32,
            order,
            preemptive: random.below(3) > 0 || quantum > 0,
            arrivals: [Arrivals::Sporadic, Arrivals::Periodic][random.below(2) as usize],
            ranks,
            points,
            release_delay: Duration::from_ns(tick),
        }
    }

    /// The system with all times multiplied.
    fn times(&self, factor: u64) -> Drawn {
        let duration = |length: Duration| Duration::from_ns(length.as_ns() * factor);
        let mut scaled = self.clone();
        for task in &mut scaled.tasks {
            task.wcet = Work::from_ns(task.wcet.as_ns() * factor);
            task.bcet = Work::from_ns(task.bcet.as_ns() * factor);
            task.period = duration(task.period);
            task.relative_deadline = duration(task.relative_deadline);
            task.jitter = duration(task.jitter);
            task.offset = Instant::from_ns(task.offset.as_ns() * factor);
            if let Suspension::Dynamic(length) = task.suspension {
                task.suspension = Suspension::Dynamic(duration(length));
            }
        }
        scaled.points.iter_mut().for_each(|point| point.after *= factor);
        scaled.release_delay = duration(scaled.release_delay);
        if let AnalysedOrder::Pfair(quanta) = &mut scaled.order {
            quanta.length = duration(quanta.length);
        }
        scaled
    }

    /// The system with the tasks listed in this order.
    fn listed(&self, order: &[usize]) -> Drawn {
        Drawn {
            tasks: order.iter().map(|&task| self.tasks[task].clone()).collect(),
            ranks: order.iter().map(|&task| self.ranks[task]).collect(),
            points: order.iter().map(|&task| self.points[task]).collect(),
            ..self.clone()
        }
    }

    fn system(&self) -> System {
        let scheduler = AnalysedScheduler {
            order: self.order,
            preemptive: self.preemptive,
            ranks: &self.ranks,
            points: &self.points,
            arrivals: self.arrivals,
        };
        let ids = (0..self.tasks.len() as u32).map(schedlab_model::TaskId);
        System::new(&self.tasks, ids, self.processors, &scheduler, self.release_delay)
            .expect("what is drawn can be analysed")
    }
}

impl Numbers {
    fn unit(self) -> u64 {
        match self {
            Numbers::Small(unit) | Numbers::Wild(unit) => unit,
        }
    }

    fn period(self, random: &mut Mixer) -> u64 {
        const PERIODS: [u64; 9] = [3, 5, 8, 10, 12, 15, 20, 30, 60];
        match self {
            Numbers::Small(unit) => unit * PERIODS[random.below(PERIODS.len() as u64) as usize],
            Numbers::Wild(unit) => unit * (1_000 + random.below(100_000)),
        }
    }

    fn order(self, processors: u64, random: &mut Mixer) -> AnalysedOrder {
        let orders = 5 + u64::from(processors == 1) * 2;
        let length = Duration::from_ns((1 + random.below(3)) * self.unit());
        match random.below(orders) {
            0 => AnalysedOrder::FixedPriority,
            5 => AnalysedOrder::FixedPriorityOpenTies,
            1 => AnalysedOrder::AfterArrival,
            2 => {
                let (staggered, guaranteed) = (random.below(2) == 0, random.below(2) == 0);
                AnalysedOrder::Pfair(Quanta { length, staggered, guaranteed, breaks_ties: true })
            }
            _ => AnalysedOrder::Edf,
        }
    }

    fn round(self, length: u64) -> u64 {
        length / self.unit() * self.unit()
    }
}

fn shuffled(count: usize, random: &mut Mixer) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    order
}

fn all_tests() -> impl Iterator<Item = &'static Test> {
    TESTS.iter().chain(YARDSTICKS).chain(COMBINATIONS).copied()
}

fn verdicts(system: &System) -> Vec<Verdict> {
    all_tests().filter(|test| (test.applies)(system)).map(|test| (test.run)(system)).collect()
}

/// Bounds in nanoseconds.
fn bounds(verdict: &Verdict) -> Vec<Option<u64>> {
    match &verdict.bounds {
        Bounds::None => Vec::new(),
        Bounds::ResponseTime(bounds) | Bounds::Tardiness(bounds) => {
            bounds.iter().map(|bound| bound.map(Duration::as_ns)).collect()
        }
    }
}

/// A bound of a multiple of a system is the multiple of the bound, up to a nanosecond for each task. Bounds are rounded
/// to whole nanoseconds, and they rest on bounds of other tasks.
fn is_multiple(bound: Option<u64>, scaled: Option<u64>, factor: u64, tasks: usize) -> bool {
    match (bound, scaled) {
        (Some(bound), Some(scaled)) => scaled.abs_diff(factor * bound) <= (tasks as u64 + 1) * factor,
        (bound, scaled) => bound == scaled,
    }
}

/// How often a test proved what a comparison is about; one that never did says little.
#[derive(Default, Debug)]
struct Power(BTreeMap<&'static str, u32>);

impl Power {
    fn add(&mut self, verdict: &Verdict) {
        *self.0.entry(verdict.test).or_default() += u32::from(verdict.answer == Answer::Schedulable);
    }

    fn is_enough(&self, least: u32, apart: &[&str]) {
        for test in all_tests().filter(|test| !apart.contains(&test.name)) {
            let proved = self.0.get(test.name).copied().unwrap_or(0);
            assert!(proved >= least, "{} proved {proved} systems: {self:?}", test.name);
        }
    }
}

/// Tests that prove no system that is drawn: two only refute, and the schedulers of theorems are not drawn. Their tests
/// compare sums of utilizations and densities, or ask tests that are compared here.
const PROVE_NONE: [&str; 10] = [
    "overload",
    "overload_soft",
    "optimal",
    "ekg",
    "qps",
    "nps_f",
    "edf_us",
    "semi_partitioned_edf",
    "edzl_as_edf",
    "mllf_as_edf",
];

/// Says whether `scaled` gives what `drawn` gives, `factor` times as long.
fn agree(drawn: &Drawn, factor: u64, apart: &[&str], power: &mut Power) {
    let scaled = drawn.times(factor);
    for (one, other) in verdicts(&drawn.system()).iter().zip(verdicts(&scaled.system())) {
        if apart.contains(&one.test) {
            continue;
        }
        let told = || format!("{}, times {factor}: {}, {}: {drawn:?}", one.test, one.reason, other.reason);
        assert_eq!(one.answer, other.answer, "{}", told());
        let (bounds, multiples) = (bounds(one), bounds(&other));
        assert_eq!(bounds.len(), multiples.len(), "{}", told());
        for (bound, multiple) in bounds.into_iter().zip(multiples) {
            let tasks = drawn.tasks.len();
            assert!(is_multiple(bound, multiple, factor, tasks), "{bound:?}, {multiple:?} {}", told());
        }
        power.add(one);
    }
}

/// Systems whose times are whole microseconds, up to 100 ms. A nanosecond is the model's least time: a job that blocks
/// another one has begun so much before it. Where times are a few nanoseconds, verdicts may depend on their number.
#[test]
fn no_answer_depends_on_the_unit_of_time() {
    let mut power = Power::default();
    for numbers in [Numbers::Small(1_000), Numbers::Wild(1_000)] {
        let mut random = Mixer(0x9e37_79b9);
        for round in 0..900 {
            let drawn = Drawn::new(numbers, &mut random);
            agree(&drawn, [7, 1_000, 3][round % 3], &[], &mut power);
        }
    }
    power.is_enough(4, &PROVE_NONE);
}

/// Up to the longest times that a file may state. What explores schedules looks 36 years ahead at most.
#[test]
fn answers_of_milliseconds_are_those_of_a_year() {
    let explore = ["schedule_abstraction", "schedule_abstraction_global"];
    let mut power = Power::default();
    let mut random = Mixer(0x2545_f491);
    for _ in 0..600 {
        let drawn = Drawn::new(Numbers::Small(1_000_000), &mut random);
        let times = |task: &Task| {
            let point = task.period.max(task.relative_deadline).max(task.jitter + drawn.release_delay);
            point.as_ns().max(task.wcet.as_ns())
        };
        let points = drawn.points.iter().map(|point| point.after);
        let longest = drawn.tasks.iter().map(times).chain(points).max().unwrap();
        agree(&drawn, System::LONGEST.as_ns() / longest, &explore, &mut power);
    }
    power.is_enough(1, &[&PROVE_NONE[..], &explore].concat());
}

/// The order in which tasks are listed is no matter where no tie is broken by it. Among jobs that are due together it
/// is, which explorations see.
#[test]
fn no_answer_depends_on_the_order_of_tasks() {
    let ties = ["schedule_abstraction", "schedule_abstraction_global"];
    let mut power = Power::default();
    let mut random = Mixer(0xcc9e_2d51);
    for round in 0..1_800 {
        let numbers = [Numbers::Small(1), Numbers::Small(1_000), Numbers::Wild(1_000)][round % 3];
        let drawn = Drawn::new(numbers, &mut random);
        let order = shuffled(drawn.tasks.len(), &mut random);
        let other = drawn.listed(&order);
        for (one, other) in verdicts(&drawn.system()).iter().zip(verdicts(&other.system())) {
            if ties.contains(&one.test) && drawn.order != AnalysedOrder::FixedPriority {
                continue;
            }
            assert_eq!(one.answer, other.answer, "{} of {drawn:?}, {order:?}", one.test);
            let found = bounds(one);
            let moved: Vec<_> = order.iter().filter_map(|&task| found.get(task).copied()).collect();
            assert_eq!(moved, bounds(&other), "{} of {drawn:?}, {order:?}", one.test);
            power.add(one);
        }
    }
    power.is_enough(2, &PROVE_NONE);
}

/// One more processor, on which perhaps nothing executes, loses no proof. A non-preemptive schedule may become worse by
/// it (R. Graham, SIAM Journal on Applied Mathematics 17(2), 1969), which an exploration finds. Tests for one
/// processor no longer apply. The published conditions on busy intervals allow m (x - 1), though less than m x is safe.
/// So one more task that is capped at x may be too much for one more processor.
#[test]
fn one_more_processor_loses_no_proof() {
    let loses = ["schedule_abstraction_global", "baruah", "liu_anderson"];
    let mut power = Power::default();
    let mut random = Mixer(0x85eb_ca6b);
    for round in 0..1_800 {
        let drawn = Drawn::new([Numbers::Small(1), Numbers::Wild(1_000)][round % 2], &mut random);
        // The last processor's quanta begin the later the more processors there are.
        if matches!(drawn.order, AnalysedOrder::Pfair(quanta) if quanta.staggered) {
            continue;
        }
        let more = Drawn { processors: drawn.processors + 1, ..drawn.clone() };
        let others = verdicts(&more.system());
        for one in verdicts(&drawn.system()) {
            let Some(other) = others.iter().find(|other| other.test == one.test) else { continue };
            if !loses.contains(&one.test) && one.answer == Answer::Schedulable {
                let told = || format!("{}: {}: {drawn:?}", one.test, other.reason);
                assert_eq!(other.answer, Answer::Schedulable, "{}", told());
            }
            power.add(&one);
        }
    }
    let one_processor = |test: &&Test| {
        let system = |m| Drawn { processors: m, ..Drawn::new(Numbers::Small(1), &mut Mixer(1)) };
        let orders = [AnalysedOrder::Edf, AnalysedOrder::FixedPriority].into_iter();
        let all = orders.flat_map(|order| [true, false].map(|preemptive| (order, preemptive)));
        let applies =
            |(order, preemptive)| (test.applies)(&Drawn { order, preemptive, ..system(2) }.system());
        !all.clone().any(applies) && !["pfair", "pfair_lateness", "compliant_vector"].contains(&test.name)
    };
    let apart: Vec<&str> = all_tests().filter(one_processor).map(|test| test.name).collect();
    assert!(apart.contains(&"qpa") && !apart.contains(&"gfb"));
    power.is_enough(2, &[&PROVE_NONE[..], &apart].concat());
}

/// A preemptive global EDF system of tasks (C, T, D, S) in milliseconds, each times `factor`.
fn in_ms(rows: &[[u64; 4]], processors: u32, factor: u64) -> System {
    let ms = |length: u64| Duration::from_ns(length * 1_000_000 * factor);
    let task = |&[cost, period, relative_deadline, suspension]: &[u64; 4]| Task {
        suspension: Suspension::Dynamic(ms(suspension)),
        ..Task::constrained(Work::from_ns(ms(cost).as_ns()), ms(period), ms(relative_deadline))
    };
    let tasks: Vec<Task> = rows.iter().map(task).collect();
    System::global(&tasks, processors, &AnalysedScheduler::EDF).unwrap()
}

/// Searches that went on one nanosecond after the other, until their budgets were spent. In the first, each of three
/// equal jobs waits for both others, or half of them, for as long as it waits. In the others, demand falls as fast as
/// what is allowed as intervals become shorter.
#[test]
fn searches_do_not_creep() {
    let systems: [(&str, u32, &[[u64; 4]]); 4] = [
        ("bertogna_cirinei_edf", 2, &[[5, 100, 20, 0], [5, 100, 20, 0], [5, 100, 20, 0]]),
        ("ff_dbf", 2, &[[5, 8, 5, 0]]),
        ("baruah", 2, &[[5, 8, 5, 0]]),
        ("liu_anderson", 2, &[[4, 20, 18, 4], [4, 20, 18, 4], [4, 20, 18, 4]]),
    ];
    for (name, processors, rows) in systems {
        let test = registry::find(name).unwrap();
        for factor in [1, 7, 1_000, 100_000_000] {
            let verdict = (test.run)(&in_ms(rows, processors, factor));
            assert_eq!(verdict.answer, Answer::Schedulable, "{name}, times {factor}: {}", verdict.reason);
        }
    }
}
