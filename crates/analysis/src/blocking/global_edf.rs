//! Deadlines and tardiness under global EDF, where what jobs wait, or execute again, counts as execution.
//!
//! Block-or-not-2008, section 4.2: tasks that share nothing any more are judged by the test of Goossens, Funk and
//! Baruah if deadlines are to be met, by that of Devi and Anderson if tardiness is to be bounded.

use crate::blocking::fmlp_oblivious::with_waiting_as_execution;
use crate::blocking::retry::tardiness::with_retries_as_execution;
use crate::blocking::Case;
use crate::multiprocessor::gfb;
use crate::system::System;
use crate::tardiness::devi_anderson;
use crate::verdict::{Answer, Bounds};
use schedlab_model::{Duration, LockingClass, Task};

/// A bound on the tardiness of all tasks that share resources, zero if deadlines are to be met (not `soft`) and are.
/// `None` if nothing is proved, as under every protocol but the FMLP and lock-free operations.
pub fn tardiness(case: &Case<'_>, soft: bool) -> Option<Duration> {
    let class = case.locking.class;
    let inflated = if [LockingClass::FmlpShort, LockingClass::FmlpLong].contains(&class) {
        with_waiting_as_execution(case, soft)
    } else if class == LockingClass::LockFree {
        with_retries_as_execution(case, soft)
    } else {
        None
    };
    tardiness_alone(case, &inflated?, soft)
}

/// Bounds the tardiness of `tasks` on the processors of `case` if they shared nothing.
pub fn tardiness_alone(case: &Case<'_>, tasks: &[Task], soft: bool) -> Option<Duration> {
    // What is beyond analysis is not proved.
    let system = System::global(tasks, case.processors(), case.scheduler).ok()?;
    let test = if soft { &devi_anderson::TEST } else { &gfb::TEST };
    let verdict = (test.run)(&system);
    (verdict.answer == Answer::Schedulable).then(|| match verdict.bounds {
        Bounds::Tardiness(bounds) => bounds.into_iter().flatten().max().unwrap_or(Duration::ZERO),
        Bounds::None | Bounds::ResponseTime(_) => Duration::ZERO,
    })
}
