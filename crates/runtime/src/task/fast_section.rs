//! Sections that a thread enters without a call of the engine: by a write to memory, which the next decision notices.

use crate::task::task_thread::TaskThread;
use schedlab_model::ResourceId;
use schedlab_objects::Entry;

/// The fast section in which a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnFastSection {
    Nothing,
    /// The outermost non-preemptive section.
    NonPreemptive,
    /// A resource, which is part of the mutex of this number.
    Resource(ResourceId, usize),
}

impl OwnFastSection {
    /// Takes `resource` by a fast section, if the protocol allows that and the mutex is free.
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

    /// Gives `resource` back, if the thread took it by a fast section that no decision has noticed.
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

    /// Enters a non-preemptive section without a call of the engine. False if the thread has to ask.
    #[inline]
    pub(super) fn enter(&mut self, thread: &TaskThread<'_>) -> bool {
        let entry = thread.domain.fast_sections().enter(thread.task.index(), || thread.gate.lets_execute());
        if entry == Entry::Entered {
            *self = OwnFastSection::NonPreemptive;
        }
        entry != Entry::Refused
    }

    /// Leaves the outermost non-preemptive section, if the thread entered it as a fast section that no decision has
    /// noticed.
    #[inline]
    pub(super) fn exit(&mut self, thread: &TaskThread<'_>) -> bool {
        if *self != OwnFastSection::NonPreemptive {
            return false;
        }
        *self = OwnFastSection::Nothing;
        thread.domain.fast_sections().exit(thread.task.index())
    }
}
