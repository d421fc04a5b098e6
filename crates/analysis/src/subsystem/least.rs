//! The least budget that suffices for a subsystem, and the latest deadline of it.
//!
//! More budget in each period, by the same deadline, never supplies less, because each supply that it allows contains
//! one that less budget allows; and an earlier deadline never supplies less, because a later one allows each supply
//! that it allows. The tests of subsystems only compare with the supply bound function, so they hold of each larger
//! budget and of each earlier deadline, too: bisection over whole nanoseconds finds the least and the latest one
//! exactly. (Where a test gives up, its answer counts as no; what is found suffices all the same.)
//!
//! An explicit deadline periodic resource needs the least budget if its deadline is the budget itself. Among the
//! deadlines with that budget the latest one is the easiest for the scheduler above (A. Easwaran, M. Anand and I. Lee,
//! *Compositional analysis framework using EDP resource models*, RTSS 2007).

use super::{judge, Client, SubsystemRule};
use crate::supply::Supply;

/// Returns the least budget from 1 to `most` ns for which the supply by `of` suffices for `clients`, if one does. `of`
/// must not supply less for a larger budget.
pub fn least_budget(
    clients: &[Client],
    rule: SubsystemRule,
    most: u64,
    of: impl Fn(u64) -> Box<dyn Supply>,
) -> Option<u64> {
    first(1, most, |budget| judge(clients, rule, &*of(budget)).fits())
}

/// Returns the latest deadline from `earliest` to `latest` ns for which the supply by `of` suffices for `clients`, if
/// one does. `of` must not supply less for an earlier deadline.
pub fn latest_deadline(
    clients: &[Client],
    rule: SubsystemRule,
    (earliest, latest): (u64, u64),
    of: impl Fn(u64) -> Box<dyn Supply>,
) -> Option<u64> {
    let earlier_by = |deadline| latest - deadline;
    first(0, earlier_by(earliest), |by| judge(clients, rule, &*of(latest - by)).fits()).map(|by| latest - by)
}

/// Returns the first number from `low` to `high` for which `holds`, which then holds for all larger ones.
fn first(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if low > high || !holds(high) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match holds(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Some(low)
}
