//! Fields of a scenario that were set from outside, as answers show them.

use serde::Serialize;

/// A field that was set from outside, for answers to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Supposed {
    /// Path of the field, such as `task.odom.wcet`; `scale` for the factor of all costs.
    pub path: String,
    /// The value.
    pub value: String,
    /// The value that the scenario states itself, if it states one.
    pub before: Option<String>,
}

/// The fields that were set from outside. Scenarios that differ only in how they came about are equal.
#[derive(Clone, Debug, Default)]
pub struct WhatIf(Vec<Supposed>);

impl PartialEq for WhatIf {
    fn eq(&self, _: &WhatIf) -> bool {
        true
    }
}

impl Eq for WhatIf {}

impl WhatIf {
    /// Adds a field, unless it had the value before.
    pub(crate) fn add(&mut self, path: &str, value: String, before: Option<String>) {
        if before.as_ref() != Some(&value) {
            self.0.push(Supposed { path: path.to_owned(), value, before });
        }
    }

    /// The fields that were set, in order.
    pub fn all(&self) -> &[Supposed] {
        &self.0
    }
}
