//! Sections that a thread enters without asking: by a write to memory that the next decision hears.

use crate::task::task_thread::TaskThread;
use schedlab_model::ResourceId;
use schedlab_objects::Entry;

/// What a job has taken without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grabbed {
    Nothing,
    /// A non-preemptive section: the outermost.
    Section,
    /// A resource, part of this mutex.
    Resource(ResourceId, usize),
}

impl Grabbed {
    /// Takes `resource`, if the protocol has nothing against it and it is free.
    #[inline]
    pub(super) fn take(&mut self, thread: &TaskThread<'_>, resource: ResourceId) -> bool {
        let Some(mutex) = thread.domain.mutex_of(resource) else { return false };
        let (grabs, index) = (thread.domain.grabs(), thread.task.index());
        let taken = grabs.take(index, resource.0, mutex, || thread.gate.lets_execute());
        if taken {
            *self = Grabbed::Resource(resource, mutex);
        }
        taken
    }

    /// Gives `resource` back, if it was taken without asking and no decision has heard of it.
    #[inline]
    pub(super) fn give(&mut self, thread: &TaskThread<'_>, resource: ResourceId) -> bool {
        match *self {
            Grabbed::Resource(taken, mutex) if taken == resource => {
                *self = Grabbed::Nothing;
                thread.domain.grabs().give(thread.task.index(), mutex)
            }
            Grabbed::Nothing | Grabbed::Section | Grabbed::Resource(..) => false,
        }
    }

    /// Enters a non-preemptive section.
    #[inline]
    pub(super) fn enter(&mut self, thread: &TaskThread<'_>) -> bool {
        let entry = thread.domain.grabs().enter(thread.task.index(), || thread.gate.lets_execute());
        if entry == Entry::Entered {
            *self = Grabbed::Section;
        }
        entry != Entry::Refused
    }

    /// Leaves the outermost non-preemptive section, if it was entered without asking and no decision has heard of it.
    #[inline]
    pub(super) fn exit(&mut self, thread: &TaskThread<'_>) -> bool {
        if *self != Grabbed::Section {
            return false;
        }
        *self = Grabbed::Nothing;
        thread.domain.grabs().exit(thread.task.index())
    }
}
