//! One way to schedule the tasks, and what was found of it.

use super::candidates::Candidate;
use super::place::Place;
use crate::sensitivity::Factor;

/// One way to schedule the tasks, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The scheduler, and what goes with it.
    pub candidate: Candidate,
    /// How many of these differ from what the scenario says.
    pub changes: u32,
    /// The critical scaling factor: 1 or more if deadlines are proved to be met, less if costs would have to shrink, 0 if nothing
    /// is proved however small they are.
    pub margin: Factor,
    /// True if all deadlines are proved to be met.
    pub proved: bool,
    /// Which test proves it, or why none does, with names of tasks.
    pub reason: String,
    /// Where tasks go and how urgent they are, which tells ways apart; empty where that is not known.
    pub(super) places: Vec<Place>,
}
