//! The processor-demand criterion by enumeration: every absolute deadline below the limit is examined.
//!
//! S. Baruah, A. Mok and L. Rosier, *Preemptively scheduling hard-real-time sporadic tasks on one
//! processor*, RTSS 1990. Exact, pseudo-polynomial, and slow: the yardstick of [`super::qpa`].

use super::demand::Demands;
use super::examination::{find, ExaminationEnd, ASSUMPTIONS};
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Guarantee, Test};
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
    // Without the shortcut that this is the yardstick of.
    run: |system| {
        let mut demands = Demands::default();
        find(system, &mut demands, |_| false, enumerate).verdict(&TEST, system, &demands)
    },
};

/// Examines each deadline below `limit` in rising order.
pub(crate) fn enumerate(demands: &Demands, limit: u64, budget: &mut Budget) -> ExaminationEnd {
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
        if !more_at_once && demand > u128::from(t) {
            return ExaminationEnd::Exceeds { t, demand };
        }
    }
    ExaminationEnd::Meets
}
