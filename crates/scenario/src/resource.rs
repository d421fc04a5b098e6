//! What tasks share: mutexes, and buffers, queues and heaps with schemes of their own.

use schedlab_lock::Length;
use schedlab_model::{ObjectKind, Scheme};

/// A shared resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceSpec {
    /// Its name.
    pub name: String,
    /// How many units of it exist; 1 is a mutex.
    pub units: u32,
    /// Whether jobs spin for it, under protocols that treat short and long resources apart.
    pub length: Length,
    /// What it is, where tasks share it by a scheme of its own, whatever the scenario's protocol.
    pub object: Option<ObjectSpec>,
}

/// A buffer, queue or heap, and how tasks share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectSpec {
    /// What it is.
    pub kind: ObjectKind,
    /// How it is shared.
    pub scheme: Scheme,
    /// Words of a buffer; the most values of a queue or heap.
    pub size: u32,
    /// How many tasks it is made for; those that access it if not given.
    pub tasks: Option<u32>,
}

impl ResourceSpec {
    /// A mutex of this name.
    pub fn new(name: impl Into<String>) -> Self {
        ResourceSpec { name: name.into(), units: 1, length: Length::default(), object: None }
    }

    /// How tasks share it, if by a scheme of its own.
    pub fn scheme(&self) -> Option<Scheme> {
        self.object.map(|object| object.scheme)
    }
}

impl ObjectSpec {
    /// Of the size that block-or-not-2008, section 4.4, measures: ten words, or 1,000 values. It states none for
    /// queues.
    pub(crate) fn new(kind: ObjectKind, scheme: Scheme) -> Self {
        let size = match kind {
            ObjectKind::Buffer => 10,
            ObjectKind::Queue | ObjectKind::Heap => 1_000,
        };
        ObjectSpec { kind, scheme, size, tasks: None }
    }
}
