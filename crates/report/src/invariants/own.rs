//! Invariants of the user's own, beside those of the library.

use super::Predicate;
use crate::context::Context;

/// An invariant of the user's own: asked of every trace whose context has it.
#[derive(Clone, Copy, Debug)]
pub struct OwnInvariant {
    /// What violations are reported under.
    pub name: &'static str,
    /// What it says, in a sentence.
    pub description: &'static str,
    /// The predicate of a trace that begins.
    pub make: fn(&Context) -> Box<dyn Predicate>,
}

/// Equal if they have one name: no two of one context have.
impl PartialEq for OwnInvariant {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OwnInvariant {}
