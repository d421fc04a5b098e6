//! The file that a scenario came from, read again to say where it is wrong once something else of it has been replaced.

use super::document::Document;
use super::scenario::Parts;
use super::table::Table;
use crate::check::{error_of, Fault, Part};
use crate::error::Errors;
use crate::field;
use crate::scenario::{Scenario, TaskSpec};
use std::fmt;
use std::sync::Arc;

/// Where a scenario was read, if it was. Scenarios that differ in this alone are equal.
#[derive(Clone, Default)]
pub struct Origin(Option<Arc<(String, String)>>);

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}

impl Eq for Origin {}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Origin({:?})", self.0.as_ref().map(|read| &read.0))
    }
}

impl Origin {
    pub(crate) fn new(file: &str, text: &str) -> Origin {
        Origin(Some(Arc::new((file.to_owned(), text.to_owned()))))
    }
}

/// What is wrong with `scenario`: with its place where a task or resource at fault stands in the file as it does in the scenario.
pub(crate) fn errors(scenario: &Scenario, faults: Vec<Fault>) -> Result<(), Errors> {
    let Some(read) = scenario.origin.0.as_deref().filter(|_| !faults.is_empty()) else {
        return Errors::check(faults.into_iter().map(error_of).collect());
    };
    let doc = Document::new(&read.0, &read.1);
    let parsed = doc.parse().expect("it was read before");
    let root = Table::new(&doc, String::new(), parsed.get_ref(), parsed.span().start, &[&field::SCENARIO]);
    let (mut placed, mut errors) = (Vec::new(), Vec::new());
    let (parts, specs) = Parts::read(&root);
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

/// The part of the file that says what `part` of the scenario is.
fn again(scenario: &Scenario, parts: &Parts<'_, '_, '_>, specs: &[TaskSpec], part: Part) -> Option<Part> {
    let of_task = |at: usize| {
        let task = &scenario.tasks[at];
        // Copies are called after their task.
        let set = task.name.rsplit_once('.').map(|(name, _)| name);
        let is_it = |spec: &TaskSpec| {
            (spec.name == task.name || Some(spec.name.as_str()) == set) && spec.program == task.program
        };
        specs.iter().position(is_it)
    };
    match part {
        Part::Task(at) => of_task(at).map(Part::Task),
        Part::Step(at, step) => of_task(at).map(|at| Part::Step(at, step)),
        Part::Resource(at) => {
            parts.resources().iter().position(|spec| *spec == scenario.resources[at]).map(Part::Resource)
        }
        Part::File | Part::Platform | Part::Scheduler | Part::Supertask(_) => None,
    }
}
