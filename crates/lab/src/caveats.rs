//! What an answer about a scenario leaves out and rests on, as plain values.

use schedlab_model::OverheadKind;
use schedlab_scenario::{RestsOn, Scenario};
use schemars::JsonSchema;
use serde::Serialize;

/// What an answer about a scenario leaves out, and what it rests on. Every answer holds these lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Caveats")]
pub struct Caveats {
    /// What is left out, a line each: what was ignored of another tool's file, what the scheduler does not heed, and
    /// measured overheads that nothing charges.
    pub left_out: Vec<String>,
    /// Conditions besides the scenario's own numbers, such as a statistic of overheads that measured values exceed.
    pub rests_on: Vec<String>,
    /// Kinds of overheads without a value for the scheduler, which are not charged.
    pub overheads_unknown: Vec<&'static str>,
}

impl Caveats {
    /// Lists what answers about `scenario` under its scheduler leave out and rest on.
    pub fn of(scenario: &Scenario) -> Caveats {
        Caveats {
            left_out: scenario.all_left_out(),
            rests_on: scenario.rests_on().iter().map(RestsOn::to_string).collect(),
            overheads_unknown: scenario.unknown_overheads().into_iter().map(OverheadKind::name).collect(),
        }
    }
}
