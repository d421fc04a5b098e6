//! Invariants of the user's own, beside those of the library.

use super::Predicate;
use crate::context::Context;

/// An invariant of the user's own: asked of every trace that a [`Checker`](super::Checker) with it sees.
#[derive(Clone, Copy, Debug)]
pub struct OwnInvariant {
    /// What violations are reported under.
    pub name: &'static str,
    /// What it says, in a sentence.
    pub description: &'static str,
    /// The predicate of a trace that begins.
    pub make: fn(&Context) -> Box<dyn Predicate>,
}
