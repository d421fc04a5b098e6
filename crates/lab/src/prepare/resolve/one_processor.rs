//! Systems of tasks on one processor, as tests see them.

use crate::prepare::error::{PrepareError, Unresolved};
use crate::prepare::scheduler::{arrivals_of, Ordered};
use schedlab_analysis::System;
use schedlab_model::{Duration, ReleasePoint, Task, TaskId};
use schedlab_policy::Scheduler;
use schedlab_scenario::Scenario;

/// Returns the tasks `ids` as a system alone on one processor.
pub(super) fn system(
    scenario: &Scenario,
    scheduler: &Scheduler,
    tasks: &[Task],
    ids: &[TaskId],
) -> Result<System, PrepareError> {
    let unknown = || PrepareError::Unresolved(Unresolved::TestUnder("a test", scheduler.name.clone()));
    let ordered = Ordered::new(scheduler.class(), tasks, |_| 1).ok_or_else(unknown)?;
    let analysed = ordered.scheduler(scheduler.is_preemptive(), arrivals_of(scenario));
    let delay = match scenario.platform.releases {
        ReleasePoint::Timer => Duration::ZERO,
        ReleasePoint::Tick => scenario.platform.quantum,
    };
    System::new(tasks, ids.iter().copied(), 1, &analysed, delay)
        .map_err(|error| PrepareError::analysis(error, scenario))
}
