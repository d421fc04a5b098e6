//! Answers without words: what batches ask of millions of systems, where composing a [`Verdict`] would cost more than the test.
//!
//! [`Verdict`]: crate::Verdict

use crate::registry::TESTS;
use crate::system::System;
use crate::uniprocessor::demand::Demands;
use crate::uniprocessor::{edf_utilization, qpa};
use crate::verdict::{Answer, Guarantee, Test};

/// Memory that one test after the other uses.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    demands: Demands,
}

impl Test {
    /// Whether the test proves its guarantee for `system`: exactly if [`Test::run`] answers [`Answer::Schedulable`].
    pub fn accepts(&self, system: &System, scratch: &mut Scratch) -> bool {
        match self.name {
            "edf_utilization" => edf_utilization::accepts(system),
            _ => self.answer(system, scratch) == Answer::Schedulable,
        }
    }

    /// The answer of [`Test::run`].
    pub fn answer(&self, system: &System, scratch: &mut Scratch) -> Answer {
        match self.name {
            "qpa" => qpa::find(system, &mut scratch.demands).answer(system),
            _ => (self.run)(system).answer,
        }
    }
}

/// Whether deadlines are met, as all tests together say that speak of `system`: the first that knows decides, as no two contradict each other.
pub fn deadlines(system: &System, scratch: &mut Scratch) -> Answer {
    let speak = |test: &&&Test| test.guarantee == Guarantee::Hard && (test.applies)(system);
    let mut answers = TESTS.iter().filter(speak).map(|test| test.answer(system, scratch));
    answers.find(|answer| *answer != Answer::Unknown).unwrap_or(Answer::Unknown)
}
