//! Answers without words: what batches ask of millions of systems, where composing a [`Verdict`] would cost more than
//! the test.
//!
//! [`Verdict`]: crate::Verdict

use crate::multiprocessor::{baker, bertogna_cirinei_fp};
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

/// A quicker way to an answer than [`Test::run`], with the same answers.
struct Quick {
    test: &'static Test,
    /// True exactly if the test proves its guarantee.
    accepts: fn(&System, &mut Scratch) -> bool,
    /// `None` if the whole answer takes the way of [`Test::run`].
    answer: Option<fn(&System, &mut Scratch) -> Answer>,
}

/// The tests that batches ask most.
static QUICK: [Quick; 3] = [
    Quick {
        test: &edf_utilization::TEST,
        accepts: |system, _| edf_utilization::accepts(system),
        answer: None,
    },
    Quick {
        test: &qpa::TEST,
        accepts: |system, scratch| find_by_qpa(system, scratch) == Answer::Schedulable,
        answer: Some(find_by_qpa),
    },
    Quick {
        test: &baker::TEST,
        accepts: |system, _| baker::accepts(system),
        answer: Some(|system, _| match baker::accepts(system) {
            true => Answer::Schedulable,
            false => Answer::Unknown,
        }),
    },
];

fn find_by_qpa(system: &System, scratch: &mut Scratch) -> Answer {
    qpa::find(system, &mut scratch.demands).answer(system)
}

impl Test {
    fn quick(&self) -> Option<&'static Quick> {
        QUICK.iter().find(|quick| std::ptr::eq(quick.test, self))
    }

    /// Whether the test proves its guarantee for `system`: exactly if [`Test::run`] answers [`Answer::Schedulable`].
    pub fn accepts(&self, system: &System, scratch: &mut Scratch) -> bool {
        match self.quick() {
            Some(quick) => (quick.accepts)(system, scratch),
            None => (self.run)(system).answer == Answer::Schedulable,
        }
    }

    /// The answer of [`Test::run`].
    pub fn answer(&self, system: &System, scratch: &mut Scratch) -> Answer {
        match self.quick().and_then(|quick| quick.answer) {
            Some(answer) => answer(system, scratch),
            None => (self.run)(system).answer,
        }
    }
}

/// Tests that prove nothing that Guan's does not, whose bounds are nowhere larger (`tests/relations.rs`): they need not
/// be asked.
static DOMINATED: [&Test; 2] = [&bertogna_cirinei_fp::TEST, &bertogna_cirinei_fp::NO_SLACK];

/// Whether deadlines are met, as all tests together say that speak of `system`: the first that knows decides, as no two
/// contradict each other.
pub fn meets_deadlines(system: &System, scratch: &mut Scratch) -> Answer {
    let speaks = |test: &&&Test| test.guarantee == Guarantee::Hard && (test.applies)(system);
    let is_worth_it = |test: &&&Test| DOMINATED.iter().all(|dominated| dominated.name != test.name);
    let mut answers =
        TESTS.iter().filter(speaks).filter(is_worth_it).map(|test| test.answer(system, scratch));
    answers.find(|answer| *answer != Answer::Unknown).unwrap_or(Answer::Unknown)
}
