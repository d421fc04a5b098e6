//! How one protocol is analysed under one kind of scheduler, and what the entries of the lists of methods share.

use super::case::{Case, Judged};
use super::derive::Sections;
use super::sharing::Sharing;
use crate::assumption::Assumption;
use crate::reason::Reason;
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::LockingClass;

/// How to analyse one protocol under one kind of scheduler.
#[derive(Debug)]
pub struct Method {
    /// Name, source and assumptions.
    pub test: Test,
    /// The kinds of protocols that it is for.
    pub classes: &'static [LockingClass],
    /// True if the scheduler is of its kind.
    pub applies: fn(&Case<'_>) -> bool,
    /// Which sections it counts.
    pub sections: Sections,
    /// Bounds blocking and judges.
    pub judge: fn(&Case<'_>, &Sharing) -> Judged,
}

/// Assumption: partitioned fixed priorities.
pub const ONE: Assumption = Assumption::ClustersOfOneFixedPriorities;
/// Assumption: partitioned EDF.
pub const DEMAND: Assumption = Assumption::ClustersOfOneEdf;
/// Assumption: tasks as the bounds want them.
pub const PLAIN: Assumption = Assumption::ConstrainedWithoutDelays;
/// Assumption: one delay by less urgent work.
pub const ONCE: Assumption = Assumption::BlockedOnce;
/// Assumption: what protocols of one processor need.
pub(crate) const HOME: Assumption = Assumption::UsersOnOneProcessor;
/// Assumption: how spinning enters.
pub(crate) const SPIN: Assumption = Assumption::SpinningAsExecution;
/// Assumption: how suspension interferes.
pub const AWARE: Assumption = Assumption::CarryInOfSuspending;
/// Assumption: how waiting enters.
pub(crate) const OBLIVIOUS: Assumption = Assumption::WaitingAsExecution;
/// Assumption: what becomes of nesting.
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

/// A method reads more than a cluster: see [`crate::analyze_with_locks`].
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
