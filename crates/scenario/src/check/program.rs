//! Checks of programs: a program executes the WCET, gives back what it took, and cannot deadlock.

use crate::convert::executed;
use crate::error::Problem;
use crate::fault::{Faults, Part};
use crate::quantity::LONGEST;
use crate::scenario::{Scenario, TaskSpec};
use schedlab_model::{ResourceId, Step, Suspension};

/// Checks the program of one task.
pub(crate) fn task(scenario: &Scenario, task: &TaskSpec, index: usize, faults: &mut Faults) {
    let mut of_task = faults.of(Part::Task(index));
    let segmented = task.program.iter().any(|step| matches!(step, Step::Suspend(_)));
    if segmented != (task.suspension == Suspension::Segmented) {
        let allowed = "segmented exactly if the program suspends";
        of_task.refuse("suspension", format!("{:?}", task.suspension), "does not fit the program", allowed);
    }
    if let Suspension::Dynamic(bound) = task.suspension {
        of_task.positive("suspension", bound);
    }
    if task.program.is_empty() {
        return;
    }
    let sum = executed(&task.program);
    if sum != task.wcet {
        let why = format!("is not the {sum} that the program executes");
        of_task.refuse("wcet", task.wcet, why, format!("{sum}, or no wcet beside the program"));
    }
    if let Err((step, problem)) = Walk::new(scenario, &task.name).through(&task.program) {
        faults.add(Part::Step(index, step), "program", problem);
    }
}

/// State of a job on its way through its program.
struct Walk<'s> {
    scenario: &'s Scenario,
    /// Name of the task.
    task: &'s str,
    /// Held resources, each with its units and the step of its request.
    held: Vec<(ResourceId, u32, usize)>,
    /// Each `np_enter` that no `np_exit` has answered yet.
    entered: Vec<usize>,
    suspended_ns: u64,
}

impl<'s> Walk<'s> {
    fn new(scenario: &'s Scenario, task: &'s str) -> Self {
        Walk { scenario, task, held: Vec::new(), entered: Vec::new(), suspended_ns: 0 }
    }

    /// Walks through the steps. Returns the first step that is wrong, or after which something is missing.
    fn through(mut self, steps: &[Step]) -> Result<(), (usize, Problem)> {
        for (index, step) in steps.iter().enumerate() {
            self.step(index, step).map_err(|problem| (index, problem))?;
        }
        let last = steps.iter().rposition(|step| matches!(step, Step::Execute(_) | Step::Suspend(_)));
        if let Some((index, Step::Suspend(length))) = last.map(|index| (index, steps[index])) {
            // The job would need its processor once more, for nothing.
            let why = "has no execution after it";
            let allowed = "a program that executes last";
            return Err((index, Problem::refused(format!("suspend {length}"), why, allowed)));
        }
        if let Some(&(resource, _, since)) = self.held.last() {
            let why = format!("still holds {} at the end of its program", self.name(resource));
            return Err((since, self.refused(why, "a release for each request")));
        }
        if let Some(&since) = self.entered.last() {
            let problem = Problem::refused("np_enter", "has no np_exit", "an np_exit for each np_enter");
            return Err((since, problem));
        }
        Ok(())
    }

    fn step(&mut self, index: usize, step: &Step) -> Result<(), Problem> {
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
                if !self.entered.is_empty() {
                    let why = "stands in a non-preemptive section";
                    return Err(Problem::refused(format!("suspend {length}"), why, "suspend after np_exit"));
                }
                if self.held.iter().any(|(held, ..)| self.is_object(*held)) {
                    let why = "stands in an operation on an object";
                    return Err(Problem::refused(format!("suspend {length}"), why, "suspend after it"));
                }
                Ok(())
            }
            Step::Request(resource, units) => self.request(index, *resource, *units),
            Step::Release(resource, units) => {
                let is_it = |held: &(ResourceId, u32, usize)| (held.0, held.1) == (*resource, *units);
                match self.held.iter().position(is_it) {
                    Some(place) => {
                        self.held.remove(place);
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
            Step::Serve(resource) if self.is_object(*resource) => {
                let why = format!("serves {}, an object that its scheme governs", self.name(*resource));
                Err(self.refused(why, "serve of a resource without a scheme"))
            }
            Step::Serve(_) => Ok(()),
            Step::NpEnter => {
                self.entered.push(index);
                Ok(())
            }
            Step::NpExit => match self.entered.pop() {
                Some(_) => Ok(()),
                None => {
                    Err(Problem::refused("np_exit", "has no np_enter", "an np_enter before each np_exit"))
                }
            },
        }
    }

    fn request(&mut self, index: usize, resource: ResourceId, units: u32) -> Result<(), Problem> {
        let Some(spec) = self.scenario.resources.get(resource.index()) else {
            let allowed = format!("resources below {}", self.scenario.resources.len());
            return Err(Problem::refused(resource, "does not exist", allowed));
        };
        if units == 0 || units > spec.units {
            let why = format!("requests {units} units of {:?}, which has {}", spec.name, spec.units);
            let allowed =
                if spec.units == 1 { "1 unit".to_owned() } else { format!("from 1 to {} units", spec.units) };
            return Err(self.refused(why, allowed));
        }
        if self.held.iter().any(|(held, ..)| *held == resource) {
            let why = format!("requests {} while it holds it", self.name(resource));
            return Err(self.refused(why, "a release before the next request"));
        }
        let outer = self.held.last().map(|(held, ..)| *held);
        if let Some(outer) = outer.filter(|outer| self.is_object(*outer) || self.is_object(resource)) {
            let why = format!("requests {} within {}", self.name(resource), self.name(outer));
            return Err(self.refused(why, "operations on objects that nest with nothing"));
        }
        self.held.push((resource, units, index));
        Ok(())
    }

    fn is_object(&self, resource: ResourceId) -> bool {
        self.scenario.resources.get(resource.index()).is_some_and(|spec| spec.object.is_some())
    }

    fn name(&self, resource: ResourceId) -> String {
        let name = self.scenario.resources.get(resource.index()).map_or("?", |spec| spec.name.as_str());
        format!("{name:?}")
    }

    fn refused(&self, why: String, allowed: impl Into<String>) -> Problem {
        Problem::refused(format!("task {:?}", self.task), why, allowed)
    }
}
