//! Names of tasks in files that allow fewer letters.

use std::collections::BTreeSet;

/// Two tasks whose names differ in other letters alone are two services, or two commands: `name`, or `name` with a
/// number after `before_number`, whichever is not `known` yet.
pub(super) fn distinct(known: &mut BTreeSet<String>, name: String, before_number: char) -> String {
    let names = (2..).map(|number| format!("{name}{before_number}{number}"));
    let mut names = std::iter::once(name.clone()).chain(names);
    let free = names.find(|name| !known.contains(name)).expect("there are more numbers than tasks");
    known.insert(free.clone());
    free
}
