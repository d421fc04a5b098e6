//! The words of each choice, from the lists that readers have.

use crate::field::Choice;
use crate::objects::{OBJECTS, SCHEMES};
use crate::overheads::{FITTED, STATISTICS};
use crate::words::{
    priorities, ALIGNMENTS, ARBITRATIONS, ARRIVALS, COMPONENT_ORDERS, COSTS, DEADLINE_RULES, FITS, LENGTHS,
    ORDERS, OVERFLOWS, OVERRUNS, PLACEMENT_TESTS, PLACEMENT_WEIGHTS, RELEASES, SPLITS, URGENT, WEIGHTS,
};
use schedlab_model::{Architecture, QueueLock};
use schedlab_policy::pfair::{Affinity, ComponentScheduling};

/// What the reader takes.
pub(crate) fn words(choice: Choice) -> Vec<&'static str> {
    match choice {
        Choice::Affinity => Affinity::words().collect(),
        Choice::Alignment => names(ALIGNMENTS),
        Choice::Arbitration => names(ARBITRATIONS),
        Choice::Architecture => names(&Architecture::NAMED),
        Choice::Arrival => names(ARRIVALS),
        Choice::ComponentOrder => names(COMPONENT_ORDERS),
        Choice::ComponentScheduling => names(ComponentScheduling::ALL),
        Choice::Cost => names(COSTS),
        Choice::DeadlineRule => names(DEADLINE_RULES),
        Choice::Fit => names(FITS),
        Choice::Fitted => FITTED.to_vec(),
        Choice::Length => names(LENGTHS),
        Choice::ObjectKind => names(OBJECTS),
        Choice::Overflow => names(OVERFLOWS),
        Choice::Overrun => names(OVERRUNS),
        Choice::PlacementOrder => names(ORDERS),
        Choice::PlacementTest => PLACEMENT_TESTS.to_vec(),
        Choice::PlacementWeight => names(PLACEMENT_WEIGHTS),
        Choice::Priorities => names(&priorities()),
        Choice::QueueLock => names(&QueueLock::NAMED),
        Choice::Releases => names(RELEASES),
        Choice::Scheme => names(SCHEMES),
        Choice::Split => names(SPLITS),
        Choice::Statistic => names(STATISTICS),
        Choice::UrgentPriority => names(URGENT),
        Choice::Weights => names(WEIGHTS),
    }
}

fn names<T>(list: &[(&'static str, T)]) -> Vec<&'static str> {
    list.iter().map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use crate::field;
    use crate::overheads::STATISTICS;
    use schedlab_model::OverheadKind;

    /// The reader takes overheads by kind, and each by statistic. The schema has the same, in this order.
    #[test]
    fn overheads_have_a_field_for_each_kind_and_each_statistic() {
        let kinds = OverheadKind::ALL.iter().map(|kind| kind.name());
        assert!(field::KINDS.names().eq(kinds), "the fields of KINDS are not the kinds of overheads");
        let statistics = STATISTICS.iter().map(|(name, _)| *name);
        let expected: Vec<&str> = statistics.chain(["samples", "paths"]).collect();
        assert_eq!(field::OVERHEAD.names().collect::<Vec<_>>(), expected);
    }
}
