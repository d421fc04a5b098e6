//! Which part of the objects a test leaves out.

use crate::sources::Part;
use std::cell::Cell;

thread_local! {
    // Loom and shuttle run all threads of a system in the thread of the test.
    static LEFT_OUT: Cell<Option<Part>> = const { Cell::new(None) };
}

/// Whether the part is there.
pub(crate) fn has(part: Part) -> bool {
    LEFT_OUT.get() != Some(part)
}

/// Whether `test` fails, in this thread, without the part.
#[allow(dead_code, reason = "not every test leaves parts out")]
pub(crate) fn is_missed(part: Part, test: impl FnOnce()) -> bool {
    LEFT_OUT.set(Some(part));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(test));
    LEFT_OUT.set(None);
    result.is_err()
}
