//! The long groups of single processors, which follow the stack resource policy there.
//!
//! Block-or-not-2008, section 2.2: under partitioned scheduling a long resource whose group has all its users on one
//! processor is local, and "Baker's uniprocessor stack resource protocol is used in the FMLP instead of the more
//! complex mechanisms". A job that was suspended for a global group meets the gate of its processor again when
//! it resumes, like any other job that resumes.

use crate::fmlp::Length;
use crate::groups::Groups;
use crate::lock_error::LockError;
use crate::setup::{LockSetup, PriorityOrder};
use crate::srp::Srp;
use crate::usage::Usage;
use alloc::vec::Vec;
use schedlab_model::{ClusterId, ResourceId};

/// The stack resource policy, and who follows it.
#[derive(Clone, Debug)]
pub(crate) struct LocalGroups {
    pub(crate) srp: Srp,
    /// By group.
    is_local: Vec<bool>,
}

impl LocalGroups {
    /// `None` if there are none, if clusters have several processors, or if there are no preemption levels.
    pub(crate) fn new(
        setup: &LockSetup<'_>,
        usage: &Usage,
        groups: &Groups,
        length: &[Length],
    ) -> Result<Option<Self>, LockError> {
        let is_partitioned = setup.platform.clusters.iter().all(|cluster| cluster.cpus.len() == 1);
        if !is_partitioned || matches!(setup.order, PriorityOrder::Pfair | PriorityOrder::Other) {
            return Ok(None);
        }
        let mut is_local: Vec<bool> = length.iter().map(|length| *length == Length::Long).collect();
        // By group: where its users are, as far as they are known.
        let mut home: Vec<Option<ClusterId>> = length.iter().map(|_| None).collect();
        for (resource, users) in usage.users.iter().enumerate() {
            let group = groups.of(ResourceId(resource as u32));
            for (task, _) in &users.needs {
                let cluster = setup.tasks[task.index()].cluster;
                is_local[group] &= *home[group].get_or_insert(cluster) == cluster;
            }
        }
        let is_used = home.iter().zip(&is_local).any(|(home, local)| *local && home.is_some());
        match is_used {
            true => Ok(Some(LocalGroups { srp: Srp::for_locals(setup, "FMLP")?, is_local })),
            false => Ok(None),
        }
    }

    /// True if `group` is one of them.
    pub(crate) fn holds(&self, group: usize) -> bool {
        self.is_local[group]
    }
}
