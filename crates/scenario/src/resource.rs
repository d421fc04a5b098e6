//! Resources that tasks share: mutexes, and buffers, queues and heaps with schemes of their own.

use schedlab_lock::Length;
use schedlab_model::{MutexProtocol, ObjectKind, Scheme};

/// A shared resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceSpec {
    /// Name of the resource.
    pub name: String,
    /// Number of units; 1 is a mutex.
    pub units: u32,
    /// Whether jobs spin for the resource, under protocols that treat short and long resources apart.
    pub length: Length,
    /// Protocol of the mutex, if it has one of its own, whatever the scenario's protocol.
    pub protocol: Option<MutexProtocol>,
    /// The object, if tasks share the resource by a scheme of its own, whatever the scenario's protocol.
    pub object: Option<ObjectSpec>,
}

/// A buffer, queue or heap, with the scheme by which tasks share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectSpec {
    /// Kind of the object.
    pub kind: ObjectKind,
    /// Scheme by which tasks share the object.
    pub scheme: Scheme,
    /// Words of a buffer; the most values of a queue or heap.
    pub size: u32,
    /// Number of tasks for which the object is made; by default the number of those that access it.
    pub tasks: Option<u32>,
}

impl ResourceSpec {
    /// A mutex of this name.
    pub fn new(name: impl Into<String>) -> Self {
        ResourceSpec { name: name.into(), units: 1, length: Length::default(), protocol: None, object: None }
    }

    /// Scheme by which tasks share the resource, if it has one of its own.
    pub fn scheme(&self) -> Option<Scheme> {
        self.object.map(|object| object.scheme)
    }
}

impl ObjectSpec {
    /// An object of the size that block-or-not-2008, section 4.4, measures: ten words, or 1,000 values. It states none
    /// for queues.
    pub(crate) fn new(kind: ObjectKind, scheme: Scheme) -> Self {
        let size = match kind {
            ObjectKind::Buffer => 10,
            ObjectKind::Queue | ObjectKind::Heap => 1_000,
        };
        ObjectSpec { kind, scheme, size, tasks: None }
    }
}
