//! By how much can deadlines be missed under Pfair scheduling?
//!
//! By what separates windows from deadlines (see [`super`]): at most one quantum for tasks without jitter whose
//! arrivals are at quantum boundaries and whose quanta are staggered, Delta = floor((m-1) Q / m) exactly, less
//! what the last quantum leaves (P. Holman and J. Anderson, JEC 1(4), 2005, section IV-A); at most one quantum for
//! arrivals anywhere and aligned quanta. Refuted as in [`super::feasibility`].

use super::feasibility::{bounds, ASSUMPTIONS};
use crate::reason::Reason;
use crate::system::System;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::Duration;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "pfair_lateness",
    guarantee: Guarantee::Soft,
    exact: true,
    assumptions: ASSUMPTIONS,
    source: "Holman and Anderson, JEC 1(4), 2005, section IV-A",
    cost: "O(n)",
    applies: |system| system.quanta().is_some(),
    run,
};

fn run(system: &System) -> Verdict {
    let (responses, _) = match bounds(system, &TEST) {
        Ok(responses) => responses,
        Err(verdict) => return *verdict,
    };
    let late = |(task, bound): (&crate::SporadicTask, Option<Duration>)| {
        bound.map(|bound| Duration::from_ns(bound.as_ns().saturating_sub(task.relative_deadline)))
    };
    let tardiness: Vec<_> = system.tasks.iter().zip(responses).map(late).collect();
    match tardiness.iter().try_fold(Duration::ZERO, |most, bound| bound.map(|bound| most.max(bound))) {
        Some(most) => {
            let reason = Reason::WithinWindows { most };
            TEST.schedulable(reason, Bounds::Tardiness(tardiness))
        }
        None => TEST.unknown(Reason::BoundTooLarge),
    }
}
