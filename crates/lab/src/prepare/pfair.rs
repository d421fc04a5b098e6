//! Pfair schedulers: what analysis needs to know of them, and the tasks as policies get them.
//!
//! A policy chooses weights from the tasks that it gets. If overheads take a part of every quantum, it gets the tasks
//! with their overheads, since a job needs more quanta then; and if the scenario asks for guaranteed weights, with
//! deadlines as short as that takes. If the overheads do not fit, the policy gets the tasks as they are, and analysis
//! promises nothing.

use crate::prepare::accounting::{account, OverheadOutcome};
use crate::prepare::error::PrepareError;
use crate::prepare::prepared::Prepared;
use crate::prepare::private::without_private;
use crate::prepare::scheduler::{pfair_scheduler, quanta};
use crate::reason::Reason;
use schedlab_analysis::blocking::with_requests;
use schedlab_analysis::pfair::{fits, reserve, Share};
use schedlab_analysis::pfair_sharing::{inflated_costs, retry_cost, zone_delay, PfairSlots};
use schedlab_analysis::{Quanta, System};
use schedlab_model::{Duration, LockingClass, ReleasePoint, Task, TaskId, Work};
use std::borrow::Cow;

/// Publication of the bounds on requests under Pfair.
pub(crate) const SHARING: &str = "Holman and Anderson, JEC 1(4), 2005, section IV";

/// Returns the tasks from which the policy chooses weights.
pub(crate) fn policy_tasks(prepared: &Prepared) -> Result<Vec<Task>, PrepareError> {
    let Some(quanta) = quanta(prepared) else { return Ok(prepared.tasks.clone()) };
    let tasks = match account(prepared) {
        OverheadOutcome::Inflated(tasks) => tasks,
        OverheadOutcome::None | OverheadOutcome::NotAccounted(_) => prepared.analysed_tasks().into_owned(),
    };
    let tasks = with_waits(prepared, &tasks).unwrap_or(tasks);
    let system = system(prepared, quanta, &tasks)?;
    if quanta.guaranteed {
        let processors = prepared.platform.processors();
        return reserve::guaranteed(&tasks, &system).ok_or(PrepareError::NoGuarantee(processors));
    }
    let shares =
        system.tasks.iter().map(|task| Share::plain(task, quanta.length)).collect::<Option<Vec<_>>>();
    match shares.is_some_and(|shares| fits(&shares, &system)) {
        true => Ok(tasks),
        false => Ok(prepared.tasks.clone()),
    }
}

/// Adds to the tasks' costs the time for which their requests may waste a processor, and removes the sections, which
/// need no more. Fails with a reason if no such time is known.
///
/// P. Holman and J. Anderson, JEC 1(4), 2005, sections IV-C and IV-D.
pub(crate) fn with_waits(prepared: &Prepared, tasks: &[Task]) -> Result<Vec<Task>, Reason> {
    if !prepared.shares() {
        return Ok(tasks.to_vec());
    }
    if !prepared.charged.overheads.are_none() {
        return Err(Reason::RequestsWithOverheads);
    }
    let tasks = &*without_private(prepared, Cow::Borrowed(tasks));
    if tasks.iter().all(|task| task.program.iter().all(|step| step.requested().is_none())) {
        return Ok(tasks.to_vec());
    }
    if prepared.retries_beside_locks() {
        return Err(Reason::RequestsWithQuanta { protocol: prepared.protocol.name });
    }
    let slots = PfairSlots::of(&prepared.platform);
    let class = prepared.protocol.class;
    let costs = if class == LockingClass::Zones {
        inflated_costs(tasks, |task, resource| zone_delay(&slots, tasks, task, resource))
    } else if class == LockingClass::LockFree {
        let fails = prepared.fails();
        inflated_costs(tasks, |task, resource| {
            retry_cost(&slots, tasks, task, resource, fails[resource.index()])
        })
    } else if class == LockingClass::Server {
        return Err(Reason::ServerSuspendsClients);
    } else {
        return Err(Reason::RequestsWithQuanta { protocol: prepared.protocol.name });
    };
    let costs = costs.ok_or(Reason::SectionsBeyondQuantum)?;
    let of_cost = |(task, wcet): (&Task, Work)| Task { wcet, ..with_requests(task, |_| false) };
    Ok(tasks.iter().zip(costs).map(of_cost).collect())
}

fn system(prepared: &Prepared, quanta: Quanta, tasks: &[Task]) -> Result<System, PrepareError> {
    let late = match prepared.platform.releases {
        ReleasePoint::Timer => Duration::ZERO,
        ReleasePoint::Tick => prepared.platform.quantum,
    };
    let ids = (0..tasks.len() as u32).map(TaskId);
    let processors = prepared.platform.processors().into();
    System::new(tasks, ids, processors, &pfair_scheduler(prepared, quanta), late)
        .map_err(|error| PrepareError::analysis(error, &prepared.scenario))
}
