//! No backlogged job has a higher priority than a linked one of its cluster.
//!
//! Judged when an instant is over, by effective priorities.

use super::links::ClusterLinks;
use super::Violation;
use schedlab_model::Instant;

pub(super) fn judge(cluster: &ClusterLinks, now: Instant) -> Option<Violation> {
    let ((linked, holder, cpu), (waiting, waiter)) = cluster.linked.zip(cluster.backlogged)?;
    let what = || format!("{waiter} is backlogged although {holder}, linked to {cpu}, is less urgent");
    waiting.is_higher_than(linked).then(|| Violation::new(now, waiter, cpu, what()))
}
