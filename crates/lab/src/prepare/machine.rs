//! The machine as a scheduler divides it into clusters and quanta.

use schedlab_model::{OrderClass, Platform};
use schedlab_policy::Scheduler;
use schedlab_report::context::QuantumGrid;
use schedlab_scenario::{Scenario, TaskSpec};

/// Returns the machine as the scheduler divides it, with the alignment of quanta that the scheduler needs.
pub(crate) fn platform(scenario: &Scenario, scheduler: &Scheduler) -> Platform {
    let mut platform = scenario.model_platform();
    if platform.caches.is_empty() {
        platform.caches.clone_from(&scenario.overheads.profile.caches);
    }
    Platform { alignment: scheduler.quanta.unwrap_or(platform.alignment), ..platform }
}

/// Returns the quanta of a scheduler that decides by them, and the supertask of each task.
pub(crate) fn quanta(scenario: &Scenario, scheduler: &Scheduler, platform: &Platform) -> Option<QuantumGrid> {
    scheduler.quanta?;
    let early_release = matches!(scheduler.class(), OrderClass::Pfair { early_release: true, .. });
    let supertask = |task: &TaskSpec| {
        let name = task.supertask.as_ref()?;
        let index = scenario.supertasks.iter().position(|supertask| supertask.name == *name)?;
        Some(index as u32)
    };
    let quanta = QuantumGrid::of_platform(platform, early_release)?;
    Some(QuantumGrid { supertasks: scenario.tasks.iter().map(supertask).collect(), ..quanta })
}
