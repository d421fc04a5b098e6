//! Feasibility: can the processors hold the tasks at all, by some scheduler? Both answers are off-line: no policy here
//! executes the schedules that they construct.
//!
//! The tests compare utilizations only, which decides the question for implicit deadlines, and says too little for
//! others. Shorter deadlines, jitter, self-suspension and shared resources are refused. So are arrivals that end,
//! because a utilization above the number of processors need not make a job late there.

use schedlab_analysis::packing::affinities::{feasibility, Feasibility};
use schedlab_analysis::packing::run::{reduce_rates, Infeasible, Reduction};
use schedlab_model::Instant;
use schedlab_scenario::{Arrival, Scenario, TaskSpec};

/// The error if feasibility cannot be decided for these tasks by utilization.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "task \"{task}\" {why}; allowed: implicit deadlines, arrivals without end, no jitter, suspension or requests"
)]
pub struct NotAsked {
    /// The task's name.
    pub task: String,
    /// The property of the task that is not allowed, as a verb phrase.
    pub why: &'static str,
}

/// Computes the reduction of RUN. If none exists, returns why: no scheduler then keeps all deadlines.
pub(crate) fn run(scenario: &Scenario) -> Result<Result<Reduction, Infeasible>, NotAsked> {
    Ok(reduce_rates(&rates(scenario)?, scenario.platform.processors.into()))
}

/// Computes each task's shares of the processors in its affinity, or the reason why no such shares exist.
pub(crate) fn affinities(scenario: &Scenario) -> Result<Feasibility, NotAsked> {
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
        let obstacles = [
            (task.relative_deadline < task.period, "has a relative deadline below its period"),
            (!task.jitter.is_zero(), "has jitter"),
            (matches!(task.arrival, Arrival::Listed(_)), "has listed arrivals"),
            (task.leave != Instant::NEVER, "leaves"),
            (task.has_requests(), "requests resources"),
            (task.suspension != schedlab_model::Suspension::None, "suspends itself"),
        ];
        match obstacles.into_iter().find(|(is_there, _)| *is_there) {
            Some((_, why)) => Err(NotAsked { task: task.name.clone(), why }),
            None => Ok((task.wcet.as_ns(), task.period.as_ns())),
        }
    };
    scenario.tasks.iter().map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tasks of utilization 5/6 fit one processor where their arrivals end.
    #[test]
    fn arrivals_that_end_are_not_judged_by_utilization() {
        let asked = |fields: &str| {
            let row = |name: &str| {
                format!("{{ name = \"{name}\", wcet = \"25 ms\", period = \"30 ms\", {fields} }}")
            };
            let tasks = format!("task = [{}, {}]", row("a"), row("b"));
            let text =
                format!("schedlab = 1\nscheduler = \"G-EDF\"\nplatform = {{ processors = 1 }}\n{tasks}\n");
            let scenario = Scenario::parse("test", &text).expect("the scenario is well-formed");
            (run(&scenario).map(|found| found.is_ok()), affinities(&scenario).map(|_| ()))
        };
        let refused = |why| NotAsked { task: "a".to_owned(), why };
        for (fields, why) in
            [("arrival = { at = [\"0 ms\"] }", "has listed arrivals"), ("leave = \"20 ms\"", "leaves")]
        {
            assert_eq!(asked(fields), (Err(refused(why)), Err(refused(why))));
        }
        assert_eq!(asked("arrival = \"sporadic\"").0, Ok(false));
    }
}
