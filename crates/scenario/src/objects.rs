//! What kinds of objects and their schemes are called in files.

use schedlab_model::{ObjectKind, Scheme};

pub(crate) const OBJECTS: &[(&str, ObjectKind)] = &[
    (ObjectKind::Buffer.name(), ObjectKind::Buffer),
    (ObjectKind::Queue.name(), ObjectKind::Queue),
    (ObjectKind::Heap.name(), ObjectKind::Heap),
];
pub(crate) const SCHEMES: &[(&str, Scheme)] = &[
    (Scheme::Locked.name(), Scheme::Locked),
    (Scheme::LockFree.name(), Scheme::LockFree),
    (Scheme::WaitFree.name(), Scheme::WaitFree),
];
