//! Analysing a scenario: overheads accounted for, then every test that applies.

use crate::accounting::{account, OverheadOutcome};
use crate::error::PrepareError;
use crate::evidence::{self, Evidence};
use crate::pfair;
use crate::prepared::Prepared;
use crate::scheduler::{arrivals, describe, pfair_scheduler, quanta};
use schedlab_analysis::blocking::{analyze_with_methods, Locking};
use schedlab_analysis::{analyze as run_tests, Analysis, Arrivals, Order, Scheduler};
use schedlab_lock::Length;
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::Task;
use schedlab_policy::Make;

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

/// Says what theory guarantees for `prepared`; what it refutes is borne out by simulation.
pub fn analyze(prepared: &Prepared) -> Result<ScenarioAnalysis, PrepareError> {
    let mut found = prove(prepared)?;
    if let Some(analysis) = &mut found.analysis {
        found.evidence = evidence::bear_out(prepared, analysis, arrivals(prepared));
    }
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
    if let Some(quanta) = quanta(prepared) {
        let scheduler = pfair_scheduler(prepared, quanta);
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
    let with_requests = matches!(scheduler.order, Order::Pfair(_)) && prepared.shares();
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
