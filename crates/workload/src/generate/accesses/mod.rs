//! How do tasks use shared resources? Each file is an answer.
//!
//! A drawn access becomes a critical section in the task's program. What the task executes outside of its sections is
//! cut at uniformly random points, so that a section may stand anywhere; the sections of a job come in random order.

mod independent;
mod objects;
mod program;
mod shared;

pub use independent::{Independent, LengthRange, ShortWcet};
pub use objects::Objects;
pub use shared::Shared;

use crate::random::{Purpose, Random};
use crate::words::{SpecError, Words};
use core::str::FromStr;
use program::{Cost, NestedRequest};
use schedlab_model::{Resource, Task};

/// The rule for accesses of tasks that share nothing.
pub const NONE: &str = "none";

/// The forms of a specification, and what each is.
pub const FORMS: &[(&str, &str)] = &[
    (NONE, "no shared resources"),
    (
        "independent N P short|medium|long [grow|keep]",
        "each task uses each of N resources with probability P, once a job (resource-protocols-2020). A WCET shorter than \
         its sections grows to their length (default), or is kept, which batches alone can judge",
    ),
    (
        "shared K A M LENGTH",
        "K*n/(A*M) resources for n tasks on M processors, up to K accesses a job, nested as traced (block-or-not-2008)",
    ),
    (
        "objects K A M COST EACH",
        "as many objects, none nested; an access costs COST, and EACH for every task that shares the object",
    ),
];

/// A rule by which tasks use shared resources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accesses {
    /// Not at all.
    None,
    /// Each task and resource by itself.
    Independent(Independent),
    /// As many resources as the number of accesses asks for.
    Shared(Shared),
    /// As many objects, each with its cost.
    Objects(Objects),
}

impl Accesses {
    /// Gives `tasks`, which have no programs, critical sections: those of set number `index` of `seed`. Returns
    /// the resources.
    pub fn draw(&self, tasks: &mut [Task], seed: u64, index: u64) -> Vec<Resource> {
        let mut random = Random::stream(seed, Purpose::Accesses, index);
        let count = match self {
            Accesses::None => 0,
            Accesses::Independent(rule) => rule.resources,
            Accesses::Shared(rule) | Accesses::Objects(Objects { shared: rule, .. }) => {
                rule.resources(tasks.len())
            }
        };
        let cost = match self {
            Accesses::None => Cost::Within,
            Accesses::Independent(Independent { short_wcet: ShortWcet::Grow, .. }) => Cost::Within,
            Accesses::Independent(Independent { short_wcet: ShortWcet::Keep, .. }) => Cost::Kept,
            Accesses::Shared(_) | Accesses::Objects(_) => Cost::Added,
        };
        // What an access to an object costs is known once all tasks have chosen.
        let mut to_objects = match self {
            Accesses::Objects(rule) => rule.sections(tasks.len(), count, &mut random),
            Accesses::None | Accesses::Independent(_) | Accesses::Shared(_) => Vec::new(),
        }
        .into_iter();
        for task in tasks.iter_mut() {
            let mut sections: Vec<NestedRequest> = match self {
                Accesses::None => Vec::new(),
                Accesses::Independent(rule) => rule.sections(&mut random),
                Accesses::Shared(rule) => rule.sections(count, &mut random),
                Accesses::Objects(_) => to_objects.next().unwrap_or_default(),
            };
            random.shuffle(&mut sections);
            program::give(task, &sections, cost, &mut random);
        }
        vec![Resource { units: 1 }; count as usize]
    }
}

impl FromStr for Accesses {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("accesses", text);
        let form = words.word("the name of a rule")?;
        let found = match form {
            NONE => Accesses::None,
            "independent" => Accesses::Independent(Independent::parse(&mut words)?),
            "shared" => Accesses::Shared(Shared::parse(&mut words, "the greatest length")?),
            "objects" => Accesses::Objects(Objects::parse(&mut words)?),
            other => return Err(words.unknown(other, crate::words::allowed(FORMS))),
        };
        words.finish()?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
