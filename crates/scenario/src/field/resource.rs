//! The fields of resources.

use super::shape::{Shape::*, MOST_U32};
use super::{Field, FieldTable};
use crate::words::{names, LENGTHS};
use schedlab_model::{MutexProtocol, ObjectKind, Scheme};

tables! {
    // `[[resource]]`.
    /// A shared resource
    RESOURCE = "resource", required ["name"], {
        /// Its name: a word
        "name": Text,
        /// How many units exist; 1: a mutex
        "units": Whole(1, MOST_U32),
        /// Under fmlp: whether jobs spin for it (short) or suspend themselves (long); short
        "length": Word(|| names(LENGTHS)),
        /// Its protocol as a mutex of POSIX, under SCHED_FIFO; that of the scenario if not given
        "protocol": Word(|| names(&MutexProtocol::NAMED)),
        /// What it is, where it has a scheme of its own; a section is an operation on it
        "kind": Word(|| names(&ObjectKind::NAMED)),
        /// How tasks share it, whatever the protocol of the others; needs a kind
        "scheme": Word(|| names(&Scheme::NAMED)),
        /// Words of a buffer (10), or the most values of a queue or heap (1000)
        "size": Whole(1, 60_000),
        /// For how many tasks it is made; as many as access it
        "tasks": Whole(1, 120),
    }
}
