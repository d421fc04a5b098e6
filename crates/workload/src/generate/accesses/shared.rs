//! As many resources as accesses ask for, with nesting as traced in real systems.
//!
//! Block-or-not-2008, section 4.2: n tasks on m processors share `K*n/(alpha*m)` resources, where K is the most
//! accesses of a task and alpha the degree of sharing; an access costs up to a given length, added to the task's WCET.
//! NestedRequest 4.3: nesting "reflects the distribution" of section 4.1: of the critical sections in Linux 83% are not
//! nested, 13% singly nested, "deeper levels rarely, with the deepest being six".
//!
//! Choices that the text leaves open: the number of resources is rounded up; a task makes 1 to K accesses and each
//! takes 1 ns up to the greatest length, all equally likely; of the remaining 4% each further level has half the share
//! of the one before it; nested resources are taken in one order, so that no requests deadlock.

use super::program::{Cost, NestedRequest};
use super::{Accesses, OfNext, Rule};
use crate::generate::form::SpecForm;
use crate::random::Random;
use crate::words::{SpecError, Words};
use schedlab_model::ResourceId;

pub(super) const FORM: SpecForm<Accesses> = SpecForm {
    written: &[(
        "shared K A M LENGTH",
        "K*n/(A*M) resources for n tasks on M processors, up to K accesses a job, nested as traced (block-or-not-2008)",
    )],
    read: |words| Ok(Accesses::by(Shared::parse(words, "the greatest length")?)),
};

/// Most resources or accesses; larger numbers count as a mistake.
pub(super) const MOST: u32 = 10_000;

/// Shared accesses.
#[derive(Debug)]
pub(super) struct Shared {
    /// The most accesses of a task (K).
    pub(super) accesses: u32,
    /// The degree of sharing (alpha): larger means fewer resources.
    sharing: u32,
    /// Number of processors (m).
    processors: u32,
    /// The longest outermost section, in nanoseconds.
    pub(super) longest: u64,
}

impl Shared {
    /// Reads the numbers; `longest` is the name of the last of them.
    pub(super) fn parse(words: &mut Words<'_>, longest: &'static str) -> Result<Self, SpecError> {
        Ok(Shared {
            accesses: words.count_to("the most accesses", MOST)?,
            sharing: words.count_to("the degree of sharing", MOST)?,
            processors: words.count_to("the number of processors", MOST)?,
            longest: words.duration(longest)?,
        })
    }

    /// Returns the number of resources of `tasks` tasks.
    pub(super) fn resources_of(&self, tasks: usize) -> u32 {
        let accesses = u64::from(self.accesses) * tasks as u64;
        accesses.div_ceil(u64::from(self.sharing) * u64::from(self.processors)).min(u64::from(u32::MAX))
            as u32
    }

    fn section(&self, resources: u32, random: &mut Random) -> NestedRequest {
        let length = random.between(1, self.longest);
        // As many resources as there are levels, each another one; a level needs a nanosecond to itself.
        let wanted = 1 + nesting(random);
        let levels = u64::from(wanted).min(resources.into()).min(length) as usize;
        let mut chosen: Vec<ResourceId> = Vec::with_capacity(levels);
        while chosen.len() < levels {
            let next = ResourceId(random.below(resources.into()) as u32);
            if !chosen.contains(&next) {
                chosen.push(next);
            }
        }
        chosen.sort_unstable();
        NestedRequest { length, resources: chosen }
    }
}

impl Rule for Shared {
    fn resources(&self, tasks: usize) -> u32 {
        self.resources_of(tasks)
    }

    fn cost(&self) -> Cost {
        Cost::Added
    }

    fn sections(&self, _: usize, resources: u32, _: &mut Random) -> OfNext<'_> {
        Box::new(move |random| {
            let count = random.between(1, self.accesses.into());
            (0..count).map(|_| self.section(resources, random)).collect()
        })
    }
}

/// Draws how many requests are nested within an outermost one: none to six.
fn nesting(random: &mut Random) -> u32 {
    // In shares of 1/3100: 83% and 13%, then 4% as 16 : 8 : 4 : 2 : 1.
    const SHARES: [u64; 7] = [2573, 403, 64, 32, 16, 8, 4];
    let mut lot = random.below(3100);
    for (depth, share) in SHARES.iter().enumerate() {
        if lot < *share {
            return depth as u32;
        }
        lot -= share;
    }
    unreachable!("the shares add up to the whole")
}
