//! What a decision costs the engine by the number of tasks: under its lock, as a run's threads tell it, but with no
//! other thread there.
//!
//! All tasks have one period and one quantum's cost, and ask for all processors together: so all of them compete at
//! once, which is what log N bounds. A job's cost is that of its arrival and of its completion, and of what is decided
//! at both.
//!
//!     cargo bench --package schedlab-measure --bench engine -- [--scheduler G-EDF] [--rounds 101]
//!
//! Printed are, by number of tasks, the nanoseconds of a job, medians over so many periods, and the line through them
//! by log2 of the number.

#[path = "../src/values/fit.rs"]
#[allow(dead_code, unused_imports, reason = "the benchmark needs a part of it")]
mod fit;
#[path = "../src/values/median.rs"]
mod median;

use fit::{line, Line};
use median::median;
use schedlab_lab::Prepared;
use schedlab_lock::LockProtocol;
use schedlab_model::{CpuId, Duration, Instant, JobSource, Work};
use schedlab_objects::{Mutex, TicketLock};
use schedlab_policy::Policy;
use schedlab_runtime::program::system;
use schedlab_runtime::{sys, DomainSetup, Lease};
use schedlab_scenario::{Scenario, TaskSpec};
use schedlab_sim::{Input, Live};
use schedlab_trace::{Record, Sink};

/// Four to a decade.
const TASKS: [u64; 9] = [10, 18, 32, 56, 100, 178, 316, 562, 1_000];
/// The horizon of a run whose end is not waited for: a day.
const FOR_EVER: Instant = Instant::from_ns(86_400_000_000_000);

type Engine = Live<Box<dyn Policy>, Box<dyn LockProtocol>, Box<dyn JobSource + Send>, Nowhere>;

/// Where nothing is kept.
struct Nowhere;

impl Sink for Nowhere {
    fn record(&mut self, _: Instant, _: Record) {}
}

/// An engine at the beginning of a quantum.
struct Driven {
    engine: Mutex<TicketLock, Engine>,
    processors: u16,
    quantum: Duration,
    now: Instant,
}

/// What follows this option.
fn option(name: &str, otherwise: &str) -> String {
    let after = std::env::args().skip_while(|argument| argument != name).nth(1);
    after.unwrap_or_else(|| otherwise.to_owned())
}

fn main() {
    let (scheduler, rounds) = (option("--scheduler", "G-EDF"), option("--rounds", "101"));
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let processors = sys::allowed_processors().expect("the kernel says which");
    let _lease = Lease::take(&processors).expect("no other process has them");
    check(&scheduler);
    let make = |tasks: &u64| Driven::new(&scheduler, *tasks, processors.len() as u16);
    let mut all = TASKS.map(|tasks| (tasks, Vec::with_capacity(rounds)));
    let mut driven = TASKS.iter().map(make).collect::<Result<Vec<_>, String>>().expect("a global scheduler");
    // The first round brings every task's data in.
    for round in 0..=rounds {
        for ((tasks, ns), driven) in all.iter_mut().zip(&mut driven) {
            let took = driven.period(*tasks);
            if round > 0 {
                ns.push(took as f64 / *tasks as f64);
            }
        }
    }
    let points = all.map(|(tasks, mut ns)| ((tasks as f64).log2(), median(&mut ns)));
    for (tasks, (_, ns)) in TASKS.iter().zip(points) {
        println!("{scheduler}, {tasks} tasks: {ns:.0} ns");
    }
    let Line { base, slope, explained, .. } = line(&points).expect("nine numbers of tasks, each another");
    println!("{base:.0} + {slope:.1} log2 N, R^2 = {explained:.2}");
}

/// Every task has one job in each period, and none misses its deadline.
fn check(scheduler: &str) {
    let mut driven = Driven::new(scheduler, 10, 2).expect("a global scheduler");
    for _ in 0..3 {
        driven.period(10);
    }
    let end = driven.now;
    let summary = driven.engine.get_mut().finish(end);
    assert_eq!((summary.jobs_completed, summary.jobs_missed), (30, 0), "{summary:?}");
}

impl Driven {
    fn new(scheduler: &str, tasks: u64, processors: u16) -> Result<Self, String> {
        let mut scenario = Scenario::new(Vec::new());
        let quantum = scenario.platform.quantum;
        let period = Duration::from_ns(quantum.as_ns() * tasks.div_ceil(processors.into()));
        let task = |index| TaskSpec::new(format!("t{index}"), Work::from_ns(quantum.as_ns()), period);
        scenario.tasks = (0..tasks).map(task).collect();
        scenario.platform.processors = processors;
        scenario.horizon = FOR_EVER;
        let scenario = scenario.with_scheduler(scheduler).map_err(|errors| errors.to_string())?;
        scenario.check().map_err(|errors| errors.to_string())?;
        let prepared = Prepared::new(&scenario).map_err(|error| error.to_string())?;
        let mut domains = system::domains(&prepared, &[]).map_err(|error| error.to_string())?;
        if domains.len() != 1 {
            return Err(format!("--scheduler {scheduler}: allowed: a global scheduler"));
        }
        let DomainSetup { policies, locks, source, .. } = domains.remove(0);
        let live = Live::new(prepared.real_setup(), policies, locks, source, Nowhere);
        Ok(Driven { engine: Mutex::new(live), processors, quantum, now: Instant::ZERO })
    }

    /// A period in which all of so many tasks have one job: how long the engine took.
    fn period(&mut self, tasks: u64) -> u64 {
        let before = sys::monotonic_ns();
        for _ in 0..tasks.div_ceil(self.processors.into()) {
            let half = self.now + Duration::from_ns(self.quantum.as_ns() / 2);
            for cpu in (0..self.processors).map(CpuId) {
                let mut engine = self.engine.lock();
                if let Some(job) = engine.scheduled(cpu) {
                    engine.report(half, job, Input::Complete);
                }
            }
            self.now += self.quantum;
            self.engine.lock().advance(self.now);
        }
        sys::monotonic_ns() - before
    }
}
