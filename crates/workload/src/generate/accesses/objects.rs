//! Accesses to shared objects whose costs are known: each the same, but for how many tasks share the object.
//!
//! Block-or-not-2008, sections 4.2 and 4.4: as many objects as `shared.rs` has resources, up to K accesses a task, none
//! nested. An access costs as in table 2: a constant, and a term for each of the N tasks that share the object. What
//! the text leaves open is as there: a task makes 1 to K accesses, and each is to any object, all equally likely.

use super::program::{Cost, NestedRequest};
use super::shared::Shared;
use super::{Accesses, OfNext, Rule};
use crate::generate::form::SpecForm;
use crate::random::Random;
use crate::words::{SpecError, Words};
use schedlab_model::ResourceId;

pub(super) const FORM: SpecForm<Accesses> = SpecForm {
    written: &[(
        "objects K A M COST EACH",
        "as many objects, none nested; an access costs COST, and EACH for every task that shares the object",
    )],
    read: |words| Ok(Accesses::by(Objects::parse(words)?)),
};

/// Accesses to objects.
#[derive(Debug)]
struct Objects {
    /// The number of objects, and how often a task accesses one. The length is that of an access to an object that no
    /// task shares.
    shared: Shared,
    /// Time in ns that each task which shares the object adds to an access.
    each: u64,
}

impl Objects {
    fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
        let shared = Shared::parse(words, "the cost of an access")?;
        let word = words.word("the cost by task")?;
        Ok(Objects { shared, each: words.time_in("the cost by task", word)? })
    }
}

impl Rule for Objects {
    fn resources(&self, tasks: usize) -> u32 {
        self.shared.resources_of(tasks)
    }

    fn cost(&self) -> Cost {
        Cost::Added
    }

    /// Draws the accesses of all tasks at once, because the cost of an access depends on the choices of all tasks.
    fn sections(&self, tasks: usize, objects: u32, random: &mut Random) -> OfNext<'_> {
        let mut task = || {
            let count = random.between(1, self.shared.accesses.into());
            (0..count).map(|_| random.below(objects.into()) as u32).collect::<Vec<_>>()
        };
        let accessed: Vec<Vec<u32>> = (0..tasks).map(|_| task()).collect();
        let sharers = |object: u32| accessed.iter().filter(|of| of.contains(&object)).count() as u64;
        let cost_of = |object| self.shared.longest + self.each * sharers(object);
        let cost: Vec<u64> = (0..objects).map(cost_of).collect();
        let section = move |object: u32| NestedRequest {
            length: cost[object as usize].max(1),
            resources: vec![ResourceId(object)],
        };
        let mut accessed = accessed.into_iter();
        Box::new(move |_| accessed.next().into_iter().flatten().map(&section).collect())
    }
}
