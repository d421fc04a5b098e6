//! Holders of resources, and the units that they hold.

use crate::contract::Section;
use alloc::vec::Vec;
use schedlab_model::{JobId, Resource, ResourceId};

/// The holders of all resources, and what is free.
#[derive(Clone, Debug)]
pub struct Holders {
    free: Vec<u32>,
    held: Vec<Section>,
}

impl Holders {
    /// Initial state, in which all units of `resources` are free; there is room for `requests` granted requests.
    pub(crate) fn new(resources: &[Resource], requests: usize) -> Self {
        let free = resources.iter().map(|resource| resource.units).collect();
        Holders { free, held: Vec::with_capacity(requests) }
    }

    /// The free units of `resource`.
    pub(crate) fn free(&self, resource: ResourceId) -> u32 {
        self.free[resource.index()]
    }

    /// Begins `section`. Panics if there are not that many free units.
    pub(crate) fn take(&mut self, section: Section) {
        let free = &mut self.free[section.resource.index()];
        *free = free.checked_sub(section.units).expect("only free units are granted");
        self.held.push(section);
    }

    /// Ends `section`. Panics if it had not begun.
    pub(crate) fn give(&mut self, section: Section) {
        let index = self.held.iter().rposition(|held| *held == section);
        self.held.remove(index.expect("only a holder releases, and what it holds"));
        self.free[section.resource.index()] += section.units;
    }

    /// The holder of `resource`, the earliest if several hold units of it.
    pub(crate) fn holder(&self, resource: ResourceId) -> Option<JobId> {
        self.iter().find(|held| held.resource == resource).map(|held| held.job)
    }

    /// Held sections, in the order in which they were granted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Section> + '_ {
        self.held.iter().copied()
    }

    /// Held sections of `job`, in the order in which they were granted.
    pub(crate) fn of(&self, job: JobId) -> impl Iterator<Item = Section> + '_ {
        self.iter().filter(move |held| held.job == job)
    }

    /// Forgets the sections of an aborted job.
    pub(crate) fn forget(&mut self, job: JobId) {
        while let Some(index) = self.held.iter().position(|held| held.job == job) {
            let held = self.held.remove(index);
            self.free[held.resource.index()] += held.units;
        }
    }
}
