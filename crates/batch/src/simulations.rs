//! Simulations of many scenarios on several threads, without traces.
//!
//! One simulation stays on one thread: its decisions depend on each other. Scenarios are independent, so a batch of
//! them uses every processor.

use crate::each::{find_all, Control, Failure};
use schedlab_lab::{Catalog, Caveats, Measures, PrepareError, Prepared, Workspace};
use schedlab_model::Instant;
use schedlab_report::invariants::{Checker, InvariantChecks};
use schedlab_report::metrics::TaskMetrics;
use schedlab_scenario::Scenario;
use std::convert::Infallible;

/// Metrics of one simulation, in short.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The end of the simulation.
    pub until: Instant,
    /// Sums over all tasks: arrivals, misses, preemptions, migrations.
    pub all: TaskMetrics,
    /// Largest tardiness, with that of jobs which are late and unfinished.
    pub max_tardiness_ns: u64,
    /// Time in which processors were busy with overheads.
    pub overhead_ns: u64,
    /// Time that tasks were charged for and no task used.
    pub wasted_ns: u64,
    /// Share of processor time that was busy.
    pub load: f64,
    /// Circles of jobs that wait for each other.
    pub deadlocks: usize,
    /// By task: the longest response time of its complete jobs.
    pub max_response_times_ns: Vec<Option<u64>>,
    /// The invariants that the schedule violates, of those that were checked.
    pub violated: Vec<&'static str>,
    /// The names of the tasks that fit nowhere and were placed best-effort.
    pub overflowed: Vec<String>,
}

/// Result of a simulation. A scheduler or protocol that cannot have these tasks is a result, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// The scheduler's name.
    pub scheduler: String,
    /// What the simulation leaves out and rests on.
    pub caveats: Caveats,
    /// Metrics, or the reason why there is no schedule.
    pub outcome: Result<Observed, String>,
}

/// Memory of a thread: after the largest system, neither the engine nor metrics allocate anything for another.
#[derive(Default)]
struct Memory {
    engine: Workspace,
    measures: Measures,
}

/// Simulates each scenario with its catalogue on `threads` threads; the results do not depend on their number. With
/// `check`, the invariants are checked. A scenario that is wrong gets a message in its place, and the others go on.
pub fn simulate_all(
    scenarios: &[(&Scenario, &Catalog)],
    check: bool,
    threads: usize,
    control: &Control,
) -> Result<Vec<Result<Simulated, String>>, Failure<Infallible>> {
    find_all(scenarios.len(), threads, control, |memory, index| {
        let (scenario, catalog) = scenarios[index];
        Some(simulated(scenario, catalog, check, memory, control))
    })
}

fn simulated(
    scenario: &Scenario,
    catalog: &Catalog,
    check: bool,
    memory: &mut Memory,
    control: &Control,
) -> Result<Simulated, String> {
    let prepared = Prepared::of(scenario, catalog);
    let observed = prepared.and_then(|prepared| observe(&prepared, check, memory, control));
    let outcome = match observed {
        Ok(observed) => Ok(observed),
        // Not bad input, but what the scheduler can do.
        Err(error) if error.is_of_scheduler() => Err(error.to_string()),
        Err(error) => return Err(error.to_string()),
    };
    let scheduler = scenario.scheduler_name().to_owned();
    Ok(Simulated { scheduler, caveats: Caveats::of(scenario), outcome })
}

/// Simulates until the horizon, or until the control stops the work.
fn observe(
    prepared: &Prepared,
    check: bool,
    memory: &mut Memory,
    control: &Control,
) -> Result<Observed, PrepareError> {
    let context = prepared.context();
    let Memory { engine, measures } = memory;
    measures.metrics = core::mem::take(&mut measures.metrics)
        .renewed(prepared.tasks.len(), prepared.platform.processors().into())
        .summaries_only()
        .with_utilities(&context.worths);
    measures.deadlocks = core::mem::take(&mut measures.deadlocks).renewed(&context);
    measures.checker = check.then(|| Checker::new(&context).also(&prepared.own_invariants, &context));
    prepared.measure(measures, engine, &mut |_| !control.is_stopped())?;
    let verdict = measures.checker.take().map(Checker::finish);
    let Measures { metrics, deadlocks, .. } = &*measures;
    let (all, cpus) = (metrics.all_tasks(), metrics.all_processors());
    Ok(Observed {
        until: metrics.until(),
        max_tardiness_ns: all.max_tardiness(),
        overhead_ns: cpus.overheads(),
        wasted_ns: cpus.wasted(),
        load: cpus.load(),
        deadlocks: deadlocks.found.len(),
        max_response_times_ns: metrics.tasks().iter().map(|task| task.response_time.max()).collect(),
        violated: verdict.as_ref().map_or_else(Vec::new, violated),
        overflowed: prepared.overflowed_names(),
        all,
    })
}

fn violated(verdict: &InvariantChecks) -> Vec<&'static str> {
    let broken = verdict.outcomes.iter().filter(|outcome| !outcome.holds());
    broken.map(|outcome| outcome.invariant.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(scheduler: &str, wcets: [u32; 3]) -> Scenario {
        let tasks: Vec<String> = ["a", "b", "c"]
            .iter()
            .zip(wcets)
            .map(|(name, wcet)| format!("{{ name = \"{name}\", wcet = \"{wcet} ms\", period = \"10 ms\" }}"))
            .collect();
        let head = format!("schedlab = 1\nscheduler = \"{scheduler}\"\nhorizon = \"100 ms\"\n");
        let text = format!("{head}platform = {{ processors = 2 }}\ntask = [{}]\n", tasks.join(", "));
        Scenario::parse("test", &text).unwrap()
    }

    fn all(scenarios: &[Scenario], threads: usize) -> Vec<Result<Simulated, String>> {
        let shipped = Catalog::shipped();
        let pairs: Vec<_> = scenarios.iter().map(|scenario| (scenario, &shipped)).collect();
        simulate_all(&pairs, true, threads, &Control::default()).unwrap()
    }

    #[test]
    fn results_stand_in_order_on_any_number_of_threads() {
        let mut given: Vec<Scenario> =
            (1..40).map(|index| scenario("G-EDF", [1 + index % 9, 1 + index % 7, 5])).collect();
        given.push(scenario("P-EDF", [6, 6, 6]));
        given.push(scenario("P-EDF", [6, 6, 6]).with_placement("refuse").unwrap());
        let alone = all(&given, 1);
        for threads in [2, 3, 8] {
            assert_eq!(all(&given, threads), alone);
        }
        let observed = |index: usize| alone[index].as_ref().unwrap().outcome.as_ref().unwrap();
        assert_eq!(observed(0).all.arrived, 30);
        assert_eq!((observed(0).all.missed, observed(0).max_response_times_ns[2]), (0, Some(7_000_000)));
        assert!(alone
            .iter()
            .take(39)
            .any(|one| one.as_ref().unwrap().outcome.as_ref().unwrap().all.missed > 0));
        assert!((0..39).all(|index| observed(index).violated.is_empty()));
        assert!(observed(39).overflowed == ["c"] && observed(39).all.missed > 0);
        let no_room = alone[40].as_ref().unwrap();
        assert_eq!((no_room.scheduler.as_str(), no_room.outcome.is_err()), ("P-EDF", true));
    }

    #[test]
    fn a_wrong_scenario_does_not_stop_the_others() {
        let mut given = [scenario("G-EDF", [1; 3]), scenario("G-EDF", [1; 3]), scenario("G-EDF", [2; 3])];
        given[1].scheduler.name = "G-NONE".to_owned();
        let found = all(&given, 2);
        assert!(found[0].is_ok() && found[1].is_err() && found[2].is_ok(), "{found:?}");
    }

    #[test]
    fn stops_within_a_simulation() {
        let long = scenario("G-EDF", [3; 3]).with_horizon(Instant::from_ns(1 << 50)).unwrap();
        let (short, shipped, control) = (scenario("G-EDF", [1; 3]), Catalog::shipped(), Control::default());
        std::thread::scope(|scope| {
            let asked = [(&short, &shipped), (&long, &shipped)];
            let control = &control;
            let running = scope.spawn(move || simulate_all(&asked, false, 1, control));
            // The long one begins when the short one is done.
            while control.done() == 0 {
                core::hint::spin_loop();
            }
            control.stop();
            assert_eq!(running.join().unwrap(), Err(Failure::Stopped));
        });
    }
}
