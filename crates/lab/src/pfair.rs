//! Pfair schedulers: what analysis has to know of them, and what they are told of the tasks.
//!
//! A policy chooses weights from the tasks that it is told of. Where the machine takes its part of every quantum,
//! these are the tasks with their overheads, since a job needs more quanta then; and if the scenario asks for
//! guaranteed weights, deadlines are as short as that takes. If the overheads do not fit, policies are told of the
//! tasks as they are, and analysis promises nothing.

use crate::analysis::{account, arrivals, OverheadOutcome};
use crate::prepared::{PrepareError, Prepared};
use schedlab_analysis::pfair::{fits, reserve, Share};
use schedlab_analysis::{Order, Quanta, Scheduler, System};
use schedlab_model::{Alignment, Duration, ReleasePoint, Task, TaskId};
use schedlab_policy::pfair::NAMES;
use schedlab_scenario::Weights;

/// The quanta of the scenario's scheduler, if it is one of Pfair.
pub(crate) fn quanta(prepared: &Prepared) -> Option<Quanta> {
    let name = prepared.scheduler.name.as_str();
    // Components of supertasks have no weights of their own.
    let speaks = NAMES.contains(&name) && prepared.supertasks.is_empty();
    speaks.then(|| Quanta {
        length: prepared.platform.quantum,
        staggered: prepared.platform.alignment == Alignment::Staggered,
        dynamic: name != "PF",
        guaranteed: prepared.scenario.scheduler.weights == Weights::Guaranteed,
    })
}

/// The scheduler as analysis sees it.
pub(crate) fn scheduler(prepared: &Prepared, quanta: Quanta) -> Scheduler<'static> {
    Scheduler { order: Order::Pfair(quanta), preemptive: true, ranks: &[], arrivals: arrivals(prepared) }
}

/// The tasks as the policy should see them.
pub(crate) fn told(prepared: &Prepared) -> Result<Vec<Task>, PrepareError> {
    let Some(quanta) = quanta(prepared) else { return Ok(prepared.tasks.clone()) };
    let tasks = match account(prepared) {
        OverheadOutcome::Inflated(tasks) => tasks,
        OverheadOutcome::None | OverheadOutcome::NotAccounted(_) => prepared.tasks.clone(),
    };
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

fn system(prepared: &Prepared, quanta: Quanta, tasks: &[Task]) -> Result<System, PrepareError> {
    let late = match prepared.platform.releases {
        ReleasePoint::Timer => Duration::ZERO,
        ReleasePoint::Tick => prepared.platform.quantum,
    };
    let ids = (0..tasks.len() as u32).map(TaskId);
    let processors = prepared.platform.processors().into();
    System::new(tasks, ids, processors, &scheduler(prepared, quanta), late).map_err(PrepareError::Analysis)
}
