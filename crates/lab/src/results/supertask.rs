//! Supertasks with their weights, as plain values.

use crate::prepare::prepared::Prepared;
use schemars::JsonSchema;
use serde::Serialize;

/// A supertask that a Pfair scheduler knows; `doubt` says why its components' deadlines are not guaranteed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Supertask")]
pub struct SupertaskResult {
    name: String,
    order: &'static str,
    scheduling: &'static str,
    weight: String,
    components: Vec<String>,
    doubt: Option<String>,
}

impl SupertaskResult {
    /// Lists the supertasks that the scheduler knows.
    pub fn all(prepared: &Prepared) -> Vec<SupertaskResult> {
        let name = |id: &schedlab_model::TaskId| prepared.scenario.task_name(*id).to_owned();
        let row = |known: &crate::WeightedSupertask| SupertaskResult {
            name: known.name.clone(),
            order: known.supertask.order.name,
            scheduling: known.supertask.scheduling.name(),
            weight: known.supertask.weight.to_string(),
            components: known.supertask.components.iter().map(name).collect(),
            doubt: known.doubt.as_ref().map(|doubt| doubt.in_words(&prepared.scenario)),
        };
        prepared.supertasks.iter().map(row).collect()
    }
}
