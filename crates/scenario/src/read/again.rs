//! Errors of a scenario that was changed since it was read: its file is read again to find their places.

use super::scenario::Parts;
use crate::check::{self, linux, objects};
use crate::document::{Document, Table};
use crate::error::Errors;
use crate::fault::{error_of, Fault, Part};
use crate::field;
use crate::scenario::{Scenario, TaskSpec};
use schedlab_lock::{LockProtocol, Protocol};
use schedlab_membus::AccessProgram;
use schedlab_model::{Platform, Task};
use schedlab_policy::Scheduler;

impl Scenario {
    /// Checks a scenario that a program made. A scenario that was read has passed already.
    ///
    /// Whether its locking protocol allows what its tasks do is checked by [`Scenario::make_protocol`].
    pub fn check(&self) -> Result<(), Errors> {
        errors(self, check::faults(self))
    }

    /// Refuses what a reader refuses of a file besides what [`Scenario::check`] and [`Scenario::make_protocol`] refuse:
    /// sections within which the scheduler gives jobs up, and tasks that join where there is never room.
    pub fn check_rules(&self) -> Result<(), Errors> {
        errors(self, check::aborts::faults(self))?;
        errors(self, check::joining::faults(self))
    }

    /// Refuses what stock Linux lacks of this scenario under `scheduler` and `protocol`, and says what it has instead.
    pub fn check_linux(&self, scheduler: &Scheduler, protocol: &Protocol) -> Result<(), Errors> {
        errors(self, linux::faults(self, scheduler, protocol))
    }

    /// Returns this scenario, if it passes [`Scenario::check`].
    pub(crate) fn checked(self) -> Result<Scenario, Errors> {
        self.check().map(|()| self)
    }

    /// Returns the access program of each task. Refuses tasks without a working set, and those whose workload is on no
    /// data.
    pub fn programs(&self) -> Result<Vec<AccessProgram>, Errors> {
        self.programs_or_faults().map_err(|faults| errors(self, faults).expect_err("there is a fault"))
    }

    /// Refuses objects that are shared as `scheduler` does not allow.
    pub fn check_objects(&self, scheduler: &Scheduler) -> Result<(), Errors> {
        errors(self, objects::faults(self, scheduler))
    }

    /// Checks objects for real runs: refuses resources on which jobs attempt operations but which are no objects, and
    /// objects that are shared as the scenario's scheduler does not allow.
    pub fn check_real_objects(&self) -> Result<(), Errors> {
        let scheduler = self.known_scheduler();
        let shared = scheduler.map_or_else(Vec::new, |scheduler| objects::faults(self, &scheduler));
        errors(self, objects::unknown(self).into_iter().chain(shared).collect())
    }

    /// Makes `protocol` for the scenario's tasks as they are placed on `platform`, under `scheduler`.
    pub fn make_protocol(
        &self,
        protocol: &Protocol,
        scheduler: &Scheduler,
        platform: &Platform,
        tasks: &[Task],
    ) -> Result<Box<dyn LockProtocol>, Errors> {
        let made = self.try_protocol(protocol, scheduler, platform, tasks);
        made.map_err(|error| errors(self, vec![self.fault(&error, scheduler)]).expect_err("there is a fault"))
    }
}

/// Turns faults of `scenario` into errors, with places where the task or resource at fault is in the file as it is in
/// the scenario.
fn errors(scenario: &Scenario, faults: Vec<Fault>) -> Result<(), Errors> {
    let Some(read) = scenario.origin.file().filter(|_| !faults.is_empty()) else {
        return Errors::check(faults.into_iter().map(error_of).collect());
    };
    let doc = Document::new(&read.0, &read.1);
    let parsed = doc.parse(&[&field::SCENARIO]).expect("it was read before");
    let root = Table::new(&doc, String::new(), parsed.get_ref(), parsed.span().start, &[&field::SCENARIO]);
    let (mut placed, mut errors) = (Vec::new(), Vec::new());
    let (parts, _, specs) = Parts::read(&root);
    parts.skip_rest();
    for fault in faults {
        match again(scenario, &parts, &specs, fault.part) {
            Some(part) => placed.push(Fault { part, ..fault }),
            None => errors.push(error_of(fault)),
        }
    }
    parts.report(placed);
    errors.extend(doc.found());
    Errors::check(errors)
}

/// Returns the part of the file that describes `part` of the scenario.
fn again(scenario: &Scenario, parts: &Parts<'_, '_, '_>, specs: &[TaskSpec], part: Part) -> Option<Part> {
    let of_task = |index: usize| {
        let task = &scenario.tasks[index];
        // Copies are called after their task.
        let set = task.name.rsplit_once('.').map(|(name, _)| name);
        let is_it = |spec: &TaskSpec| {
            (spec.name == task.name || Some(spec.name.as_str()) == set) && spec.program == task.program
        };
        specs.iter().position(is_it)
    };
    match part {
        Part::Task(index) => of_task(index).map(Part::Task),
        Part::Step(index, step) => of_task(index).map(|index| Part::Step(index, step)),
        Part::Resource(index) => {
            parts.resources().iter().position(|spec| *spec == scenario.resources[index]).map(Part::Resource)
        }
        Part::File | Part::Platform | Part::Scheduler | Part::Supertask(_) | Part::Server(_) => None,
    }
}
