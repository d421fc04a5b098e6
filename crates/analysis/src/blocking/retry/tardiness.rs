//! Tardiness under global EDF where jobs repeat operations on lock-free objects.
//!
//! A job that is late is pending for longer, so that more operations of others may conflict: retries follow from bounds
//! on tardiness, and these from retries. Both grow from no tardiness until nothing changes. That is a bound, by
//! induction over time: until some job is later than its bound no job repeats more than was counted, and the bound of
//! U. Devi and J. Anderson, *Tardiness bounds under global EDF scheduling on a multiprocessor*, RTS 38(2), 2008, holds
//! for such costs.

use super::lock_free::with_retries;
use crate::assumption::Assumption;
use crate::blocking::{Case, Sections, Sharing};
use crate::reason::Reason;
use crate::tardiness::devi_anderson;
use crate::verdict::{Answer, Bounds, Guarantee, Test, Verdict};
use schedlab_model::{Duration, LockingClass, Task};

/// Entry of this test in the registry.
pub(crate) static TARDINESS: Test = Test {
    name: "lock_free_devi_anderson",
    guarantee: Guarantee::Soft,
    exact: false,
    assumptions: &[
        Assumption::GlobalEdf,
        Assumption::ImplicitDeadlines,
        Assumption::NoNesting,
        Assumption::RetriesAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Devi, Leontyev and Anderson, ECRTS 2006; Devi and Anderson, RTS 38(2), 2008",
    cost: "that of a fixed point of retries and tardiness",
    applies: |_| false,
    run: |_| TARDINESS.unknown(Reason::NeedsWholeSystem),
};

/// Rounds after which the iteration is given up.
const MOST_ROUNDS: usize = 1_000;

/// Bounds the tardiness under global EDF with lock-free objects; `None` for other protocols and schedulers.
pub(crate) fn tardiness(case: &Case<'_>) -> Option<Verdict> {
    if case.locking.class != LockingClass::LockFree || !case.is_edf() || !case.is_global() {
        return None;
    }
    if let Some(reason) = case.refusal() {
        return Some(TARDINESS.unknown(reason));
    }
    Some(match case.sharing(Sections::Flat) {
        Ok(sharing) => iterate(case, &sharing).1,
        Err(error) => TARDINESS.unknown(Reason::Sharing(error)),
    })
}

/// The tasks with their retries as execution and nothing to share. Retries are those of jobs that meet their deadlines
/// or, if `tardy`, of jobs that are as late as their bound. `None` if there is no bound.
pub(crate) fn with_retries_as_execution(case: &Case<'_>, tardy: bool) -> Option<Vec<Task>> {
    let sharing = case.sharing(Sections::Flat).ok()?;
    if tardy {
        return iterate(case, &sharing).0;
    }
    with_retries(case, &sharing, &sharing.longest_responses())
}

fn iterate(case: &Case<'_>, sharing: &Sharing) -> (Option<Vec<Task>>, Verdict) {
    let mut late = vec![0_u64; sharing.tasks().len()];
    for _ in 0..MOST_ROUNDS {
        let in_time = sharing.longest_responses();
        let responses: Vec<u64> =
            in_time.iter().zip(&late).map(|(in_time, late)| in_time.saturating_add(*late)).collect();
        let tasks = with_retries(case, sharing, &responses);
        let system = tasks.as_ref().and_then(|tasks| case.independent(tasks).ok());
        let Some(system) = system else { break };
        let verdict = (devi_anderson::TEST.run)(&system);
        let (Answer::Schedulable, Bounds::Tardiness(bounds)) = (verdict.answer, &verdict.bounds) else {
            return (None, TARDINESS.unknown(verdict.reason));
        };
        // One that is not bounded stays so.
        let found: Option<Vec<u64>> = bounds.iter().map(|bound| bound.map(Duration::as_ns)).collect();
        let Some(found) = found else { break };
        if found.iter().zip(&late).all(|(found, late)| found <= late) {
            return (tasks, TARDINESS.schedulable(verdict.reason, verdict.bounds));
        }
        late.iter_mut().zip(found).for_each(|(late, found)| *late = found.max(*late));
    }
    (None, TARDINESS.unknown(Reason::BlockingNotBounded))
}
