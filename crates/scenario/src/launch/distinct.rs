//! Names of tasks in files that allow fewer letters.

use std::collections::BTreeSet;

/// Returns `name`, or `name` with a number after `before_number`, whichever is not `known` yet. Tasks whose names
/// differ only in letters that are not allowed thus stay two services, or two commands.
pub(super) fn distinct(known: &mut BTreeSet<String>, name: String, before_number: char) -> String {
    let names = (2..).map(|number| format!("{name}{before_number}{number}"));
    let mut names = std::iter::once(name.clone()).chain(names);
    let free = names.find(|name| !known.contains(name)).expect("there are more numbers than tasks");
    known.insert(free.clone());
    free
}
