//! Methods: the analysis of one protocol under one kind of scheduler. The entries of the lists of methods are made of
//! these parts.

use super::case::{Case, Judged};
use super::derive::Sections;
use super::sharing::Sharing;
use crate::assumption::Assumption;
use crate::reason::Reason;
use crate::steps::Recorder;
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::LockingClass;

/// Analysis of one protocol under one kind of scheduler.
#[derive(Debug)]
pub struct Method {
    /// Name, source and assumptions.
    pub test: Test,
    /// Classes of protocols for which the method is.
    pub classes: &'static [LockingClass],
    /// True if the method covers the scheduler of the case.
    pub applies: fn(&Case<'_>) -> bool,
    /// Sections that the method counts as requests.
    pub sections: Sections,
    /// Bounds the blocking of all tasks and judges their deadlines.
    pub judge: fn(&Case<'_>, &Sharing) -> Judged,
    /// Judges as `judge` does while a recorder watches; `None` if the method hands out no steps.
    pub watched: Option<fn(&Case<'_>, &Sharing, &mut Recorder) -> Judged>,
}

/// Assumption: partitioned fixed priorities.
pub const ONE: Assumption = Assumption::ClustersOfOneFixedPriorities;
/// Assumption: partitioned EDF.
pub const DEMAND: Assumption = Assumption::ClustersOfOneEdf;
/// Assumption: tasks have constrained deadlines without further delays.
pub const PLAIN: Assumption = Assumption::ConstrainedWithoutDelays;
/// Assumption: one delay by less urgent work.
pub const ONCE: Assumption = Assumption::BlockedOnce;
/// Assumption: all users of a resource are on one processor.
pub(crate) const HOME: Assumption = Assumption::UsersOnOneProcessor;
/// Assumption: spinning counts as execution.
pub(crate) const SPIN: Assumption = Assumption::SpinningAsExecution;
/// Assumption: suspended jobs interfere as carry-in.
pub const AWARE: Assumption = Assumption::CarryInOfSuspending;
/// Assumption: waiting counts as execution.
pub(crate) const OBLIVIOUS: Assumption = Assumption::WaitingAsExecution;
/// Assumption: resources that nest share a group lock.
pub const GROUPS: Assumption = Assumption::GroupLocks;
/// Assumption: nothing but the programs costs time.
pub const FREE: Assumption = Assumption::NoOverheads;

/// A method's test: sufficient, for hard deadlines.
pub const fn test(name: &'static str, source: &'static str, assumptions: &'static [Assumption]) -> Test {
    Test {
        name,
        guarantee: Guarantee::Hard,
        exact: false,
        assumptions,
        source,
        cost: "that of a fixed point of blocking and response times",
        applies: |_| false,
        run: silent,
    }
}

/// Verdict of a method's test for a system alone: unknown, because a method reads more than a cluster. See
/// [`crate::analyze_with_locks`].
fn silent(system: &System) -> Verdict {
    static METHOD: Test = test("blocking", "", &[]);
    let _ = system;
    METHOD.unknown(Reason::MethodNeedsWholeSystem)
}

/// True under partitioned fixed priorities.
pub fn partitioned_fp(case: &Case<'_>) -> bool {
    case.is_partitioned() && case.is_fixed_priority()
}

/// True under partitioned EDF.
pub(crate) fn partitioned_edf(case: &Case<'_>) -> bool {
    case.is_partitioned() && case.is_edf()
}
