//! Analysing a scenario: overheads accounted for, then every test that applies.

use crate::evidence::{self, Evidence};
use crate::prepared::{PrepareError, Prepared};
use crate::{lock_overheads, pfair};
use schedlab_analysis::blocking::{analyze_with_methods, Locking};
use schedlab_analysis::overheads;
use schedlab_analysis::overheads::jlfp::{inflate, Accounting, Inflation};
use schedlab_analysis::overheads::locks::{Locks, Machine};
use schedlab_analysis::{analyze as run_tests, Analysis, Arrivals, Order, Scheduler};
use schedlab_lock::Length;
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::{Duration, Step, Task, TaskId};
use schedlab_policy::Make;
use schedlab_scenario::{Arrival, Scenario};

/// What is known of a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioAnalysis {
    /// How overheads entered.
    pub overheads: OverheadOutcome,
    /// What the tests say of the tasks with their overheads; `None` where they do not fit or no test speaks of the scheduler.
    pub analysis: Option<Analysis>,
    /// Why there is no analysis; empty if there is one.
    pub reason: String,
    /// A simulated late job for each cluster whose tasks are not schedulable.
    pub evidence: Vec<Evidence>,
}

/// How overheads entered an analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverheadOutcome {
    /// There are none.
    None,
    /// Costs were inflated to these tasks.
    Inflated(Vec<Task>),
    /// They leave no room or cannot be bounded: this is why.
    NotAccounted(String),
}

/// Says what theory guarantees for `prepared`; what it refutes is borne out by simulation.
pub fn analyze(prepared: &Prepared) -> Result<ScenarioAnalysis, PrepareError> {
    let mut found = prove(prepared)?;
    evidence::bear_out(prepared, &mut found, arrivals(prepared));
    Ok(found)
}

/// As [`analyze`], without evidence.
pub(crate) fn prove(prepared: &Prepared) -> Result<ScenarioAnalysis, PrepareError> {
    let overheads = account(prepared);
    let tasks = match &overheads {
        OverheadOutcome::None => &prepared.tasks,
        OverheadOutcome::Inflated(tasks) => tasks,
        OverheadOutcome::NotAccounted(reason) => {
            let reason = reason.clone();
            return Ok(ScenarioAnalysis { overheads, analysis: None, reason, evidence: Vec::new() });
        }
    };
    if let Some(quanta) = pfair::quanta(prepared) {
        let scheduler = pfair::scheduler(prepared, quanta);
        return match pfair::with_requests(prepared, tasks) {
            Ok(tasks) => run(prepared, &scheduler, tasks, overheads),
            Err(reason) => Ok(ScenarioAnalysis {
                overheads: OverheadOutcome::NotAccounted(reason.clone()),
                analysis: None,
                reason,
                evidence: Vec::new(),
            }),
        };
    }
    let Make::Clustered { order, preemptive } = prepared.scheduler.make else {
        let reason = format!("no test speaks of {}", prepared.scheduler.name);
        return Ok(ScenarioAnalysis { overheads, analysis: None, reason, evidence: Vec::new() });
    };
    // Overheads do not change who goes first.
    let (order, ranks) = describe(order.name, &prepared.tasks);
    // Accounting shortens periods: no arrival is where it was, but all are as far apart as sporadic ones have to be.
    let arrivals = match overheads {
        OverheadOutcome::Inflated(_) => Arrivals::Sporadic,
        OverheadOutcome::None | OverheadOutcome::NotAccounted(_) => arrivals(prepared),
    };
    let scheduler = Scheduler { order, preemptive, ranks: &ranks, arrivals };
    run(prepared, &scheduler, tasks.clone(), overheads)
}

fn run(
    prepared: &Prepared,
    scheduler: &Scheduler<'_>,
    tasks: Vec<Task>,
    overheads: OverheadOutcome,
) -> Result<ScenarioAnalysis, PrepareError> {
    let mut analysis = match scheduler.order {
        Order::Pfair(_) => {
            run_tests(&tasks, &prepared.platform, scheduler).map_err(PrepareError::Analysis)?
        }
        _ => with_locks(&tasks, prepared, scheduler)?,
    };
    let with_requests = matches!(scheduler.order, Order::Pfair(_)) && pfair::shares(prepared);
    if with_requests || matches!(overheads, OverheadOutcome::Inflated(_)) {
        analysis = analysis.of_inflated_tasks();
    }
    Ok(ScenarioAnalysis { overheads, analysis: Some(analysis), reason: String::new(), evidence: Vec::new() })
}

/// The tests, and the blocking of the scenario's locking protocol.
fn with_locks(
    tasks: &[Task],
    prepared: &Prepared,
    scheduler: &Scheduler<'_>,
) -> Result<Analysis, PrepareError> {
    let short: Vec<bool> =
        prepared.scenario.resources.iter().map(|resource| resource.length == Length::Short).collect();
    let locking = Locking { protocol: prepared.protocol.name, resources: &prepared.resources, short: &short };
    analyze_with_methods(tasks, &prepared.platform, scheduler, locking, PROGRAMS)
        .map_err(PrepareError::Analysis)
}

/// True if jobs take locks under a scheduler that is not one of Pfair.
fn takes_locks(prepared: &Prepared) -> bool {
    let requests = |task: &Task| task.program.iter().any(|step| matches!(step, Step::Request(..)));
    pfair::quanta(prepared).is_none() && prepared.tasks.iter().any(requests)
}

/// Costs and critical sections with what locks take too.
fn account_with_locks(prepared: &Prepared) -> OverheadOutcome {
    let profile = &prepared.scenario.overheads.profile;
    let leaving = lock_overheads::leaving(profile, prepared.statistic());
    let protocol = prepared.protocol.name;
    let Some(locks) = Locks::of_protocol(protocol, leaving) else {
        let reason = format!("what requests cost under \"{protocol}\" besides their sections is not known");
        return OverheadOutcome::NotAccounted(reason);
    };
    let overheads = &prepared.charged.overheads;
    let machine = Machine { platform: &prepared.platform, overheads, statistic: prepared.statistic() };
    let name = |id: TaskId| prepared.scenario.tasks[id.index()].name.as_str();
    match machine.inflate(&prepared.tasks, locks) {
        Inflation::Fits(tasks) => OverheadOutcome::Inflated(tasks),
        refused => OverheadOutcome::NotAccounted(why_refused(&refused, name)),
    }
}

/// Inflates costs by cluster: a processor's interrupts are those of its cluster's tasks.
pub(crate) fn account(prepared: &Prepared) -> OverheadOutcome {
    if prepared.charged.overheads.are_none() {
        return OverheadOutcome::None;
    }
    if matches!(prepared.scheduler.make, Make::Clustered { order, .. } if order.name == "FL") {
        let reason =
            "fair lateness orders jobs by their costs without overheads; bounds with them are not known here";
        return OverheadOutcome::NotAccounted(reason.to_owned());
    }
    if takes_locks(prepared) {
        return account_with_locks(prepared);
    }
    let mut inflated = prepared.tasks.clone();
    for (index, cluster) in prepared.platform.clusters.iter().enumerate() {
        let members: Vec<usize> =
            (0..inflated.len()).filter(|&at| inflated[at].cluster.index() == index).collect();
        let tasks: Vec<Task> = members.iter().map(|&at| prepared.tasks[at].clone()).collect();
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
        let name = |id: TaskId| prepared.scenario.tasks[members[id.index()]].name.as_str();
        let inflation = match pfair::quanta(prepared) {
            Some(_) => overheads::pfair::inflate(&tasks, &accounting),
            None => inflate(&tasks, &accounting),
        };
        match inflation {
            Inflation::Fits(tasks) => {
                members.iter().zip(tasks).for_each(|(&at, task)| inflated[at] = task);
            }
            refused => return OverheadOutcome::NotAccounted(why_refused(&refused, name)),
        }
    }
    OverheadOutcome::Inflated(inflated)
}

fn why_refused<'a>(refused: &Inflation<Vec<Task>>, name: impl Fn(TaskId) -> &'a str) -> String {
    match refused {
        Inflation::Fits(_) => unreachable!("it was not refused"),
        Inflation::InterruptOverload => "interrupts alone take a whole processor or quantum".to_owned(),
        Inflation::TaskOverload(task) => {
            format!("with its overheads, task \"{}\" needs more than a processor", name(*task))
        }
        Inflation::UnboundedSuspensions(task) => format!(
            "task \"{}\" suspends itself nobody knows how often, and pays overheads each time: give it a \
             program with segments",
            name(*task)
        ),
    }
}

/// The order as the analysis names it, and each task's rank.
pub(crate) fn describe(order: &str, given: &[Task]) -> (Order, Vec<u32>) {
    let by = |key: fn(&Task) -> u64| {
        let mut keys: Vec<u64> = given.iter().map(key).collect();
        keys.sort_unstable();
        given.iter().map(|task| keys.partition_point(|other| *other < key(task)) as u32).collect()
    };
    match order {
        "RM" => (Order::FixedPriority, by(|task| task.period.as_ns())),
        "DM" => (Order::FixedPriority, by(|task| task.relative_deadline.as_ns())),
        "FP" => (Order::FixedPriority, by(|task| task.fixed_priority.into())),
        "FIFO" => (Order::Fifo, Vec::new()),
        "FL" => (Order::FairLateness, Vec::new()),
        _ => (Order::Edf, Vec::new()),
    }
}

pub(crate) fn arrivals(prepared: &Prepared) -> Arrivals {
    arrivals_of(&prepared.scenario)
}

/// Periodic only if every task is.
pub(crate) fn arrivals_of(scenario: &Scenario) -> Arrivals {
    let periodic = scenario.tasks.iter().all(|spec| spec.arrival == Arrival::Periodic);
    if periodic {
        Arrivals::Periodic
    } else {
        Arrivals::Sporadic
    }
}
