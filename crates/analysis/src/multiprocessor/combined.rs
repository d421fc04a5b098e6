//! Is a set schedulable under global EDF by any of the tests? The tests run by rising cost, until one accepts.
//!
//! BCL and its iteration need not run: whatever they prove, the response-time analysis proves (its W_i is only an
//! additional minimum), and it begins with what they find. Liu and Anderson's test runs only where a job may suspend
//! itself or await its release: otherwise it is Baruah's. Where a relative deadline is beyond its period, only the load
//! is left.

use super::tasks::{constrained, feasible, Finding, GlobalTask, TERMS};
use super::{baker, baruah, bertogna_cirinei_edf, ff_dbf, gfb, liu_anderson, load};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::exact::Pair;
use crate::reason::Reason;
use crate::system::System;
use crate::verdict::{Answer, Guarantee, Test, Verdict};

/// Entry of this test in the registry's combinations.
pub static TEST: Test = Test {
    name: "global_edf",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[Assumption::GlobalEdf, Assumption::DelaysAsExecutionOrSuspension, Assumption::NoOverheads],
    source: "gfb, baker, baruah, ff_dbf, load, bertogna_cirinei_edf, liu_anderson",
    cost: "that of the last test that is asked",
    applies: System::is_preemptive_edf_multiprocessor,
    run,
};

fn run(system: &System) -> Verdict {
    match proof(system) {
        Some(test) => TEST.meets_deadlines(system, Reason::ProvedBy { test: test.name }),
        None => TEST.unknown(Reason::ProvedByNone),
    }
}

/// The first test that proves all deadlines of a preemptive global EDF system.
pub(crate) fn proof(system: &System) -> Option<&'static Test> {
    let Ok(tasks) = constrained(system) else {
        let tasks = feasible(system).ok()?;
        let finding = load::find(&tasks, system.processors.into(), &mut Budget::of(TERMS));
        return (finding == Finding::Holds).then_some(&load::TEST);
    };
    let part = PARTS.iter().find(|part| (part.proves)(&tasks, system.processors));
    let disturbed = system.has_suspension() || system.has_jitter();
    let others = if disturbed { AWARE } else { &[] };
    let proves = |test: &&&Test| (test.run)(system).answer == Answer::Schedulable;
    part.map(|part| part.test).or_else(|| others.iter().find(proves).copied())
}

/// Tests that account for self-suspension and jitter better than by counting them as execution.
static AWARE: &[&Test] = &[&gfb::TEST, &liu_anderson::TEST];

struct Part {
    test: &'static Test,
    proves: fn(&[GlobalTask], u32) -> bool,
}

/// Combined tests, by rising cost.
static PARTS: &[Part] = &[
    Part { test: &gfb::TEST, proves: |tasks, m| gfb::holds(&densities(tasks), m) },
    Part { test: &baker::TEST, proves: baker::holds },
    Part { test: &baruah::TEST, proves: |tasks, m| by(baruah::find, tasks, m) },
    Part { test: &load::TEST, proves: |tasks, m| by(load::find, tasks, m) },
    Part { test: &ff_dbf::TEST, proves: |tasks, m| by(ff_dbf::find, tasks, m) },
    Part { test: &bertogna_cirinei_edf::TEST, proves: |tasks, m| by(bertogna_cirinei_edf::find, tasks, m) },
];

fn by(find: fn(&[GlobalTask], u64, &mut Budget) -> Finding, tasks: &[GlobalTask], processors: u32) -> bool {
    find(tasks, processors.into(), &mut Budget::of(TERMS)) == Finding::Holds
}

fn densities(tasks: &[GlobalTask]) -> Vec<Pair> {
    tasks.iter().map(|task| (task.cost, task.relative_deadline)).collect()
}
