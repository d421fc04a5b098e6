//! Tasks as a test of one processor sees them.

use crate::error::{PrepareError, Unresolved};
use crate::scheduler::{arrivals_of, describe};
use schedlab_analysis::{Scheduler as Analysed, System};
use schedlab_model::{Duration, ReleasePoint, Task, TaskId};
use schedlab_policy::{Make, Scheduler};
use schedlab_scenario::Scenario;

/// The tasks called `ids`, alone on a processor.
pub(super) fn system(
    scenario: &Scenario,
    scheduler: &Scheduler,
    tasks: &[Task],
    ids: &[TaskId],
) -> Result<System, PrepareError> {
    let Make::Clustered { order, preemptive } = scheduler.make else {
        return Err(PrepareError::Unresolved(Unresolved::TestUnder("a test", scheduler.name.clone())));
    };
    let (order, ranks) = describe(order.name, tasks);
    let analysed = Analysed { order, preemptive, ranks: &ranks, arrivals: arrivals_of(scenario) };
    let delay = match scenario.platform.releases {
        ReleasePoint::Timer => Duration::ZERO,
        ReleasePoint::Tick => scenario.platform.quantum,
    };
    System::new(tasks, ids.iter().copied(), 1, &analysed, delay).map_err(PrepareError::Analysis)
}
