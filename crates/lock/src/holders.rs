//! Who holds how much of what.

use alloc::vec::Vec;
use schedlab_model::{JobId, Resource, ResourceId};

/// Units of one resource that one request was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Who holds them.
    pub job: JobId,
    /// Of what.
    pub resource: ResourceId,
    /// How many.
    pub units: u32,
}

/// The holders of all resources, and what is free.
#[derive(Clone, Debug)]
pub struct Holders {
    free: Vec<u32>,
    held: Vec<Held>,
}

impl Holders {
    /// All units of `resources` are free; there is room for `requests` granted requests.
    pub fn new(resources: &[Resource], requests: usize) -> Self {
        let free = resources.iter().map(|resource| resource.units).collect();
        Holders { free, held: Vec::with_capacity(requests) }
    }

    /// The free units of `resource`.
    pub fn free(&self, resource: ResourceId) -> u32 {
        self.free[resource.index()]
    }

    /// `job` holds `units` of `resource` from now on. Panics if there are not that many.
    pub fn take(&mut self, job: JobId, resource: ResourceId, units: u32) {
        let free = &mut self.free[resource.index()];
        *free = free.checked_sub(units).expect("only free units are granted");
        self.held.push(Held { job, resource, units });
    }

    /// `job` gives back what one of its requests was granted. Panics if it does not hold that.
    pub fn give(&mut self, job: JobId, resource: ResourceId, units: u32) {
        let granted = Held { job, resource, units };
        let at = self.held.iter().rposition(|held| *held == granted);
        self.held.remove(at.expect("only a holder releases, and what it holds"));
        self.free[resource.index()] += units;
    }

    /// The holder of `resource`, the earliest if several hold units of it.
    pub fn holder(&self, resource: ResourceId) -> Option<JobId> {
        self.iter().find(|held| held.resource == resource).map(|held| held.job)
    }

    /// What is held, in the order in which it was granted.
    pub fn iter(&self) -> impl Iterator<Item = Held> + '_ {
        self.held.iter().copied()
    }

    /// What `job` holds, in the order in which it was granted.
    pub fn of(&self, job: JobId) -> impl Iterator<Item = Held> + '_ {
        self.iter().filter(move |held| held.job == job)
    }

    /// An aborted job holds nothing.
    pub fn forget(&mut self, job: JobId) {
        while let Some(at) = self.held.iter().position(|held| held.job == job) {
            let held = self.held.remove(at);
            self.free[held.resource.index()] += held.units;
        }
    }
}
