//! Accesses to shared objects whose costs are known: each the same, but for how many tasks share the object.
//!
//! Block-or-not-2008, sections 4.2 and 4.4: as many objects as `shared.rs` has resources, up to K accesses a task, none
//! nested. An access costs what table 2 says: a constant, and a term for each of the N tasks that share the object.
//! What the text leaves open is as there: a task makes 1 to K accesses, and each is to any object, all equally likely.

use super::program::NestedRequest;
use super::shared::Shared;
use crate::random::Random;
use crate::words::{SpecError, Words};
use schedlab_model::ResourceId;

/// Accesses to objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objects {
    /// How many there are, and how often a task accesses one. The length is that of an access to an object that no task
    /// shares.
    pub shared: Shared,
    /// What each task that shares the object adds to an access, in nanoseconds.
    pub each: u64,
}

impl Objects {
    pub(super) fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
        let shared = Shared::parse(words, "the cost of an access")?;
        let word = words.word("the cost by task")?;
        Ok(Objects { shared, each: words.time_in("the cost by task", word)? })
    }

    /// The accesses of each of `tasks` tasks to `objects` objects.
    pub(super) fn sections(
        &self,
        tasks: usize,
        objects: u32,
        random: &mut Random,
    ) -> Vec<Vec<NestedRequest>> {
        let mut task = || {
            let count = random.between(1, self.shared.accesses.into());
            (0..count).map(|_| random.below(objects.into()) as u32).collect::<Vec<_>>()
        };
        let accessed: Vec<Vec<u32>> = (0..tasks).map(|_| task()).collect();
        let sharers = |object: u32| accessed.iter().filter(|of| of.contains(&object)).count() as u64;
        let cost: Vec<u64> = (0..objects).map(|at| self.shared.longest + self.each * sharers(at)).collect();
        let section = |object: &u32| NestedRequest {
            length: cost[*object as usize].max(1),
            resources: vec![ResourceId(*object)],
        };
        accessed.iter().map(|of| of.iter().map(section).collect()).collect()
    }
}
