//! Analysing a scenario: overheads accounted for, then every test that applies.

use crate::prepared::{PrepareError, Prepared};
use schedlab_analysis::overheads::jlfp::{inflate, Accounting, Inflation};
use schedlab_analysis::{analyze as run_tests, Analysis, Arrivals, Order, Scheduler};
use schedlab_model::{Duration, Task};
use schedlab_policy::Make;
use schedlab_scenario::Arrival;

/// What is known of a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioAnalysis {
    /// How overheads entered.
    pub overheads: OverheadOutcome,
    /// What the tests say of the tasks with their overheads; `None` where they do not fit or no test speaks of the scheduler.
    pub analysis: Option<Analysis>,
    /// Why there is no analysis; empty if there is one.
    pub reason: String,
}

/// How overheads entered an analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverheadOutcome {
    /// There are none.
    None,
    /// Costs were inflated to these tasks.
    Inflated(Vec<Task>),
    /// They leave no room: this is why.
    DoNotFit(String),
}

/// Says what theory guarantees for `prepared`.
pub fn analyze(prepared: &Prepared) -> Result<ScenarioAnalysis, PrepareError> {
    let overheads = account(prepared);
    let tasks = match &overheads {
        OverheadOutcome::None => &prepared.tasks,
        OverheadOutcome::Inflated(tasks) => tasks,
        OverheadOutcome::DoNotFit(reason) => {
            let reason = reason.clone();
            return Ok(ScenarioAnalysis { overheads, analysis: None, reason });
        }
    };
    let Make::Clustered { order, preemptive } = prepared.scheduler.make else {
        let reason = format!("no test speaks of {}", prepared.scheduler.name);
        return Ok(ScenarioAnalysis { overheads, analysis: None, reason });
    };
    let (order, ranks) = describe(order.name, tasks, &prepared.tasks);
    let scheduler = Scheduler { order, preemptive, ranks: &ranks, arrivals: arrivals(prepared) };
    let analysis = run_tests(tasks, &prepared.platform, &scheduler).map_err(PrepareError::Analysis)?;
    Ok(ScenarioAnalysis { overheads, analysis: Some(analysis), reason: String::new() })
}

/// Inflates costs by cluster: a processor's interrupts are those of its cluster's tasks.
fn account(prepared: &Prepared) -> OverheadOutcome {
    if prepared.charged.overheads.are_none() {
        return OverheadOutcome::None;
    }
    let mut inflated = prepared.tasks.clone();
    for (index, cluster) in prepared.platform.clusters.iter().enumerate() {
        let in_cluster = |task: &Task| task.cluster.index() == index;
        let members: Vec<Task> = prepared.tasks.iter().filter(|task| in_cluster(task)).cloned().collect();
        let accounting = Accounting {
            overheads: &prepared.charged.overheads,
            statistic: prepared.statistic(),
            quantum: prepared.platform.quantum,
            processors: cluster.cpus.len() as u32,
            machine_tasks: prepared.tasks.len(),
            // Releases at ticks are accounted for as jitter.
            release_latency: Duration::ZERO,
            dedicated_interrupts: false,
        };
        match inflate(&members, &accounting) {
            Inflation::Fits(tasks) => {
                let places = (0..inflated.len()).filter(|&at| in_cluster(&prepared.tasks[at]));
                places.collect::<Vec<_>>().into_iter().zip(tasks).for_each(|(at, task)| inflated[at] = task);
            }
            Inflation::InterruptOverload => {
                return OverheadOutcome::DoNotFit("interrupts alone take a whole processor".to_owned());
            }
            Inflation::TaskOverload(task) => {
                let places = (0..prepared.tasks.len()).filter(|&at| in_cluster(&prepared.tasks[at]));
                let name = places.clone().nth(task.index()).map_or("", |at| &prepared.scenario.tasks[at].name);
                return OverheadOutcome::DoNotFit(format!(
                    "with its overheads, task \"{name}\" needs more than a processor"
                ));
            }
        }
    }
    OverheadOutcome::Inflated(inflated)
}

/// The order as the analysis names it, and each task's rank; overheads do not change who goes first.
fn describe(order: &str, tasks: &[Task], given: &[Task]) -> (Order, Vec<u32>) {
    let by = |key: fn(&Task) -> u64| {
        let mut keys: Vec<u64> = given.iter().map(key).collect();
        keys.sort_unstable();
        given.iter().map(|task| keys.partition_point(|other| *other < key(task)) as u32).collect()
    };
    debug_assert_eq!(tasks.len(), given.len());
    match order {
        "RM" => (Order::FixedPriority, by(|task| task.period.as_ns())),
        "DM" => (Order::FixedPriority, by(|task| task.relative_deadline.as_ns())),
        "FP" => (Order::FixedPriority, by(|task| task.fixed_priority.into())),
        "FIFO" => (Order::Fifo, Vec::new()),
        _ => (Order::Edf, Vec::new()),
    }
}

fn arrivals(prepared: &Prepared) -> Arrivals {
    let periodic = prepared.scenario.tasks.iter().all(|spec| spec.arrival == Arrival::Periodic);
    if periodic {
        Arrivals::Periodic
    } else {
        Arrivals::Sporadic
    }
}
