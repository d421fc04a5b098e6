//! Values of TOML, written by the library that also formats them.

use crate::quantity::Millionths;
use schedlab_model::{OneWord, Utility};
use toml_edit::{Array, InlineTable, Item, Table, Value};

/// A table to which fields are added.
pub(super) trait Fields {
    /// Adds a field.
    fn field(&mut self, name: &str, value: impl Into<Value>);

    /// Adds a field, unless the text is empty.
    fn text(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.field(name, text);
        }
    }

    /// Adds a field, unless the choice is the usual one.
    fn word<T: Default + PartialEq>(&mut self, name: &str, choices: &[(&'static str, T)], choice: T) {
        if choice != T::default() {
            self.field(name, name_of(choices, choice));
        }
    }

    /// Adds a field, unless the time is the `usual` one.
    fn unusual<T: Copy + PartialEq + Into<OneWord>>(&mut self, name: &str, value: T, usual: T) {
        if value != usual {
            self.field(name, time(value));
        }
    }

    /// Adds a field, unless the list is empty.
    fn list<'t, T: 't, V: Into<Value>>(&mut self, name: &str, items: &'t [T], write: impl FnMut(&'t T) -> V) {
        if !items.is_empty() {
            self.field(name, list(items, write));
        }
    }

    /// Adds a field, if there is a value.
    fn optional(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }
}

impl Fields for Table {
    fn field(&mut self, name: &str, value: impl Into<Value>) {
        self.insert(name, Item::Value(value.into()));
    }
}

impl Fields for InlineTable {
    fn field(&mut self, name: &str, value: impl Into<Value>) {
        self.insert(name, value.into());
    }
}

/// The name of one of `choices`.
pub(super) fn name_of<T: PartialEq>(choices: &[(&'static str, T)], choice: T) -> Value {
    let found = choices.iter().find(|(_, known)| *known == choice);
    found.expect("each choice has a name").0.into()
}

/// `[a, b]`.
pub(super) fn list<T, V: Into<Value>>(
    items: impl IntoIterator<Item = T>,
    write: impl FnMut(T) -> V,
) -> Value {
    Value::Array(items.into_iter().map(write).collect())
}

/// `[["4 KiB", "10us"], ...]` from rows of pairs.
pub(super) fn pair(first: impl Into<Value>, second: impl Into<Value>) -> Value {
    Value::Array(Array::from_iter([first.into(), second.into()]))
}

/// `{ a = 1, b = 2 }`.
pub(super) fn inline<const N: usize>(fields: [(&str, Value); N]) -> InlineTable {
    fields.into_iter().collect()
}

/// A time in one word, such as `"2.5ms"`.
pub(super) fn time(value: impl Into<OneWord>) -> Value {
    value.into().to_string().into()
}

/// A list of times.
pub(super) fn times<T: Copy + Into<OneWord>>(items: &[T]) -> Value {
    list(items, |item| time(*item))
}

/// A whole number. TOML's integers end at 2^63; a larger number is written as a text, which the reader refuses with its
/// place.
pub(super) fn whole(number: u64) -> Value {
    i64::try_from(number).map_or_else(|_| number.to_string().into(), Value::from)
}

/// A utility. Its at most 15 digits come back from the nearest floating-point number.
pub(super) fn utility_value(utility: Utility) -> Value {
    let millionths = utility.as_millionths();
    match millionths % 1_000_000 {
        0 => whole(millionths / 1_000_000),
        _ => (millionths as f64 / 1e6).into(),
    }
}

/// A fraction of one. Its six digits come back from the nearest floating-point number.
pub(super) fn fraction(fraction: Millionths) -> Value {
    (f64::from(fraction.millionths()) / 1e6).into()
}
