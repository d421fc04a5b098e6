//! No processor of a cluster is without link while a job of the cluster is backlogged.
//!
//! Judged when an instant is over. A job that a locking protocol holds back is suspended, not backlogged. Links, not
//! dispatches: that overheads and non-preemptive sections delay a dispatch is no fault of the policy.

use super::links::ClusterLinks;
use super::Violation;
use schedlab_model::Instant;

pub(super) fn judge(cluster: &ClusterLinks, now: Instant) -> Option<Violation> {
    let (cpu, (_, job)) = cluster.free.zip(cluster.backlogged)?;
    Some(Violation::new(now, job, cpu, format!("{cpu} has no link although {job} is backlogged")))
}
