//! Answers without reasons, for batches of millions of systems, where composing a [`Verdict`] would cost more than the
//! test.
//!
//! [`Verdict`]: crate::Verdict

use crate::multiprocessor::{baker, bertogna_cirinei_fp};
use crate::registry::TESTS;
use crate::steps::Unwatched;
use crate::system::System;
use crate::uniprocessor::demand::Demands;
use crate::uniprocessor::{edf_utilization, qpa};
use crate::verdict::{bounds_prove, Answer, Bounds, Guarantee, Test};
use schedlab_model::Duration;
use std::sync::LazyLock;

/// Working memory that tests reuse.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    demands: Demands,
    /// Least bounds on the tardiness of the present system's tasks.
    tardiness: Vec<Option<Duration>>,
}

/// A quicker way to an answer than [`Test::run`], with the same answers.
struct Quick {
    test: &'static Test,
    /// True exactly if the test proves its guarantee.
    accepts: fn(&System, &mut Scratch) -> bool,
    /// Returns the answer of [`Test::run`]. `None` if there is only `accepts`, so that whatever is not accepted is
    /// unknown.
    answer: Option<fn(&System, &mut Scratch) -> Answer>,
}

/// Quicker ways of the tests that batches use most.
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
    qpa::find(system, &mut scratch.demands, &mut Unwatched).answer(system)
}

impl Test {
    fn quick(&self) -> Option<&'static Quick> {
        QUICK.iter().find(|quick| std::ptr::eq(quick.test, self))
    }

    /// Returns whether the test proves its guarantee for `system`: exactly if [`Test::run`] answers
    /// [`Answer::Schedulable`].
    pub fn accepts(&self, system: &System, scratch: &mut Scratch) -> bool {
        match self.quick() {
            Some(quick) => (quick.accepts)(system, scratch),
            None => (self.run)(system).answer == Answer::Schedulable,
        }
    }
}

/// Tests that prove nothing that Guan's does not, whose bounds are nowhere larger (`tests/relations.rs`): they need not
/// run.
static DOMINATED: [&Test; 2] = [&bertogna_cirinei_fp::TEST, &bertogna_cirinei_fp::NO_SLACK];

/// All tests but the dominated ones, with those of hard deadlines first.
static ALL: LazyLock<Vec<&'static Test>> = LazyLock::new(|| {
    let is_worth_it = |test: &&Test| DOMINATED.iter().all(|dominated| dominated.name != test.name);
    let mut all: Vec<&Test> = TESTS.iter().copied().filter(is_worth_it).collect();
    all.sort_by_key(|test| test.guarantee != Guarantee::Hard);
    all
});

/// Returns whether deadlines are met, by all tests together that apply to `system`.
pub fn meets_deadlines(system: &System, scratch: &mut Scratch) -> Answer {
    decide(&ALL, Guarantee::Hard, system, scratch)
}

/// Returns whether `tests` together prove or refute `guarantee` for `system`. The first test with a definite answer
/// decides, because no two tests contradict each other. If there is none, the least bounds on the tasks' tardiness
/// decide, whichever tests they come from.
pub fn decide(tests: &[&Test], guarantee: Guarantee, system: &System, scratch: &mut Scratch) -> Answer {
    scratch.tardiness.clear();
    scratch.tardiness.resize(system.tasks.len(), None);
    for test in tests.iter().filter(|test| (test.applies)(system)) {
        match (guarantee, test.guarantee, test.hear(system, scratch)) {
            (_, Guarantee::Hard, Answer::Schedulable)
            | (Guarantee::Soft, Guarantee::Soft, Answer::Schedulable) => return Answer::Schedulable,
            (Guarantee::Hard, _, Answer::Unschedulable) | (_, Guarantee::Soft, Answer::Unschedulable) => {
                return Answer::Unschedulable
            }
            (Guarantee::Hard, Guarantee::Soft, Answer::Schedulable)
            | (Guarantee::Soft, Guarantee::Hard, Answer::Unschedulable)
            | (_, _, Answer::Unknown) => {}
        }
    }
    match bounds_prove(guarantee, scratch.tardiness.iter().copied()) {
        true => Answer::Schedulable,
        false => Answer::Unknown,
    }
}

impl Test {
    /// Runs the test and returns its answer; bounds that are smaller than those so far are kept in `scratch`. A quick
    /// way composes no bounds, and may answer unknown where it proves nothing: then the test has no bounds either.
    fn hear(&self, system: &System, scratch: &mut Scratch) -> Answer {
        if let Some(quick) = self.quick() {
            return match quick.answer {
                Some(answer) => answer(system, scratch),
                None if (quick.accepts)(system, scratch) => Answer::Schedulable,
                None => Answer::Unknown,
            };
        }
        let verdict = (self.run)(system);
        if verdict.bounds != Bounds::None {
            for (place, (task, least)) in system.tasks.iter().zip(&mut scratch.tardiness).enumerate() {
                let bounds = verdict.bounds_of(place, Duration::from_ns(task.relative_deadline));
                let bound = bounds.map(|bounds| bounds.tardiness);
                *least = least.map_or(bound, |least| Some(bound.map_or(least, |bound| bound.min(least))));
            }
        }
        verdict.answer
    }
}
