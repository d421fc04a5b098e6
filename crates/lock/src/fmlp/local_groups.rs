//! The long groups of single processors, which follow the stack resource policy there.
//!
//! Block-or-not-2008, section 2.2: under partitioned scheduling a long resource whose group has all its users on one
//! processor is local, and "Baker's uniprocessor stack resource protocol is used in the FMLP instead of the more
//! complex mechanisms". A job that was suspended for a global group takes the preemption test of its processor again
//! when it resumes, like any other job that resumes.

use crate::contract::{Length, LockSetup, PriorityOrder, Usage};
use crate::shared::groups::Groups;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{ClusterId, ResourceId};

/// By resource: whether its group is long and has all its users on one processor. `None` if clusters have several
/// processors, or if there are no preemption levels.
pub(crate) fn local_groups(
    setup: &LockSetup<'_>,
    usage: &Usage,
    groups: &Groups,
    length: &[Length],
) -> Vec<bool> {
    let is_partitioned = setup.platform.clusters.iter().all(|cluster| cluster.cpus.len() == 1);
    if !is_partitioned || matches!(setup.order, PriorityOrder::Pfair | PriorityOrder::Other) {
        return vec![false; length.len()];
    }
    // By group: where its users are, as far as they are known, and whether that is one place.
    let mut home: Vec<Option<ClusterId>> = vec![None; length.len()];
    let mut is_local: Vec<bool> = length.iter().map(|length| *length == Length::Long).collect();
    for (resource, users) in usage.users.iter().enumerate() {
        let group = groups.of(ResourceId(resource as u32));
        for (task, _) in &users.needs {
            let cluster = setup.tasks[task.index()].cluster;
            is_local[group] &= *home[group].get_or_insert(cluster) == cluster;
        }
    }
    let of_group = |resource: usize| {
        let group = groups.of(ResourceId(resource as u32));
        is_local[group] && home[group].is_some()
    };
    (0..length.len()).map(of_group).collect()
}
