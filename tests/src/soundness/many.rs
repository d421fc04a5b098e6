//! Many cases on several threads; what comes out does not depend on how many.

use super::{examine, Power};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A case and what is wrong with it.
pub type Wrong = (u64, String);

/// Examines the first `systems` cases of `seed` on `threads` threads.
pub fn examine_many(seed: u64, systems: u64, threads: u64) -> (Power, Vec<Wrong>) {
    let (mut power, mut wrong) = (Power::default(), Vec::new());
    std::thread::scope(|scope| {
        let part = |first| scope.spawn(move || examine_part(seed, first..systems, threads));
        let parts: Vec<_> = (0..threads.max(1)).map(part).collect();
        for part in parts {
            let (found, errors) = part.join().expect("panics are caught");
            power.merge(&found);
            wrong.extend(errors);
        }
    });
    wrong.sort();
    (power, wrong)
}

/// Every `step`-th of `cases`.
fn examine_part(seed: u64, cases: std::ops::Range<u64>, step: u64) -> (Power, Vec<Wrong>) {
    let (mut power, mut wrong) = (Power::default(), Vec::new());
    for case in cases.step_by(step.max(1) as usize) {
        let mut one = Power::default();
        let result = catch_unwind(AssertUnwindSafe(|| examine(seed, case, &mut one)));
        match result.unwrap_or_else(|_| Err("it panics".to_owned())) {
            Ok(()) => power.merge(&one),
            Err(what) => wrong.push((case, what)),
        }
    }
    (power, wrong)
}
