//! What a decision costs the engine by the number of tasks: under its lock, as a run's threads tell it, but with no
//! other thread there.
//!
//! All tasks have one period and one quantum's cost, and ask for all processors together: so all of them compete at
//! once, which is what log N bounds. A job's cost is that of its arrival and of its completion, and of what is decided
//! at both.

use crate::bench::Bench;
use crate::runs::sets;
use crate::values::fit::{line, Line};
use crate::values::median::median;
use schedlab_lab::Prepared;
use schedlab_lock::LockProtocol;
use schedlab_model::{CpuId, Duration, Instant, JobSource, Work};
use schedlab_objects::{Mutex, TicketLock};
use schedlab_policy::Policy;
use schedlab_runtime::program::system;
use schedlab_runtime::{sys, DomainSetup};
use schedlab_scenario::{Scenario, TaskSpec};
use schedlab_sim::{Input, Live};
use schedlab_trace::{Record, Sink};
use serde_json::{json, Value};

/// What is asked.
#[derive(clap::Args)]
pub struct EngineProbe {
    /// A global scheduler.
    #[arg(long)]
    scheduler: String,
    /// How many periods of each number of tasks, one number after the other in turns.
    #[arg(long, default_value_t = 101)]
    rounds: usize,
}

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

/// By number of tasks: nanoseconds of a job in each period; and the line through the medians by log2 of the number.
pub(crate) fn probe(arguments: &EngineProbe, bench: &Bench) -> Result<Value, String> {
    let make = |tasks| Driven::new(&arguments.scheduler, tasks, bench.count());
    let mut all = TASKS.map(|tasks| (tasks, Vec::with_capacity(arguments.rounds)));
    let mut driven = TASKS.iter().map(|tasks| make(*tasks)).collect::<Result<Vec<_>, String>>()?;
    // The first round brings every task's data in.
    for round in 0..=arguments.rounds {
        for ((tasks, ns), driven) in all.iter_mut().zip(&mut driven) {
            let took = driven.period(*tasks);
            if round > 0 {
                ns.push(took / *tasks);
            }
        }
    }
    let rows = all.iter().map(|(tasks, ns)| json!({ "tasks": tasks, "ns": ns })).collect::<Vec<_>>();
    let point = |(tasks, ns): (u64, Vec<u64>)| {
        let mut ns: Vec<f64> = ns.into_iter().map(|ns| ns as f64).collect();
        ((tasks as f64).log2(), median(&mut ns))
    };
    let points = all.map(point);
    let Some(Line { base, slope, explained, .. }) = line(&points) else {
        unreachable!("nine numbers of tasks, each another")
    };
    Ok(json!({
        "rows": rows,
        "medians": points.map(|(_, ns)| ns),
        "fit": { "base_ns": base, "ns_by_doubling": slope, "explained": explained },
    }))
}

impl Driven {
    fn new(scheduler: &str, tasks: u64, processors: u16) -> Result<Self, String> {
        let mut scenario = Scenario::new(Vec::new());
        let quantum = scenario.platform.quantum;
        let period = Duration::from_ns(quantum.as_ns() * tasks.div_ceil(processors.into()));
        let task = |at| TaskSpec::new(format!("t{at}"), Work::from_ns(quantum.as_ns()), period);
        scenario.tasks = (0..tasks).map(task).collect();
        scenario.platform.processors = processors;
        scenario.horizon = FOR_EVER;
        let scenario = sets::finish(scenario, scheduler)?;
        let prepared = Prepared::new(&scenario).map_err(|error| error.to_string())?;
        let mut domains = system::domains(&prepared).map_err(|error| error.to_string())?;
        if domains.len() != 1 {
            return Err(format!("--scheduler {scheduler}: allowed: a global scheduler"));
        }
        let DomainSetup { policies, locks, source, .. } = domains.remove(0);
        let live = Live::new(prepared.setup_without_overheads(), policies, locks, source, Nowhere);
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
                    engine.tell(half, job, Input::Complete);
                }
            }
            self.now += self.quantum;
            self.engine.lock().advance(self.now);
        }
        sys::monotonic_ns() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every task has one job in each period, and none misses its deadline.
    #[test]
    fn all_jobs_of_a_period_are_driven() {
        for scheduler in ["G-EDF", "PD2"] {
            let mut driven = Driven::new(scheduler, 10, 2).unwrap();
            for _ in 0..3 {
                driven.period(10);
            }
            let end = driven.now;
            let summary = driven.engine.get_mut().finish(end);
            assert_eq!((summary.jobs_completed, summary.jobs_missed), (30, 0), "{scheduler}: {summary:?}");
        }
        assert!(Driven::new("P-EDF", 10, 2).is_err());
    }
}
