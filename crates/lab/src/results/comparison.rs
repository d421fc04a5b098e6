//! The compared scenario itself, as plain values.

use super::memory::name_of;
use schedlab_scenario::{Scenario, TaskSpec};
use schemars::JsonSchema;
use serde::Serialize;

/// Total utilization of the tasks that are present together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Utilization")]
pub struct UtilizationResult {
    /// The utilization as a fraction.
    pub exact: String,
    /// The utilization, rounded.
    pub value: f64,
}

/// A task of the compared scenario.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct ScenarioTask {
    index: usize,
    name: String,
    wcet_ns: u64,
    period_ns: u64,
    relative_deadline_ns: u64,
    offset_ns: u64,
    utilization: f64,
}

/// A seed: text from 2^63 on, where integers of many readers end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum Seed {
    Number(i64),
    Text(String),
}

/// The compared scenario.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ComparedScenario")]
pub struct ComparedScenarioResult {
    title: String,
    schedlab_version: &'static str,
    /// Canonical TOML that every number depends on.
    scenario: String,
    /// The name of the overheads, "none" if none.
    overheads: String,
    /// Source of the overheads: where they were measured or published, and how noisy the machine was then.
    overheads_source: String,
    /// The statistic of the overheads that is charged: max, mean, p50 to p99_9.
    overheads_statistic: &'static str,
    processors: u16,
    utilization: UtilizationResult,
    seed: Seed,
    /// Length of each simulation.
    horizon_ns: u64,
    tasks: Vec<ScenarioTask>,
}

impl ComparedScenarioResult {
    /// Describes `scenario` as this version of schedlab reads it, with the source of its overheads.
    pub fn of(
        scenario: &Scenario,
        schedlab_version: &'static str,
        overheads_source: String,
        utilization: UtilizationResult,
    ) -> Self {
        let task = |(index, task): (usize, &TaskSpec)| ScenarioTask {
            index,
            name: task.name.clone(),
            wcet_ns: task.wcet.as_ns(),
            period_ns: task.period.as_ns(),
            relative_deadline_ns: task.relative_deadline.as_ns(),
            offset_ns: task.offset.as_ns(),
            utilization: task.wcet.as_ns() as f64 / task.period.as_ns() as f64,
        };
        ComparedScenarioResult {
            title: scenario.title.clone(),
            schedlab_version,
            scenario: scenario.to_toml(),
            overheads: name_of(&scenario.overheads).to_owned(),
            overheads_source,
            overheads_statistic: scenario.overheads.statistic_name(),
            processors: scenario.platform.processors,
            utilization,
            seed: i64::try_from(scenario.seed)
                .map_or_else(|_| Seed::Text(scenario.seed.to_string()), Seed::Number),
            horizon_ns: scenario.horizon.as_ns(),
            tasks: scenario.tasks.iter().enumerate().map(task).collect(),
        }
    }
}
