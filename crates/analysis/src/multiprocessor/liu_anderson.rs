//! Liu and Anderson's test of self-suspending tasks (LA).
//!
//! C. Liu and J. Anderson, *Suspension-aware analysis for hard real-time multiprocessor scheduling*, ECRTS 2013, main
//! theorem without tardiness thresholds: as Baruah's test, but self-suspension does not count as execution. Instead,
//! every task that may suspend itself may carry a job into the busy interval, while at most m - 1 of the others do
//! ([`super::busy_interval`] derives it). Jitter is a self-suspension before a job begins.
//!
//! The paper asks for the condition for each time s that task k may have suspended itself, from 0 to S_k. **The largest
//! is enough**: let it hold for S_k but fail for s, for an interval in which task k is pending but neither executes nor
//! is suspended for more than y = t - C_k - s, and fix the tasks that make the sum largest at s. As s grows by one, the
//! allowed sum falls by m and this sum by the number of tasks capped at y + 1, a number that does not fall. While it is
//! below m, the condition goes on to fail. Once m tasks are capped, they alone make m (y + 1), which is more than
//! allowed, for all larger s. So it would fail for S_k. The cost does not depend on how long suspensions are. Assumes
//! D <= T.

use super::busy_interval::{self, Contender};
use super::tasks::{conclude, constrained, GlobalTask, TERMS};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "liu_anderson",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::GlobalEdf,
        Assumption::ConstrainedDeadlines,
        Assumption::JitterAsSuspension,
        Assumption::NoOverheads,
    ],
    source: "Liu and Anderson, ECRTS 2013",
    cost: "pseudo-polynomial for utilizations below a constant under m; O(n) for a step",
    applies: System::is_preemptive_edf_multiprocessor,
    run,
};

fn run(system: &System) -> Verdict {
    let tasks = match constrained(system) {
        Ok(tasks) => tasks,
        Err(reason) => return TEST.unknown(reason),
    };
    let contender = |task: &crate::system::SporadicTask| Contender {
        task: GlobalTask { cost: task.cost, period: task.period, relative_deadline: task.relative_deadline },
        suspension: task.suspension + task.jitter,
    };
    let contenders: Vec<Contender> = system.tasks.iter().map(contender).collect();
    let finding = busy_interval::find(&contenders, system.processors.into(), &mut Budget::of(TERMS));
    conclude(&TEST, system, &tasks, finding)
}
