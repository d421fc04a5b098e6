//! Quick processor-demand analysis of EDF on one processor.
//!
//! F. Zhang and A. Burns, *Schedulability analysis for real-time systems with EDF scheduling*, IEEE
//! Transactions on Computers 58(9), 2009, Theorem 5. Start at the latest absolute deadline t strictly
//! below the limit (see [`super::demand`]) and walk down: to h(t) while h(t) < t, to the next deadline
//! below where h(t) = t. The set is schedulable if this ends at h(t) <= d_min, and not if h(t) > t.
//! Exact; pseudo-polynomial, usually a handful of steps. Sets whose density is at most 1 need none (J. W. S. Liu,
//! *Real-Time Systems*, Prentice Hall 2000, section 6.3).

use super::demand::Demands;
use super::examination::{self, Examination, ExaminationEnd, ASSUMPTIONS};
use crate::budget::Budget;
use crate::steps::{Limit, Rows, Unwatched, Watch};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "qpa",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: ASSUMPTIONS,
    source: "Zhang and Burns, IEEE TC 58(9), 2009, Theorem 5",
    cost: "pseudo-polynomial; usually a handful of steps of O(n)",
    applies: System::is_preemptive_edf_uniprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    let mut demands = Demands::default();
    find(system, &mut demands, watch).verdict(&TEST, system, &demands)
}

/// Examines the demand of `system`; `demands` is its working memory.
pub(crate) fn find(system: &System, demands: &mut Demands, watch: &mut impl Watch) -> Examination {
    examination::find(system, demands, Demands::is_sparse, walk_watched, watch)
}

/// Walks down as [`walk`] does while `watch` watches.
fn walk_watched(
    demands: &Demands,
    limit: u64,
    known: Limit,
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> ExaminationEnd {
    examination::shown(demands, limit, known, watch, |rows| match rows {
        Some(steps) => walk_blocked(demands, limit, |_| 0, budget, steps),
        None => walk_blocked(demands, limit, |_| 0, budget, &mut Unwatched),
    })
}

/// Walks down from the limit, and shows each step (t, h(t)).
pub fn walk(
    demands: &Demands,
    limit: u64,
    budget: &mut Budget,
    mut step: impl FnMut(u64, u128),
) -> ExaminationEnd {
    walk_blocked(demands, limit, |_| 0, budget, &mut step)
}

/// Walks down the deadlines as [`walk`] does, with `blocking`, the work that is not due within t but may delay the work
/// that is: h(t) is then the sum of both, and each step is a row. The sum must not fall as t rises, so work that leaves
/// the blocking has to enter the demand.
pub(crate) fn walk_blocked(
    demands: &Demands,
    limit: u64,
    blocking: impl Fn(u64) -> u64,
    budget: &mut Budget,
    rows: &mut impl Rows,
) -> ExaminationEnd {
    let (Some(first), Some(mut t)) = (demands.first(), demands.last_before(limit)) else {
        return ExaminationEnd::Meets;
    };
    loop {
        if !budget.spend(demands.len()) {
            return ExaminationEnd::Spent;
        }
        let blocking = blocking(t);
        rows.blocked(blocking);
        let demand = demands.within_shown(t, rows) + u128::from(blocking);
        rows.row(t.into(), demand);
        if demand > u128::from(t) {
            return ExaminationEnd::Exceeds { t, demand };
        }
        if demand <= u128::from(first) {
            return ExaminationEnd::Meets;
        }
        t = if demand < u128::from(t) {
            demand as u64
        } else {
            match demands.last_before(t) {
                Some(earlier) => earlier,
                None => return ExaminationEnd::Meets,
            }
        };
    }
}
