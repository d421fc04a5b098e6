//! Invariants of the user's own, beside those of the library.

use super::Predicate;
use crate::context::Context;

/// An invariant of the user's own, which is checked in every trace that a [`Checker`](super::Checker) with it reads.
#[derive(Clone, Copy, Debug)]
pub struct OwnInvariant {
    /// Name under which violations are reported.
    pub name: &'static str,
    /// Statement of the invariant, in a sentence.
    pub description: &'static str,
    /// Makes the predicate at the begin of a trace.
    pub make: fn(&Context) -> Box<dyn Predicate>,
}
