//! Reasons to promise nothing of settings for Linux although tests prove the tasks' deadlines.

use schedlab_policy::Throttling;
use schedlab_scenario::{RestsOn, Scenario, Unheeded};
use std::fmt;

/// A condition of a proof that the machine of the scenario itself breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The proof charges a statistic of the overheads that measured values exceed.
    Statistic(RestsOn),
    /// The scenario states throttling, and the proof is one of a scheduler without it.
    Throttled {
        /// The throttling of the scenario.
        throttling: Throttling,
        /// The scheduler of the proof.
        scheduler: String,
    },
}

impl Doubt {
    /// Returns the reason to promise nothing about `scenario`, if there is one.
    pub(super) fn about(scenario: &Scenario) -> Option<Doubt> {
        let throttled = scenario.unheeded().into_iter().find_map(|one| match one {
            Unheeded::Throttling(throttling) => Some(throttling),
            Unheeded::Places(_) => None,
        });
        let scheduler = scenario.scheduler_name().to_owned();
        let throttled = throttled.map(|throttling| Doubt::Throttled { throttling, scheduler });
        throttled.or_else(|| scenario.rests_on_statistic().map(Doubt::Statistic))
    }

    /// The change of the scenario that removes the doubt.
    pub(super) fn cure(&self) -> &'static str {
        match self {
            Doubt::Statistic(_) => "--statistic max",
            Doubt::Throttled { .. } => "a scenario without throttling, on a machine without it",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Statistic(one) => write!(f, "a proof takes it that {one}"),
            Doubt::Throttled { throttling: Throttling { runtime, period }, scheduler } => {
                let least =
                    format!("the kernel lets threads run for {runtime} of each {period} (throttling)");
                write!(f, "{least}, of which no test under {scheduler} knows")
            }
        }
    }
}
