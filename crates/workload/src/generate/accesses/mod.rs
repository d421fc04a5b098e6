//! How do tasks use shared resources? Each file is an answer, and says how it is written.
//!
//! A drawn access becomes a critical section in the task's program. What the task executes outside of its sections is
//! cut at uniformly random points, so that a section may stand anywhere; the sections of a job come in random order.

mod independent;
mod objects;
mod program;
mod shared;

use super::form::{self, FormMeaning, SpecForm};
use crate::random::{Purpose, Random};
use crate::words::{allowed, SpecError, Words};
use core::fmt;
use core::str::FromStr;
use program::{Cost, NestedRequest};
use schedlab_model::{Resource, Task};
use std::sync::Arc;

/// The rule for accesses of tasks that share nothing.
pub const NONE: &str = "none";

const NOTHING: SpecForm<Accesses> =
    SpecForm { written: &[(NONE, "no shared resources")], read: |_| Ok(Accesses::NONE) };

/// Every rule. A new one is one file and one line here.
const FORMS: &[SpecForm<Accesses>] = &[NOTHING, independent::FORM, shared::FORM, objects::FORM];

/// All rules as they can be written, with their meanings.
pub fn written() -> impl Iterator<Item = FormMeaning> {
    form::written(FORMS)
}

/// A rule by which tasks use shared resources.
trait Rule: fmt::Debug + Send + Sync {
    /// Returns the number of resources of `tasks` tasks.
    fn resources(&self, tasks: usize) -> u32;

    /// Returns how the sections and the WCET of a task go together.
    fn cost(&self) -> Cost;

    /// Returns a function that draws the sections of one task after the other. Whatever depends on all `tasks` tasks is
    /// drawn at once.
    fn sections(&self, tasks: usize, resources: u32, random: &mut Random) -> OfNext<'_>;
}

/// Draws the sections of the next task.
type OfNext<'r> = Box<dyn FnMut(&mut Random) -> Vec<NestedRequest> + 'r>;

/// A rule by which tasks use shared resources.
#[derive(Clone, Debug)]
pub struct Accesses(Option<Arc<dyn Rule>>);

impl Accesses {
    /// The rule of tasks that share nothing.
    pub const NONE: Accesses = Accesses(None);

    fn by(rule: impl Rule + 'static) -> Self {
        Accesses(Some(Arc::new(rule)))
    }

    /// Gives `tasks`, which have no programs, critical sections: those of set number `index` of `seed`. Returns
    /// the resources.
    pub fn draw(&self, tasks: &mut [Task], seed: u64, index: u64) -> Vec<Resource> {
        let Accesses(Some(rule)) = self else { return Vec::new() };
        let mut random = Random::stream(seed, Purpose::Accesses, index);
        let count = rule.resources(tasks.len());
        let mut of_next = rule.sections(tasks.len(), count, &mut random);
        for task in tasks {
            let mut sections = of_next(&mut random);
            random.shuffle(&mut sections);
            program::give(task, &sections, rule.cost(), &mut random);
        }
        vec![Resource { units: 1 }; count as usize]
    }
}

impl FromStr for Accesses {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("accesses", text);
        let name = words.word("the name of a rule")?;
        let found = match form::read(FORMS, &[], name, &mut words) {
            Some(found) => found?,
            None => return Err(words.unknown(name, allowed(&written().collect::<Vec<_>>()))),
        };
        words.finish()?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
