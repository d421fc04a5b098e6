//! The FMLP with waiting counted as execution: tasks that any test without blocking may look at.
//!
//! Block-or-not-2008, section 4.2, treats suspended jobs as executing. Where jobs may be tardy they may be pending for
//! long, so requests are then not counted by response times: each other task has at most one request before each of the
//! job's, first come, first served, and under spinning each other processor too.

use crate::assumption::Assumption;
use crate::blocking::fmlp;
use crate::blocking::{Case, Sections, Sharing};
use crate::reason::Reason;
use crate::tardiness::devi_anderson;
use crate::verdict::{Answer, Guarantee, Test, Verdict};
use schedlab_model::{LockingClass, Task};

/// Bounds on tardiness under global EDF; see [`tardiness`].
pub(crate) static TARDINESS: Test = Test {
    name: "fmlp_devi_anderson",
    guarantee: Guarantee::Soft,
    exact: false,
    assumptions: &[
        Assumption::GlobalEdf,
        Assumption::ImplicitDeadlines,
        Assumption::WaitingAndSectionsAsExecution,
        Assumption::RequestsNotCounted,
        Assumption::NoOverheads,
    ],
    source: "Block et al., RTCSA 2007; Devi and Anderson, RTS 38(2), 2008",
    cost: "O(n log n)",
    applies: |_| false,
    run: |_| TARDINESS.unknown(Reason::NeedsWholeSystem),
};

/// Bounds the tardiness under global EDF and the FMLP; `None` for other protocols and schedulers. With waiting as
/// execution the system is checked for over-utilization, as in block-or-not-2008, section 4.2.
pub(crate) fn tardiness(case: &Case<'_>) -> Option<Verdict> {
    let is_fmlp =
        matches!(case.locking.class, LockingClass::Fmlp | LockingClass::FmlpShort | LockingClass::FmlpLong);
    if !is_fmlp || !case.is_edf() || !case.is_global() {
        return None;
    }
    if let Some(reason) = case.refusal() {
        return Some(TARDINESS.unknown(reason));
    }
    let sharing = match case.sharing(Sections::Groups) {
        Ok(sharing) => sharing,
        Err(error) => return Some(TARDINESS.unknown(Reason::Sharing(error))),
    };
    let terms = fmlp::global(case, &sharing, &vec![Sharing::LONGEST; sharing.tasks().len()]);
    let inflated: Option<Vec<Task>> =
        case.tasks.iter().zip(terms).map(|(task, terms)| terms.as_execution(task)).collect();
    let system = inflated.and_then(|tasks| case.independent(&tasks).ok());
    let Some(system) = system else { return Some(TARDINESS.unknown(Reason::BlockingNotBounded)) };
    let verdict = (devi_anderson::TEST.run)(&system);
    Some(match verdict.answer {
        Answer::Schedulable => TARDINESS.schedulable(verdict.reason, verdict.bounds),
        Answer::Unschedulable | Answer::Unknown => TARDINESS.unknown(verdict.reason),
    })
}

/// The tasks with their blocking as execution and nothing to share; `tardy` if deadlines may be missed. `None` if
/// blocking is not bounded.
pub(crate) fn with_waiting_as_execution(case: &Case<'_>, tardy: bool) -> Option<Vec<Task>> {
    let sharing = case.sharing(Sections::Groups).ok()?;
    let responses = match tardy {
        true => vec![Sharing::LONGEST; sharing.tasks().len()],
        false => sharing.longest_responses(),
    };
    let terms = fmlp::global(case, &sharing, &responses);
    case.tasks.iter().zip(terms).map(|(task, terms)| terms.as_execution(task)).collect()
}
