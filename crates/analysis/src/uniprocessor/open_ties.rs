//! Response times under preemptive fixed priorities on one processor, where of tasks with equal priorities any may go
//! first: those of the analysis by Audsley et al. and Lehoczky ([`super::response_time`]) with all equals of a task
//! before it.
//!
//! A job waits for jobs of its own and of more urgent levels alone, whatever decides between equals. So the busy window
//! that counts all jobs of equals as more urgent ones bounds its response time. First come, first served, the rule of
//! Linux, may let fewer of them go first: where the bound is beyond the deadline, nothing is refuted. A thread that
//! suspends itself queues up behind its equals once more, which is not counted.

use super::response_time::{conclude, lowest};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::reason::Reason;
use crate::steps::{Unwatched, Watch};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "response_time_any_tie",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::OneProcessorFixedPrioritiesOpenTies,
        Assumption::JobsInSequence,
        Assumption::NoSelfSuspension,
        Assumption::NoOverheads,
    ],
    source: "Audsley et al., Softw. Eng. J. 8(5), 1993; Lehoczky, RTSS 1990; equals as more urgent",
    cost: "pseudo-polynomial; O(n^2) for a step of all fixed points",
    applies: System::is_open_tied_fp_uniprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    if system.has_suspension() {
        return TEST.unknown(Reason::SuspendsOrIsBlocked);
    }
    let mut budget = Budget::default();
    let outcome = |own: usize| {
        let goes_before =
            |other: &usize| *other != own && system.tasks[*other].rank <= system.tasks[own].rank;
        let before: Vec<usize> = (0..system.tasks.len()).filter(goes_before).collect();
        lowest(system, own, &before, &mut budget, watch)
    };
    let outcomes: Vec<_> = (0..system.tasks.len()).map(outcome).collect();
    conclude(&TEST, system, &outcomes, |reason, bounds| TEST.unknown_with(reason, bounds))
}
