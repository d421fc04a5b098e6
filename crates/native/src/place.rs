//! Where tasks go, and whether the processors can hold them at all.

use crate::errors::bad_input;
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use pythonize::pythonize;
use schedlab_analysis::packing::affinities::{Feasibility, Share};
use schedlab_analysis::packing::run::{Infeasible, Reduction, Server};
use schedlab_lab::{feasibility, PrepareError, Prepared};
use schedlab_scenario::Scenario;
use serde_json::{json, Value};

#[pymethods]
impl PyScenario {
    /// Where each task, or piece of one, runs, with the priorities that a rule gave, and the scenario that says so; `error`
    /// and no scenario where nothing can be placed.
    fn placement<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Option<PyScenario>)> {
        let (found, made) = match py.detach(|| Prepared::for_analysis(&self.scenario, &self.catalog)) {
            Ok(prepared) => (placed(&self.scenario, &prepared), Some(self.with(prepared.scenario))),
            Err(error) if error.is_lack_of_room() || matches!(error, PrepareError::Locking(_)) => {
                let name = self.scenario.scheduler_name();
                (
                    json!({ "scheduler": name, "error": error.to_string(), "only_analysis": null, "tasks": [] }),
                    None,
                )
            }
            Err(error) => return Err(bad_input(error)),
        };
        Ok((pythonize(py, &found)?, made))
    }

    /// Whether some scheduler holds the tasks, by RUN's reduction (`run`), or within their affinities (`affinities`).
    fn feasibility<'py>(&self, py: Python<'py>, method: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = match method {
            "run" => run(&self.scenario, feasibility::run(&self.scenario).map_err(bad_input)?),
            "affinities" => {
                shares(&self.scenario, &feasibility::affinities(&self.scenario).map_err(bad_input)?)
            }
            other => {
                return Err(bad_input(format!("no method is called \"{other}\"; allowed: run, affinities")))
            }
        };
        Ok(pythonize(py, &found)?)
    }
}

fn placed(given: &Scenario, prepared: &Prepared) -> Value {
    let task = |at: usize| {
        let (spec, task) = (&prepared.scenario.tasks[at], &prepared.tasks[at]);
        let piece = prepared.pieces.get(at);
        let of = piece.map_or(at, |piece| piece.task);
        let cpus = &prepared.platform.clusters[task.cluster.index()].cpus;
        json!({
            "name": spec.name,
            "of": given.tasks[of].name,
            "piece": piece.map_or(0, |piece| piece.number),
            "pieces": piece.map_or(1, |piece| piece.count),
            "offset_ns": piece.map_or(0, |piece| piece.offset.as_ns()),
            "wcet_ns": task.wcet.as_ns(),
            "period_ns": task.period.as_ns(),
            "relative_deadline_ns": task.relative_deadline.as_ns(),
            "cluster": task.cluster.0,
            "processors": cpus.iter().map(|cpu| cpu.0).collect::<Vec<_>>(),
            "priority": spec.priority,
            "overflowed": prepared.overflowed.iter().any(|id| id.index() == at),
        })
    };
    json!({
        "scheduler": prepared.scheduler.name,
        "error": null,
        "only_analysis": prepared.only_analysis,
        "tasks": (0..prepared.tasks.len()).map(task).collect::<Vec<_>>(),
    })
}

fn run(scenario: &Scenario, found: Result<Reduction, Infeasible>) -> Value {
    let refused = |reason: String| json!({ "feasible": false, "reason": reason });
    let reduction = match found {
        Ok(reduction) => reduction,
        Err(Infeasible::Overload) => {
            return refused("the utilization is above the number of processors".into())
        }
        Err(Infeasible::TaskAboveOne(at)) => {
            return refused(format!("task \"{}\" needs more than a processor", scenario.tasks[at].name))
        }
    };
    let tasks = scenario.tasks.len();
    let client = |level: usize, at: usize| match (level, scenario.tasks.get(at)) {
        (0, Some(task)) => task.name.clone(),
        (0, None) => format!("idle {}", at - tasks),
        (_, _) => format!("dual of S{}.{at}", level - 1),
    };
    let level = |(level, servers): (usize, &Vec<Server>)| -> Value {
        let server = |(at, server): (usize, &Server)| {
            json!({
                "name": format!("S{level}.{at}"),
                "rate": server.rate.to_string(),
                "clients": server.clients.iter().map(|&at| client(level, at)).collect::<Vec<_>>(),
            })
        };
        servers.iter().enumerate().map(server).collect()
    };
    json!({
        "feasible": true,
        "reductions": reduction.depth(),
        "preemptions_per_job": reduction.preemptions(),
        "levels": reduction.levels.iter().enumerate().map(level).collect::<Vec<_>>(),
    })
}

fn shares(scenario: &Scenario, found: &Feasibility) -> Value {
    let name = |at: &usize| scenario.tasks[*at].name.as_str();
    match found {
        Feasibility::Feasible(shares) => {
            let of = |(at, shares): (usize, &Vec<(u32, Share)>)| {
                let share = |(cpu, share): &(u32, Share)| json!({ "processor": cpu, "share": format!("{}/{}", share.numerator, share.denominator) });
                json!({ "name": name(&at), "shares": shares.iter().map(share).collect::<Vec<_>>() })
            };
            json!({ "feasible": true, "tasks": shares.iter().enumerate().map(of).collect::<Vec<_>>() })
        }
        Feasibility::TaskAboveOne(at) => {
            json!({ "feasible": false, "reason": format!("task \"{}\" needs more than a processor", name(at)) })
        }
        Feasibility::TooMany { tasks, processors } => {
            let names: Vec<&str> = tasks.iter().map(name).collect();
            let reason = format!(
                "{} may use no processors but {processors:?}, and together need more",
                names.join(", ")
            );
            json!({ "feasible": false, "reason": reason, "tasks": names, "processors": processors })
        }
    }
}
