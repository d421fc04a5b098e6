//! Many cases on several threads; what comes out does not depend on how many.

use super::{examine, examine_pfair, examine_scenario, examine_units};
use super::{PfairPower, Power, ScenarioPower, UnitPower};
use crate::answers::{examine_answers, AnswerPower};
use crate::climb::{climb, ClimbPower, Effort};
use crate::features::{examine_features, FeaturePower};
use crate::servers::{examine_servers, ServerPower};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A case and what is wrong with it.
pub type Wrong = (u64, String);

/// What a run found out, added up over its cases.
pub trait Tally: Default + Send {
    /// Examines case `index` of `seed`.
    fn examine(&mut self, seed: u64, index: u64) -> Result<(), String>;

    /// Takes over what another thread found.
    fn merge(&mut self, other: &Self);
}

impl Tally for Power {
    fn examine(&mut self, seed: u64, index: u64) -> Result<(), String> {
        examine(seed, index, self)
    }

    fn merge(&mut self, other: &Self) {
        Power::merge(self, other);
    }
}

impl Tally for PfairPower {
    fn examine(&mut self, seed: u64, index: u64) -> Result<(), String> {
        examine_pfair(seed, index, self)
    }

    fn merge(&mut self, other: &Self) {
        PfairPower::merge(self, other);
    }
}

impl Tally for ServerPower {
    fn examine(&mut self, seed: u64, index: u64) -> Result<(), String> {
        examine_servers(seed, index, self)
    }

    fn merge(&mut self, other: &Self) {
        ServerPower::merge(self, other);
    }
}

impl Tally for FeaturePower {
    fn examine(&mut self, seed: u64, index: u64) -> Result<(), String> {
        examine_features(seed, index, self)
    }

    fn merge(&mut self, other: &Self) {
        FeaturePower::merge(self, other);
    }
}

impl Tally for ClimbPower {
    fn examine(&mut self, seed: u64, index: u64) -> Result<(), String> {
        climb(seed, index, Effort::LONG, self)
    }

    fn merge(&mut self, other: &Self) {
        ClimbPower::merge(self, other);
    }
}

impl Tally for ScenarioPower {
    fn examine(&mut self, seed: u64, index: u64) -> Result<(), String> {
        examine_scenario(seed, index, self)
    }

    fn merge(&mut self, other: &Self) {
        ScenarioPower::merge(self, other);
    }
}

impl Tally for UnitPower {
    fn examine(&mut self, seed: u64, index: u64) -> Result<(), String> {
        examine_units(seed, index, self)
    }

    fn merge(&mut self, other: &Self) {
        UnitPower::merge(self, other);
    }
}

impl Tally for AnswerPower {
    fn examine(&mut self, seed: u64, index: u64) -> Result<(), String> {
        examine_answers(seed, index, self)
    }

    fn merge(&mut self, other: &Self) {
        AnswerPower::merge(self, other);
    }
}

/// Examines `cases` of `seed` on `threads` threads.
pub fn examine_many<T: Tally>(seed: u64, cases: std::ops::Range<u64>, threads: u64) -> (T, Vec<Wrong>) {
    let (mut all, mut wrong) = (T::default(), Vec::new());
    std::thread::scope(|scope| {
        let cases = &cases;
        let part = |first| scope.spawn(move || examine_part(seed, cases.start + first..cases.end, threads));
        let parts: Vec<_> = (0..threads.max(1)).map(part).collect();
        for part in parts {
            let (found, errors) = part.join().expect("panics are caught");
            all.merge(&found);
            wrong.extend(errors);
        }
    });
    wrong.sort();
    (all, wrong)
}

/// Every `step`-th of `cases`.
fn examine_part<T: Tally>(seed: u64, cases: std::ops::Range<u64>, step: u64) -> (T, Vec<Wrong>) {
    let (mut all, mut wrong) = (T::default(), Vec::new());
    for case in cases.step_by(step.max(1) as usize) {
        let mut one = T::default();
        let result = catch_unwind(AssertUnwindSafe(|| one.examine(seed, case)));
        match result.unwrap_or_else(|_| Err("it panics".to_owned())) {
            Ok(()) => all.merge(&one),
            Err(what) => wrong.push((case, what)),
        }
    }
    (all, wrong)
}
