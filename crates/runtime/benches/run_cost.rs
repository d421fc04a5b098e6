//! What a real run costs beside a plain program that does the same work: processor time of a job besides its work, and
//! context switches of a job. Needs real-time priorities.
//!
//!     cargo bench --package schedlab-runtime --bench run_cost -- [--rounds 5] [--seconds 2] [--only "schedlab, P-EDF"]
//! [--tasks 20]
//!
//! The plain program has a thread of `SCHED_FIFO` for each task, which waits for its releases by `clock_nanosleep`: all
//! at one priority, or by rate. Its threads are bound where P-EDF places the tasks, or the kernel moves them between
//! the two processors (global). schedlab asks the kernel for each switch, as a witness of its decisions; rows without a
//! witness show what that takes. Each round has every program once, in an order that turns. The table has medians over
//! the rounds, and of the ratios to the same round's plain programs at one priority: that with bound threads, and the
//! global one.
//!
//! A job works until it has executed for its cost. Time is counted as work while one look at the clock follows the
//! other at once. So what interrupts a job (timers, signals, switches, the host) is no work, and no calibration is
//! needed.

use schedlab_model::{Duration, Work};
use schedlab_runtime::{each_job, sys, App, TaskSpec};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

/// Longest time between two looks at the clock with nothing else in between, in nanoseconds.
const AT_ONCE: u64 = 1_000;
/// Length of a program's beginning that is not measured, in nanoseconds.
const WARM_UP: u64 = 200_000_000;
/// Time from the creation of the plain program's threads to their first release, in nanoseconds.
const HEAD_START: u64 = 50_000_000;
/// Real-time priority of the tasks' threads in a run.
const PRIORITY: u8 = 50;

/// A task, in nanoseconds.
#[derive(Clone, Copy)]
struct Periodic {
    cost: u64,
    period: u64,
}

/// The count of one thread, on a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Count {
    worked: AtomicU64,
    jobs: AtomicU64,
}

/// The processor time and the switches that a program has used so far.
#[derive(Clone, Copy, Default)]
struct Used {
    ns: u64,
    switches: u64,
    worked: u64,
    jobs: u64,
}

/// Counts between two jobs of the first task.
struct Meter {
    counts: Vec<Count>,
    window: (u64, u64),
    looks: Mutex<Vec<Used>>,
}

impl Meter {
    fn new(tasks: usize, seconds: f64) -> Arc<Self> {
        let end = WARM_UP + (seconds * 1e9) as u64;
        let counts = (0..tasks).map(|_| Count::default()).collect();
        Arc::new(Meter { counts, window: (WARM_UP, end), looks: Mutex::new(Vec::with_capacity(2)) })
    }

    /// Executes one job of `task`, which begins `since` the program's time zero.
    fn job(&self, index: usize, task: Periodic, since: u64) {
        if index == 0 {
            self.look(since);
        }
        work(task.cost, &self.counts[index].worked);
        self.counts[index].jobs.fetch_add(1, Relaxed);
    }

    fn look(&self, since: u64) {
        let mut looks = self.looks.lock().expect("one thread looks");
        let due = match looks.len() {
            0 => since >= self.window.0,
            1 => since >= self.window.1,
            _ => false,
        };
        if due {
            looks.push(self.used());
        }
    }

    fn used(&self) -> Used {
        let (ns, switches) = of_process();
        let sum = |what: fn(&Count) -> &AtomicU64| self.counts.iter().map(|of| what(of).load(Relaxed)).sum();
        Used { ns, switches, worked: sum(|of| &of.worked), jobs: sum(|of| &of.jobs) }
    }

    /// Nanoseconds beside the work and context switches, of a job; `None` if the program was ended before.
    fn cost(&self) -> Option<(f64, f64)> {
        let looks = self.looks.lock().expect("its thread has ended");
        let [first, last] = looks[..] else { return None };
        let jobs = (last.jobs - first.jobs) as f64;
        let beside = (last.ns - first.ns) as f64 - (last.worked - first.worked) as f64;
        Some((beside / jobs, (last.switches - first.switches) as f64 / jobs))
    }
}

/// Executes for `cost`, and counts it as it goes.
fn work(cost: u64, worked: &AtomicU64) {
    let before = worked.load(Relaxed);
    let (mut done, mut last) = (0, sys::monotonic_ns());
    while done < cost {
        let now = sys::monotonic_ns();
        done += Some(now - last).filter(|gap| *gap < AT_ONCE).unwrap_or(0);
        last = now;
        worked.store(before + done, Relaxed);
    }
}

/// Processor time and context switches of all threads of this process.
fn of_process() -> (u64, u64) {
    // SAFETY: all bytes zero is a valid `rusage`, a place for the result.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, &mut used), 0, "it is asked of this process");
        used
    };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    (ns(used.ru_utime) + ns(used.ru_stime), (used.ru_nvcsw + used.ru_nivcsw) as u64)
}

#[derive(Clone, Copy, PartialEq)]
enum Program {
    /// At one priority, or by rate; the kernel moves threads, or they are bound.
    Plain { by_rate: bool, global: bool },
    /// A run of schedlab under this scheduler, with or without the kernel's witness.
    Schedlab { scheduler: &'static str, witness: bool },
}

/// The program that ratios refer to.
const BOUND: Program = Program::Plain { by_rate: false, global: false };
const GLOBAL: Program = Program::Plain { by_rate: false, global: true };

impl Program {
    fn name(self) -> String {
        match self {
            Program::Plain { by_rate, global } => {
                let priority = if by_rate { "by rate" } else { "one priority" };
                format!("plain, {priority}{}", if global { ", global" } else { "" })
            }
            Program::Schedlab { scheduler, witness: true } => format!("schedlab, {scheduler}"),
            Program::Schedlab { scheduler, witness: false } => format!("schedlab, {scheduler}, no witness"),
        }
    }

    /// Measures the cost of a job; `None`, with the reason printed, if that is refused.
    fn measure(self, tasks: &[Periodic], seconds: f64) -> Option<(f64, f64)> {
        let meter = Meter::new(tasks.len(), seconds);
        let length = meter.window.1 + 50_000_000;
        let done = match self {
            Program::Plain { by_rate, global } => plain(tasks, (by_rate, global), length, &meter),
            Program::Schedlab { scheduler, witness } => schedlab(tasks, (scheduler, witness), length, &meter),
        };
        if let Err(why) = done {
            println!("{}: not measured: {why}", self.name());
            return None;
        }
        meter.cost()
    }
}

/// The processor where a task is placed.
fn processor(index: usize) -> usize {
    index % 2
}

fn plain(
    tasks: &[Periodic],
    (by_rate, global): (bool, bool),
    length: u64,
    meter: &Arc<Meter>,
) -> Result<(), String> {
    let zero = sys::monotonic_ns() + HEAD_START;
    let processors = sys::allowed_processors().map_err(|error| error.to_string())?;
    let faster = |task: &Periodic| tasks.iter().filter(|other| other.period > task.period).count() as u8;
    let threads: Vec<_> = tasks
        .iter()
        .enumerate()
        .map(|(index, task)| {
            let (task, meter) = (*task, Arc::clone(meter));
            let places = if global { processors[..2].to_vec() } else { vec![processors[processor(index)]] };
            let priority = if by_rate { PRIORITY + faster(&task) } else { PRIORITY };
            std::thread::spawn(move || {
                let own = sys::current_thread();
                sys::allow_processors(own, &places).and_then(|()| sys::set_fifo(own, priority))?;
                let mut release = zero;
                while release < zero + length {
                    sys::sleep_until(release);
                    meter.job(index, task, sys::monotonic_ns() - zero);
                    release += task.period;
                }
                std::io::Result::Ok(())
            })
        })
        .collect();
    let ended = threads.into_iter().map(|thread| thread.join().expect("it does not panic"));
    ended.collect::<Result<Vec<()>, _>>().map(drop).map_err(|error| error.to_string())
}

fn schedlab(
    tasks: &[Periodic],
    (scheduler, witness): (&str, bool),
    length: u64,
    meter: &Arc<Meter>,
) -> Result<(), String> {
    let mut app = App::new(scheduler, "none", 2).map_err(|error| error.to_string())?;
    for (index, task) in tasks.iter().copied().enumerate() {
        let meter = Arc::clone(meter);
        let spec = TaskSpec {
            processor: scheduler.starts_with('P').then_some(processor(index) as u16),
            ..TaskSpec::new(format!("t{index}"), Work::from_ns(task.cost), Duration::from_ns(task.period))
        };
        let body = each_job(move |context| meter.job(index, task, context.now().as_ns()));
        app.task(spec, body);
    }
    app.options.interrupts = true;
    app.options.switches = witness;
    app.run(Some(Duration::from_ns(length))).map(drop).map_err(|error| error.to_string())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The text after this option.
fn text(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

/// The number after this option.
fn option(name: &str, otherwise: f64) -> f64 {
    text(name).map_or(otherwise, |value| value.parse().expect("a number"))
}

fn main() {
    let (rounds, seconds) = (option("--rounds", 5.0) as usize, option("--seconds", 2.0));
    // Periods of 1 to 10 ms in steps that do not divide each other; total utilization 1.6.
    let periods = (0..20).map(|index| 1_000_000 + index * 473_700);
    let twenty = periods.map(|period| Periodic { cost: period * 8 / 100, period });
    let two = [3_000_000, 7_000_000].map(|period| Periodic { cost: period / 10, period });
    let mut programs = vec![
        BOUND,
        Program::Plain { by_rate: true, global: false },
        GLOBAL,
        Program::Plain { by_rate: true, global: true },
        Program::Schedlab { scheduler: "P-RM", witness: true },
        Program::Schedlab { scheduler: "P-EDF", witness: true },
        Program::Schedlab { scheduler: "P-EDF", witness: false },
        Program::Schedlab { scheduler: "G-EDF", witness: true },
        Program::Schedlab { scheduler: "G-EDF", witness: false },
    ];
    if let Some(only) = text("--only") {
        programs.retain(|program| program.name() == only);
    }
    println!("| tasks | program | us of a job beside its work | of bound | of global | context switches of a job |");
    println!("|---|---|---|---|---|---|");
    for (what, tasks) in [("20", twenty.collect()), ("2", two.to_vec())] {
        if text("--tasks").is_none_or(|only| only == what) {
            table(what, &tasks, &programs, (rounds, seconds));
        }
    }
}

fn table(what: &str, tasks: &[Periodic], programs: &[Program], (rounds, seconds): (usize, f64)) {
    let mut found = vec![Vec::new(); programs.len()];
    for round in 0..rounds {
        for index in 0..programs.len() {
            let index = (index + round) % programs.len();
            let Some(cost) = programs[index].measure(tasks, seconds) else { return };
            found[index].push(cost);
        }
    }
    // Without that program, there is no ratio.
    let ratio = |costs: &[(f64, f64)], to: Program| {
        let peer = &found[programs.iter().position(|program| *program == to)?];
        Some(median(costs.iter().zip(peer).map(|(own, plain)| own.0 / plain.0).collect()))
    };
    let shown = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
    for (program, costs) in programs.iter().zip(&found) {
        let ns = median(costs.iter().map(|cost| cost.0).collect());
        let switches = median(costs.iter().map(|cost| cost.1).collect());
        let (bound, global) = (shown(ratio(costs, BOUND)), shown(ratio(costs, GLOBAL)));
        println!(
            "| {what} | {} | {:.1} | {bound} | {global} | {switches:.2} |",
            program.name(),
            ns / 1_000.0
        );
    }
}
