//! The processor-demand criterion by enumeration: every absolute deadline below the limit is examined.
//!
//! S. Baruah, A. Mok and L. Rosier, *Preemptively scheduling hard-real-time sporadic tasks on one
//! processor*, RTSS 1990. Exact, pseudo-polynomial, and slow: the yardstick of [`super::qpa`].

use super::demand::Demands;
use super::examination::{find, shown, ExaminationEnd, ASSUMPTIONS};
use crate::budget::Budget;
use crate::steps::{Limit, Rows, Unwatched, Watch};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "demand_criterion",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: ASSUMPTIONS,
    source: "Baruah, Mok and Rosier, RTSS 1990",
    cost: "pseudo-polynomial; O(n) at each deadline up to a limit",
    applies: System::is_preemptive_edf_uniprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches. It takes no shortcut of those whose yardstick it is.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    let mut demands = Demands::default();
    find(system, &mut demands, |_| false, enumerate_watched, watch).verdict(&TEST, system, &demands)
}

fn enumerate_watched(
    demands: &Demands,
    limit: u64,
    known: Limit,
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> ExaminationEnd {
    shown(demands, limit, known, watch, |rows| match rows {
        Some(steps) => enumerate(demands, limit, budget, steps),
        None => enumerate(demands, limit, budget, &mut Unwatched),
    })
}

/// Examines each deadline below `limit` in rising order.
fn enumerate(demands: &Demands, limit: u64, budget: &mut Budget, rows: &mut impl Rows) -> ExaminationEnd {
    let streams: Vec<_> = demands.streams().collect();
    let mut due: BinaryHeap<_> = streams.iter().enumerate().map(|(index, s)| Reverse((s.0, index))).collect();
    let mut demand = 0u128;
    while let Some(Reverse((t, index))) = due.pop() {
        if t >= limit {
            break;
        }
        if !budget.spend(1) {
            return ExaminationEnd::Spent;
        }
        let (_, period, cost) = streams[index];
        demand += u128::from(cost);
        due.push(Reverse((t + period, index)));
        let more_at_once = due.peek().is_some_and(|Reverse((next, _))| *next == t);
        if more_at_once {
            continue;
        }
        rows.row(t.into(), demand);
        if demand > u128::from(t) {
            return ExaminationEnd::Exceeds { t, demand };
        }
    }
    ExaminationEnd::Meets
}
