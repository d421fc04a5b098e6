//! What a program must keep: it executes the WCET, gives back what it took, and cannot deadlock.

use super::{Faults, Part};
use crate::error::Problem;
use crate::quantity::LONGEST;
use crate::read::task::executed;
use crate::scenario::{Scenario, TaskSpec};
use schedlab_model::{ResourceId, Step, Suspension};

/// Checks the program of one task.
pub(crate) fn task(scenario: &Scenario, task: &TaskSpec, part: Part, faults: &mut Faults) {
    let segmented = task.program.iter().any(|step| matches!(step, Step::Suspend(_)));
    if segmented != (task.suspension == Suspension::Segmented) {
        let allowed = "segmented exactly if the program suspends";
        faults.refuse(
            part,
            "suspension",
            format!("{:?}", task.suspension),
            "does not fit the program",
            allowed,
        );
    }
    if let Suspension::Dynamic(bound) = task.suspension {
        faults.positive(part, "suspension", bound);
    }
    if task.program.is_empty() {
        return;
    }
    let sum = executed(&task.program);
    if sum != task.wcet {
        let why = format!("is not the {sum} that the program executes");
        faults.refuse(part, "wcet", task.wcet, why, format!("{sum}, or no wcet beside the program"));
    }
    if let Err(problem) = Walk::new(scenario, &task.name).through(&task.program) {
        faults.add(part, "program", problem);
    }
}

/// What a job holds on its way through its program.
struct Walk<'s> {
    scenario: &'s Scenario,
    /// The task's name.
    task: &'s str,
    held: Vec<(ResourceId, u32)>,
    np_depth: u32,
    suspended_ns: u64,
}

impl<'s> Walk<'s> {
    fn new(scenario: &'s Scenario, task: &'s str) -> Self {
        Walk { scenario, task, held: Vec::new(), np_depth: 0, suspended_ns: 0 }
    }

    fn through(mut self, steps: &[Step]) -> Result<(), Problem> {
        for step in steps {
            self.step(step)?;
        }
        let last = steps.iter().rev().find(|step| matches!(step, Step::Execute(_) | Step::Suspend(_)));
        if let Some(Step::Suspend(length)) = last {
            // The job would need its processor once more, for nothing.
            let why = "has no execution after it";
            let allowed = "a program that executes last";
            return Err(Problem::refused(format!("suspend {length}"), why, allowed));
        }
        if let Some((resource, _)) = self.held.last() {
            let why = format!("still holds {} at the end of its program", self.name(*resource));
            return Err(self.refused(why, "a release for each request"));
        }
        if self.np_depth > 0 {
            return Err(Problem::refused("np_enter", "has no np_exit", "an np_exit for each np_enter"));
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), Problem> {
        match step {
            Step::Execute(work) if work.is_zero() => {
                Err(Problem::refused("execute 0ns", "does nothing", "a duration above zero"))
            }
            Step::Execute(_) => Ok(()),
            Step::Suspend(length) => {
                self.suspended_ns = self.suspended_ns.saturating_add(length.as_ns());
                if self.suspended_ns > LONGEST.as_ns() {
                    return Err(Problem::refused(
                        format!("suspend {length}"),
                        "is too long",
                        "a year in all",
                    ));
                }
                if self.np_depth > 0 {
                    let why = "stands in a non-preemptive section";
                    return Err(Problem::refused(format!("suspend {length}"), why, "suspend after np_exit"));
                }
                Ok(())
            }
            Step::Request(resource, units) => self.request(*resource, *units),
            Step::Release(resource, units) => {
                match self.held.iter().position(|held| *held == (*resource, *units)) {
                    Some(at) => {
                        self.held.remove(at);
                        Ok(())
                    }
                    None => {
                        let units = if *units == 1 { "a unit" } else { &format!("{units} units") };
                        let why =
                            format!("releases {units} of {} that it does not hold", self.name(*resource));
                        Err(self.refused(why, "a request for as many units before each release"))
                    }
                }
            }
            Step::Serve(resource) if resource.index() >= self.scenario.resources.len() => {
                let allowed = format!("resources below {}", self.scenario.resources.len());
                Err(Problem::refused(resource, "does not exist", allowed))
            }
            Step::Serve(_) => Ok(()),
            Step::NpEnter => {
                self.np_depth += 1;
                Ok(())
            }
            Step::NpExit => match self.np_depth.checked_sub(1) {
                Some(depth) => {
                    self.np_depth = depth;
                    Ok(())
                }
                None => {
                    Err(Problem::refused("np_exit", "has no np_enter", "an np_enter before each np_exit"))
                }
            },
        }
    }

    fn request(&mut self, resource: ResourceId, units: u32) -> Result<(), Problem> {
        let Some(spec) = self.scenario.resources.get(resource.index()) else {
            let allowed = format!("resources below {}", self.scenario.resources.len());
            return Err(Problem::refused(resource, "does not exist", allowed));
        };
        if units == 0 || units > spec.units {
            let why = format!("requests {units} units of {:?}, which has {}", spec.name, spec.units);
            return Err(self.refused(why, format!("from 1 to {} units", spec.units)));
        }
        if self.held.iter().any(|(held, _)| *held == resource) {
            let why = format!("requests {} while it holds it", self.name(resource));
            return Err(self.refused(why, "a release before the next request"));
        }
        self.held.push((resource, units));
        Ok(())
    }

    fn name(&self, resource: ResourceId) -> String {
        let name = self.scenario.resources.get(resource.index()).map_or("?", |spec| spec.name.as_str());
        format!("{name:?}")
    }

    fn refused(&self, why: String, allowed: impl Into<String>) -> Problem {
        Problem::refused(format!("task {:?}", self.task), why, allowed)
    }
}
