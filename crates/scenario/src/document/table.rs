//! A table of a TOML file whose fields are known: others are errors.

use super::value::Value;
use super::Document;
use crate::error::Problem;
use crate::field::FieldTable;
use std::cell::RefCell;
use std::collections::BTreeSet;
use toml::de::{DeTable, DeValue};

/// A table whose fields are known.
pub(crate) struct Table<'a, 't> {
    pub(crate) doc: &'a Document<'t>,
    pub(crate) path: String,
    entries: &'a DeTable<'t>,
    start: usize,
    sections: &'static [&'static FieldTable],
    asked: RefCell<BTreeSet<String>>,
}

/// Asserts that code has read every described field, because a field that no code reads would be ignored in silence.
impl Drop for Table<'_, '_> {
    fn drop(&mut self) {
        if self.doc.is_fine() && !std::thread::panicking() {
            let asked = self.asked.borrow();
            let unread = self.entries.keys().find(|key| !asked.contains::<str>(key.get_ref()));
            assert!(unread.is_none(), "the reader does not read {unread:?} of {:?}", self.path);
        }
    }
}

impl<'a, 't> Table<'a, 't> {
    pub(crate) fn new(
        doc: &'a Document<'t>,
        path: String,
        entries: &'a DeTable<'t>,
        start: usize,
        sections: &'static [&'static FieldTable],
    ) -> Self {
        let table = Table { doc, path, entries, start, sections, asked: RefCell::default() };
        for key in entries.keys() {
            let name: &str = key.get_ref();
            if !table.names().any(|known| known == name) {
                let problem = Problem::unknown_field(&table.path, name, table.names());
                doc.report(key.span().start, &table.path_of(name), problem);
            }
        }
        table
    }

    fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        let sections: &'static [&'static FieldTable] = self.sections;
        sections.iter().flat_map(|section| section.names())
    }

    pub(crate) fn path_of(&self, name: &str) -> String {
        let name: String = name.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect();
        if self.path.is_empty() {
            name
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// Returns the field `name`, if it is there. It must be one of the table's sections.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a, 't>> {
        assert!(
            self.names().any(|known| known == name),
            "the reader asks for a field that has no description"
        );
        self.asked.borrow_mut().insert(name.to_owned());
        let raw = self.entries.get(name)?;
        Some(Value { doc: self.doc, path: self.path_of(name), raw })
    }

    /// Marks all fields as read, for a table that was read completely before.
    pub(crate) fn skip_rest(&self) {
        self.asked.borrow_mut().extend(self.entries.keys().map(|key| key.get_ref().to_string()));
    }

    /// Returns the field `name`; an error if it is not there.
    pub(crate) fn need(&self, name: &str, allowed: &str) -> Option<Value<'a, 't>> {
        let value = self.get(name);
        if value.is_none() {
            self.missing(name, allowed);
        }
        value
    }

    /// Applies `read` to the field `name`; an error if the field is not there.
    pub(crate) fn needed<T>(
        &self,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&Value<'a, 't>) -> Option<T>,
    ) -> Option<T> {
        read(&self.need(name, allowed)?)
    }

    /// Applies `read` to the field `name`. Returns `otherwise` if the field is not there, `None` if it is wrong.
    pub(crate) fn given_or<T>(
        &self,
        name: &str,
        otherwise: T,
        read: impl FnOnce(&Value<'a, 't>) -> Option<T>,
    ) -> Option<T> {
        self.get(name).map_or(Some(otherwise), |value| read(&value))
    }

    /// Applies `read` to the field `name`, which has no default. The inner `None` means that the field is not there,
    /// the outer one that it is wrong.
    pub(crate) fn given<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Value<'a, 't>) -> Option<T>,
    ) -> Option<Option<T>> {
        self.given_or(name, None, |value| read(value).map(Some))
    }

    /// Sets `target` to the field `name` as `read` reads it, if the field is there and right.
    pub(crate) fn set<T>(&self, name: &str, target: &mut T, read: impl FnOnce(&Value<'a, 't>) -> Option<T>) {
        if let Some(found) = self.get(name).and_then(|value| read(&value)) {
            *target = found;
        }
    }

    pub(crate) fn missing(&self, name: &str, allowed: &str) {
        self.doc.report(self.start, &self.path_of(name), Problem::missing(allowed));
    }

    /// Returns all fields, whatever their names: for tables that name things themselves.
    pub(crate) fn every(entries: &Value<'a, 't>) -> Vec<(String, Value<'a, 't>)> {
        let DeValue::Table(table) = entries.raw.get_ref() else {
            entries.wrong_type::<()>("a table");
            return Vec::new();
        };
        table
            .iter()
            .map(|(key, raw)| {
                let name = key.get_ref().to_string();
                (name.clone(), Value { doc: entries.doc, path: format!("{}.{name}", entries.path), raw })
            })
            .collect()
    }

    /// Reports a fault that a check of the whole scenario found: at the field if it is there, else at the table.
    ///
    /// The value is shown as written.
    pub(crate) fn fault(&self, field: &str, mut problem: Problem) {
        let Some(value) = self.entries.get(field).map(|_| self.get(field).expect("it was just there")) else {
            self.doc.report(self.start, &self.path_of(field), problem);
            return;
        };
        if let Problem::Refused { value: shown, .. } = &mut problem {
            if !value.is_table() && !value.is_array() {
                *shown = value.written();
            }
        }
        value.report(problem);
    }

    /// Reports a fault as [`Table::fault`] does, at the item of the field's list that is at fault. The problem must
    /// name the value itself.
    pub(crate) fn fault_of_item(&self, field: &str, item: usize, problem: Problem) {
        let list = self.entries.get(field).and_then(|_| self.get(field));
        match list.and_then(|list| list.item(item)) {
            Some(item) => item.report(problem),
            None => self.fault(field, problem),
        }
    }
}

impl<'a, 't> Value<'a, 't> {
    /// Reads a table, with errors for fields that none of `sections` has.
    pub(crate) fn table(
        &self,
        sections: &'static [&'static FieldTable],
        allowed: &str,
    ) -> Option<Table<'a, 't>> {
        match self.raw.get_ref() {
            DeValue::Table(entries) => {
                Some(Table::new(self.doc, self.path.clone(), entries, self.raw.span().start, sections))
            }
            _ => self.wrong_type(allowed),
        }
    }
}
