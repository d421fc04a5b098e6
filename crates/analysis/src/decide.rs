//! Answers without words: what batches ask of millions of systems, where composing a [`Verdict`] would cost more than the test.
//!
//! [`Verdict`]: crate::Verdict

use crate::system::System;
use crate::uniprocessor::demand::Demands;
use crate::uniprocessor::{edf_utilization, qpa};
use crate::verdict::{Answer, Test};

/// Memory that one test after the other uses.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    demands: Demands,
}

impl Test {
    /// Whether the test proves its guarantee for `system`: exactly if [`Test::run`] answers [`Answer::Schedulable`].
    pub fn accepts(&self, system: &System, scratch: &mut Scratch) -> bool {
        match self.name {
            "qpa" => qpa::find(system, &mut scratch.demands).answer(system) == Answer::Schedulable,
            "edf_utilization" => edf_utilization::accepts(system),
            _ => (self.run)(system).answer == Answer::Schedulable,
        }
    }
}
