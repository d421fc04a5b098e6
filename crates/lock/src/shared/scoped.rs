//! Local and global as parameters: one protocol for the resources of one processor, another for the rest.

use crate::contract::{Hears, LockError, LockProtocol, LockSetup, Reply, Section, Turn};
use alloc::vec::Vec;
use schedlab_model::{at, Event, ResourceId};

/// Two protocols: `L` for local resources, if there are any, and `G` for global ones.
#[derive(Clone, Debug)]
pub(crate) struct Scoped<L, G> {
    /// By resource: whether it is local.
    is_local: Vec<bool>,
    local: Option<L>,
    global: G,
}

impl<L, G> Scoped<L, G> {
    /// Combines both protocols. Refuses nesting with global resources, and global ones of several units.
    pub(crate) fn of(
        local: L,
        global: G,
        setup: &LockSetup<'_>,
        name: &'static str,
    ) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        let is_local = setup.local(&usage);
        setup.demand_flat_globals(&usage, &is_local, name)?;
        setup.demand_single_globals(&is_local, name)?;
        let local = is_local.contains(&true).then_some(local);
        Ok(Scoped { is_local, local, global })
    }

    /// Combines both protocols, whatever nests with what. `is_local` by resource.
    pub(crate) fn between(is_local: Vec<bool>, local: Option<L>, global: G) -> Self {
        Scoped { is_local, local, global }
    }
}

impl<L, G> Scoped<L, G> {
    /// Returns the protocol of the resource, if the resource is local.
    #[inline(always)]
    fn local_of(&mut self, resource: ResourceId) -> Option<&mut L> {
        let local = self.local.as_mut()?;
        at(&self.is_local, resource.index()).then_some(local)
    }
}

impl<L: LockProtocol, G: LockProtocol> LockProtocol for Scoped<L, G> {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Reply {
        match self.local_of(section.resource) {
            Some(local) => local.request(section, turn),
            None => self.global.request(section, turn),
        }
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        match self.local_of(section.resource) {
            Some(local) => local.release(section, turn),
            None => self.global.release(section, turn),
        }
    }

    fn free_mutex(&self, resource: ResourceId) -> Option<usize> {
        // What is local goes by ceilings: they have to know of it.
        match self.is_local[resource.index()] {
            true => None,
            false => self.global.free_mutex(resource),
        }
    }

    fn hears(&self) -> Hears {
        self.local.as_ref().map_or(Hears::Aborts, L::hears).max(self.global.hears())
    }

    #[inline]
    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        if let Some(local) = &mut self.local {
            local.note(event, turn);
        }
        self.global.note(event, turn);
    }
}
