//! How a part of a specification is written: each generator says it in its own file.

use crate::words::{SpecError, Words};

/// How something is written, and what it means.
pub type FormMeaning = (&'static str, &'static str);

/// One generator's entry in the list of its part: how it is written, and what reads it.
#[derive(Debug)]
pub struct SpecForm<T> {
    /// Each way to write it, and what that means. The first word of all of them is the generator's name.
    pub written: &'static [FormMeaning],
    /// Reads what follows the name.
    pub(super) read: fn(&mut Words<'_>) -> Result<T, SpecError>,
}

impl<T> SpecForm<T> {
    /// Its name in specifications.
    pub fn name(&self) -> &'static str {
        let (form, _) = self.written[0];
        form.split_once(' ').map_or(form, |(name, _)| name)
    }
}

/// A name that papers gave to a distribution, what it is written out, and where it comes from.
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

/// All that can be written: each way, and what it means.
pub(super) fn written<T>(forms: &'static [SpecForm<T>]) -> impl Iterator<Item = FormMeaning> {
    forms.iter().flat_map(|form| form.written.iter().copied())
}
