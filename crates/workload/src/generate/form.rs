//! Forms in which parts of a specification are written: each generator defines them in its own file.

use crate::words::{SpecError, Words};

/// A form of a specification, and its meaning.
pub type FormMeaning = (&'static str, &'static str);

/// One generator's entry in the list of its part: its forms, and their reader.
#[derive(Debug)]
pub struct SpecForm<T> {
    /// Forms with their meanings. The first word of all of them is the generator's name.
    pub written: &'static [FormMeaning],
    /// Reads the words that follow the name.
    pub(super) read: fn(&mut Words<'_>) -> Result<T, SpecError>,
}

impl<T> SpecForm<T> {
    /// Name of the generator in specifications.
    pub fn name(&self) -> &'static str {
        let (form, _) = self.written[0];
        form.split_once(' ').map_or(form, |(name, _)| name)
    }
}

/// Name that papers gave to a distribution, its full specification, and its source.
pub type Named = (&'static str, &'static str, &'static str);

/// Reads `words`, which follow `name`, as the form of this name says, if there is one. Without parameters, a name is
/// first that of `named`.
pub(super) fn read<T>(
    forms: &[SpecForm<T>],
    named: &[Named],
    name: &str,
    words: &mut Words<'_>,
) -> Option<Result<T, SpecError>> {
    if words.is_empty() && named.iter().any(|(known, ..)| *known == name) {
        return None;
    }
    let form = forms.iter().find(|form| form.name() == name)?;
    Some((form.read)(words))
}

/// All forms of a list, with their meanings.
pub(super) fn written<T>(forms: &'static [SpecForm<T>]) -> impl Iterator<Item = FormMeaning> {
    forms.iter().flat_map(|form| form.written.iter().copied())
}
