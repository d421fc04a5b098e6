//! Choice of the most urgent of several.

use schedlab_model::Priority;

/// Returns the item with the highest priority, the first of equals.
pub(crate) fn highest<T: Copy>(
    among: impl Iterator<Item = T>,
    priority: impl Fn(T) -> Priority,
) -> Option<T> {
    among.reduce(|a, b| if priority(b).is_higher_than(priority(a)) { b } else { a })
}
