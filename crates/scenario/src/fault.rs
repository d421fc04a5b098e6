//! Faults of the parts of a scenario.

use crate::error::{Error, Problem};
use crate::quantity::{LONGEST, POSITIVE};
use schedlab_model::Duration;
use std::fmt::Display;

/// Part of a scenario that is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    File,
    Platform,
    Scheduler,
    Resource(usize),
    Supertask(usize),
    Server(usize),
    Task(usize),
    /// A step of a task's program.
    Step(usize, usize),
}

/// A fault: a part, one of its fields, and the problem.
pub(crate) struct Fault {
    pub(crate) part: Part,
    pub(crate) field: &'static str,
    pub(crate) problem: Problem,
}

/// Collects faults.
#[derive(Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn all(self) -> Vec<Fault> {
        self.0
    }

    pub(crate) fn add(&mut self, part: Part, field: &'static str, problem: Problem) {
        self.0.push(Fault { part, field, problem });
    }

    /// Adds a rule that a part breaks.
    pub(crate) fn rule(
        &mut self,
        part: Part,
        field: &'static str,
        sentence: String,
        allowed: impl Into<String>,
    ) {
        self.add(part, field, Problem::rule(sentence, allowed));
    }

    /// Collector for faults of one part.
    pub(crate) fn of(&mut self, part: Part) -> OfPart<'_> {
        OfPart { part, faults: self }
    }
}

/// Collects faults of one part.
pub(crate) struct OfPart<'f> {
    part: Part,
    faults: &'f mut Faults,
}

impl OfPart<'_> {
    pub(crate) fn add(&mut self, field: &'static str, problem: Problem) {
        self.faults.add(self.part, field, problem);
    }

    pub(crate) fn refuse(
        &mut self,
        field: &'static str,
        value: impl Display,
        why: impl Into<String>,
        allowed: impl Into<String>,
    ) {
        self.add(field, Problem::refused(value, why, allowed));
    }

    /// Adds a fault unless a length is above zero and at most a year.
    pub(crate) fn positive(&mut self, field: &'static str, length: Duration) {
        if length.is_zero() {
            self.refuse(field, length, "is zero", POSITIVE);
        } else if length > LONGEST {
            self.refuse(field, length, "is longer than a year", POSITIVE);
        }
    }
}

/// Turns a fault of a scenario that stands in no file into an error.
pub(crate) fn error_of(fault: Fault) -> Error {
    let field = match fault.part {
        Part::File => fault.field.to_owned(),
        Part::Platform => format!("platform.{}", fault.field),
        Part::Scheduler => format!("scheduler.{}", fault.field),
        Part::Resource(index) => format!("resource[{index}].{}", fault.field),
        Part::Supertask(index) => format!("supertask[{index}].{}", fault.field),
        Part::Server(index) => format!("server[{index}].{}", fault.field),
        Part::Task(index) => format!("task[{index}].{}", fault.field),
        Part::Step(index, step) => format!("task[{index}].{}[{step}]", fault.field),
    };
    Error { place: None, field, problem: fault.problem }
}
