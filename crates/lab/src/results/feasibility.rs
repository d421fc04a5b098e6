//! Feasibility results as plain values: can the processors hold the tasks at all?

use crate::verdict::feasibility::{affinities, run, NotAsked};
use schedlab_analysis::exact::Fraction;
use schedlab_analysis::packing::affinities::{Feasibility, Share};
use schedlab_analysis::packing::run::{Infeasible, Reduction, Server};
use schedlab_scenario::Scenario;
use schemars::JsonSchema;
use serde::Serialize;

/// A server of RUN's reduction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Server")]
struct ServerResult {
    name: String,
    rate: String,
    clients: Vec<String>,
}

/// A share of a processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Share")]
struct ShareResult {
    processor: u32,
    share: String,
}

/// The shares of processors on which a task executes within its affinity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct TaskShares {
    name: String,
    shares: Vec<ShareResult>,
}

/// A task by its shares, or by its name alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum SharesOrName {
    Shares(TaskShares),
    Name(String),
}

/// Feasibility by any scheduler: `levels` by RUN's reduction, `tasks` within affinities.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Feasibility")]
pub struct FeasibilityResult {
    feasible: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    levels: Option<Vec<Vec<ServerResult>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reductions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preemptions_per_job: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<Vec<SharesOrName>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    processors: Option<Vec<u32>>,
}

impl FeasibilityResult {
    fn refused(reason: String) -> Self {
        FeasibilityResult { reason: Some(reason), ..FeasibilityResult::default() }
    }
}

/// Decides by the reduction of RUN whether some scheduler holds the tasks.
pub fn by_run(scenario: &Scenario) -> Result<FeasibilityResult, NotAsked> {
    Ok(match run(scenario)? {
        Ok(reduction) => reduced(scenario, &reduction),
        Err(Infeasible::Overload) => {
            FeasibilityResult::refused("the utilization is above the number of processors".into())
        }
        Err(Infeasible::TaskAboveOne(index)) => FeasibilityResult::refused(above_one(scenario, index)),
    })
}

fn above_one(scenario: &Scenario, task: usize) -> String {
    format!("task \"{}\" needs more than a processor", scenario.tasks[task].name)
}

fn reduced(scenario: &Scenario, reduction: &Reduction) -> FeasibilityResult {
    let tasks = scenario.tasks.len();
    let client = |level: usize, index: usize| match (level, scenario.tasks.get(index)) {
        (0, Some(task)) => task.name.clone(),
        (0, None) => format!("idle {}", index - tasks),
        (_, _) => format!("dual of S{}.{index}", level - 1),
    };
    let level = |(level, servers): (usize, &Vec<Server<Fraction>>)| {
        let server = |(index, server): (usize, &Server<Fraction>)| ServerResult {
            name: format!("S{level}.{index}"),
            rate: server.rate.to_string(),
            clients: server.clients.iter().map(|&index| client(level, index)).collect(),
        };
        servers.iter().enumerate().map(server).collect()
    };
    FeasibilityResult {
        feasible: true,
        reductions: Some(reduction.depth()),
        preemptions_per_job: Some(reduction.preemptions()),
        levels: Some(reduction.levels.iter().enumerate().map(level).collect()),
        ..FeasibilityResult::default()
    }
}

/// Decides whether some scheduler holds the tasks within their affinities.
pub fn within_affinities(scenario: &Scenario) -> Result<FeasibilityResult, NotAsked> {
    let name = |task: &usize| scenario.tasks[*task].name.clone();
    Ok(match affinities(scenario)? {
        Feasibility::Feasible(shares) => {
            let share = |(cpu, share): &(u32, Share)| ShareResult {
                processor: *cpu,
                share: format!("{}/{}", share.numerator, share.denominator),
            };
            let of = |(task, shares): (usize, &Vec<(u32, Share)>)| {
                SharesOrName::Shares(TaskShares {
                    name: name(&task),
                    shares: shares.iter().map(share).collect(),
                })
            };
            let tasks = shares.iter().enumerate().map(of).collect();
            FeasibilityResult { feasible: true, tasks: Some(tasks), ..FeasibilityResult::default() }
        }
        Feasibility::TaskAboveOne(task) => FeasibilityResult::refused(above_one(scenario, task)),
        Feasibility::TooMany { tasks, processors } => {
            let names: Vec<String> = tasks.iter().map(name).collect();
            let reason = format!(
                "{} may use no processors but {processors:?}, and together need more",
                names.join(", ")
            );
            let tasks = Some(names.into_iter().map(SharesOrName::Name).collect());
            FeasibilityResult { tasks, processors: Some(processors), ..FeasibilityResult::refused(reason) }
        }
    })
}
