//! Holders of resources, and the resources for which jobs ask, for schedulers that follow dependencies.

use crate::ids::{JobId, Occupant, ResourceId};
use crate::task::{Step, Task};
use alloc::vec::Vec;

/// The holder of each resource of one unit, and the resource for which each task's job has asked and which it does not
/// hold yet.
///
/// A resource of several units has several holders: the table names the one that took some last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sharing {
    /// By resource that a program names: its holder.
    holders: Vec<Occupant>,
    /// By task: the resource for which its job asks.
    wanted: Vec<Option<ResourceId>>,
}

impl Sharing {
    /// Prepares the table for `tasks`, whose jobs hold and want nothing.
    pub(crate) fn renew(&mut self, tasks: &[Task]) {
        let named = |step: &Step| match step {
            Step::Request(resource, _) | Step::Serve(resource) => resource.index() + 1,
            Step::Execute(_) | Step::Suspend(_) | Step::Release(..) | Step::NpEnter | Step::NpExit => 0,
        };
        let resources = tasks.iter().flat_map(|task| task.program.iter().map(named)).max().unwrap_or(0);
        self.holders.clear();
        self.holders.resize(resources, Occupant::NOBODY);
        self.wanted.clear();
        self.wanted.resize(tasks.len(), None);
    }

    pub(crate) fn holder(&self, resource: ResourceId) -> Option<JobId> {
        self.holders.get(resource.index())?.get()
    }

    pub(crate) fn wanted_by(&self, job: JobId) -> Option<ResourceId> {
        self.wanted[job.task.index()]
    }

    pub(crate) fn want(&mut self, job: JobId, resource: Option<ResourceId>) {
        self.wanted[job.task.index()] = resource;
    }

    /// Sets the holder of a resource. A resource that no program names is not in the table.
    #[inline]
    pub(crate) fn set_holder(&mut self, resource: ResourceId, holder: Option<JobId>) {
        if let Some(known) = self.holders.get_mut(resource.index()) {
            *known = holder.into();
        }
    }

    /// Forgets the requests and holdings of the job.
    pub(crate) fn forget(&mut self, job: JobId) {
        self.wanted[job.task.index()] = None;
        let its = Occupant::job(job);
        self.holders
            .iter_mut()
            .filter(|holder| **holder == its)
            .for_each(|holder| *holder = Occupant::NOBODY);
    }
}
