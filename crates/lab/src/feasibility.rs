//! Can the processors hold the tasks at all, by some scheduler? Both answers are off-line: no policy here executes what they construct.
//!
//! Tasks count by utilization: that answers the question for deadlines that are the periods, and says too
//! little for others. Shorter deadlines, jitter, self-suspension and shared resources are refused.

use schedlab_analysis::packing::affinities::{feasibility, Feasibility};
use schedlab_analysis::packing::run::{reduce_rates, Infeasible, Reduction};
use schedlab_model::Step;
use schedlab_scenario::{Scenario, TaskSpec};
use std::fmt;

/// Why the question is not answered for these tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAsked {
    /// The task's name.
    pub task: String,
    /// What it has.
    pub why: &'static str,
}

impl fmt::Display for NotAsked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "task \"{}\" {}; allowed: implicit deadlines, no jitter, suspension or requests",
            self.task, self.why
        )
    }
}

impl std::error::Error for NotAsked {}

/// The reduction of RUN; or why none exists: then no scheduler keeps all deadlines.
pub fn run(scenario: &Scenario) -> Result<Result<Reduction, Infeasible>, NotAsked> {
    Ok(reduce_rates(&rates(scenario)?, scenario.platform.processors.into()))
}

/// Shares of processors by task, where tasks run within their affinities only; or why there are none.
pub fn affinities(scenario: &Scenario) -> Result<Feasibility, NotAsked> {
    let rates = rates(scenario)?;
    let allowed = |task: &TaskSpec| match (task.processor, task.affinity.is_empty()) {
        (Some(cpu), _) => vec![u32::from(cpu)],
        (None, true) => (0..u32::from(scenario.platform.processors)).collect(),
        (None, false) => task.affinity.iter().copied().map(u32::from).collect(),
    };
    let affinities: Vec<Vec<u32>> = scenario.tasks.iter().map(allowed).collect();
    Ok(feasibility(&rates, &affinities, scenario.platform.processors.into()))
}

fn rates(scenario: &Scenario) -> Result<Vec<(u64, u64)>, NotAsked> {
    let rate = |task: &TaskSpec| {
        let requests = task.program.iter().any(|step| matches!(step, Step::Request(..)));
        let obstacles = [
            (task.relative_deadline < task.period, "has a relative deadline below its period"),
            (!task.jitter.is_zero(), "has jitter"),
            (requests, "requests resources"),
            (task.suspension != schedlab_model::Suspension::None, "suspends itself"),
        ];
        match obstacles.into_iter().find(|(is_there, _)| *is_there) {
            Some((_, why)) => Err(NotAsked { task: task.name.clone(), why }),
            None => Ok((task.wcet.as_ns(), task.period.as_ns())),
        }
    };
    scenario.tasks.iter().map(rate).collect()
}
