//! Sections that a thread enters without asking: by a write to memory that the next decision hears.

use crate::task::task_thread::TaskThread;
use schedlab_model::ResourceId;
use schedlab_objects::Entry;

/// What a job has taken without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnFastSection {
    Nothing,
    /// A non-preemptive section: the outermost.
    NonPreemptive,
    /// A resource, part of this mutex.
    Resource(ResourceId, usize),
}

impl OwnFastSection {
    /// Takes `resource`, if the protocol has nothing against it and it is free.
    #[inline]
    pub(super) fn take(&mut self, thread: &TaskThread<'_>, resource: ResourceId) -> bool {
        let Some(mutex) = thread.domain.mutex_of(resource) else { return false };
        let (fast_sections, index) = (thread.domain.fast_sections(), thread.task.index());
        let taken = fast_sections.take(index, resource.0, mutex, || thread.gate.lets_execute());
        if taken {
            *self = OwnFastSection::Resource(resource, mutex);
        }
        taken
    }

    /// Gives `resource` back, if it was taken without asking and no decision has heard of it.
    #[inline]
    pub(super) fn give(&mut self, thread: &TaskThread<'_>, resource: ResourceId) -> bool {
        match *self {
            OwnFastSection::Resource(taken, mutex) if taken == resource => {
                *self = OwnFastSection::Nothing;
                thread.domain.fast_sections().give(thread.task.index(), mutex)
            }
            OwnFastSection::Nothing | OwnFastSection::NonPreemptive | OwnFastSection::Resource(..) => false,
        }
    }

    /// Enters a non-preemptive section.
    #[inline]
    pub(super) fn enter(&mut self, thread: &TaskThread<'_>) -> bool {
        let entry = thread.domain.fast_sections().enter(thread.task.index(), || thread.gate.lets_execute());
        if entry == Entry::Entered {
            *self = OwnFastSection::NonPreemptive;
        }
        entry != Entry::Refused
    }

    /// Leaves the outermost non-preemptive section, if it was entered without asking and no decision has heard of it.
    #[inline]
    pub(super) fn exit(&mut self, thread: &TaskThread<'_>) -> bool {
        if *self != OwnFastSection::NonPreemptive {
            return false;
        }
        *self = OwnFastSection::Nothing;
        thread.domain.fast_sections().exit(thread.task.index())
    }
}
