//! The hyperbolic bound of rate-monotonic scheduling.
//!
//! E. Bini, G. Buttazzo and G. Buttazzo, *Rate monotonic analysis: the hyperbolic bound*, IEEE
//! Transactions on Computers 52(7), 2003, Theorem 1: n tasks with implicit deadlines meet them if the
//! product of (U_i + 1) is at most 2. Accepts whatever the Liu-Layland bound accepts. Linear time.

use super::{by_utilizations, UtilizationBound};
use crate::assumption::Assumption;
use crate::exact::{compare_product, Pair};
use crate::reason::Reason;
use crate::sides::{Quantity, Sides};
use crate::steps::{RatioKind, Unwatched, Watch};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "hyperbolic",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::OneProcessorRateMonotonic,
        Assumption::ImplicitDeadlines,
        Assumption::DelaysAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Bini, Buttazzo and Buttazzo, IEEE TC 52(7), 2003, Theorem 1",
    cost: "O(n)",
    applies: System::is_preemptive_fp_uniprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    by_utilizations(&BOUND, system, watch)
}

static BOUND: UtilizationBound = UtilizationBound {
    test: &TEST,
    kind: RatioKind::Successors,
    holds,
    sides,
    reason: |sides, _| Reason::Hyperbola(sides),
};

fn sides(utilizations: Vec<Pair>, holds: bool) -> Sides {
    Sides::plain(Quantity::ProductOfSuccessors(utilizations), Quantity::whole(2), holds)
}

/// Returns whether the product of (U_i + 1) is at most 2.
pub fn holds(utilizations: &[Pair]) -> bool {
    compare_product(utilizations, 2).is_le()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_with_equality_and_not_beyond() {
        assert!(holds(&[(1, 2), (1, 3)]));
        assert!(!holds(&[(1, 2), (333_333_334, 1_000_000_000)]));
        assert!(holds(&[(1, 1)]));
        assert!(!holds(&[(1, 1), (1, 1 << 50)]));
    }
}
