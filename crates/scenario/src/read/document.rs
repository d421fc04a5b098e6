//! A TOML file in memory: values that know their place and their path, and the errors found so far.

use crate::error::{Error, Errors, Place, Problem};
use crate::field::Section;
use std::cell::RefCell;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// After this many errors a file is not worth more.
const ENOUGH: usize = 200;

/// The text of a file and what is wrong with it.
pub(crate) struct Document<'t> {
    file: &'t str,
    text: &'t str,
    errors: RefCell<Vec<Error>>,
}

impl<'t> Document<'t> {
    pub(crate) fn new(file: &'t str, text: &'t str) -> Self {
        Document { file, text, errors: RefCell::new(Vec::new()) }
    }

    /// The text parsed; what is not TOML is an error.
    pub(crate) fn parse(&self) -> Option<Spanned<DeTable<'t>>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in &errors {
            let message = error.message().trim().to_lowercase();
            let at = error.span().map_or(0, |span| span.start);
            self.report(at, "", Problem::Syntax { format: "TOML", message });
        }
        errors.is_empty().then_some(table)
    }

    /// Notes that `problem` stands at byte `at`.
    pub(crate) fn report(&self, at: usize, field: &str, problem: Problem) {
        let mut errors = self.errors.borrow_mut();
        if errors.len() < ENOUGH {
            errors.push(Error { place: Some(self.place(at)), field: field.to_owned(), problem });
        }
    }

    /// Takes over the errors of another file.
    pub(crate) fn adopt(&self, other: &Errors) {
        self.errors.borrow_mut().extend(other.all().iter().cloned());
    }

    /// True if nothing is wrong so far.
    pub(crate) fn is_fine(&self) -> bool {
        self.errors.borrow().is_empty()
    }

    /// `Ok` if nothing is wrong.
    pub(crate) fn finish(self) -> Result<(), Errors> {
        Errors::check(self.errors.into_inner())
    }

    pub(crate) fn file(&self) -> &'t str {
        self.file
    }

    fn place(&self, at: usize) -> Place {
        place(self.file, self.text, at)
    }

    /// What stands in `span`, shortened to a part of a line.
    fn excerpt(&self, span: Range<usize>) -> String {
        const LONGEST: usize = 60;
        let raw = self.text.get(span).unwrap_or("").trim();
        let line: String = raw.chars().take_while(|c| *c != '\n').take(LONGEST).collect();
        let line: String = line.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        if line.len() < raw.len() {
            format!("{}...", line.trim_end())
        } else {
            line
        }
    }
}

/// The place of byte `at` of `text`.
pub(crate) fn place(file: &str, text: &str, at: usize) -> Place {
    let mut end = at.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Place {
        file: file.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

/// A value with its path, such as `task[2].wcet`.
pub(crate) struct Value<'a, 't> {
    pub(crate) doc: &'a Document<'t>,
    pub(crate) path: String,
    raw: &'a Spanned<DeValue<'t>>,
}

impl<'a, 't> Value<'a, 't> {
    /// The value as written.
    pub(crate) fn written(&self) -> String {
        self.doc.excerpt(self.raw.span())
    }

    pub(crate) fn report(&self, problem: Problem) {
        self.doc.report(self.raw.span().start, &self.path, problem);
    }

    /// This value is not allowed: it `why`.
    pub(crate) fn refuse(&self, why: &str, allowed: &str) {
        self.report(Problem::refused(self.written(), why, allowed));
    }

    fn wrong_type(&self, allowed: &str) {
        let found = match self.raw.get_ref() {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number with a point",
            DeValue::Boolean(_) => "a truth value",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let (value, found) = match self.raw.get_ref() {
            DeValue::Table(_) => ("this".to_owned(), found.to_owned()),
            _ => (self.written(), found.to_owned()),
        };
        self.report(Problem::WrongType { value, found, allowed: allowed.to_owned() });
    }

    /// The text, if it is one; no error if not.
    pub(crate) fn as_text(&self) -> Option<&'a str> {
        self.raw.get_ref().as_str()
    }

    pub(crate) fn is_table(&self) -> bool {
        self.raw.get_ref().is_table()
    }

    pub(crate) fn is_array(&self) -> bool {
        self.raw.get_ref().is_array()
    }

    /// The text, or an error that says what is `allowed`.
    pub(crate) fn text(&self, allowed: &str) -> Option<&'a str> {
        match self.raw.get_ref() {
            DeValue::String(text) => Some(text),
            _ => {
                self.wrong_type(allowed);
                None
            }
        }
    }

    /// What `read` makes of the text.
    pub(crate) fn parsed<T>(
        &self,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        match read(self.text(allowed)?) {
            Ok(value) => Some(value),
            Err(why) => {
                self.refuse(why, allowed);
                None
            }
        }
    }

    /// What `read` makes of a number, however it is written, or of text.
    pub(crate) fn parsed_number<T>(
        &self,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        let result = match self.raw.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => read(number.as_str()),
            DeValue::Float(number) => read(number.as_str()),
            _ => return self.parsed(allowed, read),
        };
        result.map_err(|why| self.refuse(why, allowed)).ok()
    }

    /// The whole number, if it is within `range`.
    pub(crate) fn integer(&self, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
        let allowed = format!("a whole number from {} to {}", range.start(), range.end());
        let DeValue::Integer(number) = self.raw.get_ref() else {
            self.wrong_type(&allowed);
            return None;
        };
        match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) if value < 0 => self.refuse("is negative", &allowed),
            Ok(value) if value < i128::from(*range.start()) => self.refuse("is too small", &allowed),
            Ok(value) if value <= i128::from(*range.end()) => return Some(value as u64),
            Ok(_) | Err(_) => self.refuse("is too large", &allowed),
        }
        None
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        let value = self.raw.get_ref().as_bool();
        if value.is_none() {
            self.wrong_type("true or false");
        }
        value
    }

    /// One of the `choices`.
    pub(crate) fn choice<T: Copy>(&self, what: &'static str, choices: &[(&'static str, T)]) -> Option<T> {
        let names = || choices.iter().map(|(name, _)| *name);
        let text = self.text(&names().collect::<Vec<_>>().join(", "))?;
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
        if found.is_none() {
            self.report(Problem::unknown_name(what, text, names()));
        }
        found
    }

    /// The items of a list.
    pub(crate) fn items(&self, allowed: &str) -> Option<Vec<Value<'a, 't>>> {
        let DeValue::Array(items) = self.raw.get_ref() else {
            self.wrong_type(allowed);
            return None;
        };
        let item = |(at, raw)| Value { doc: self.doc, path: format!("{}[{at}]", self.path), raw };
        Some(items.iter().enumerate().map(item).collect())
    }

    /// The table, with errors for fields that none of `sections` has.
    pub(crate) fn table(
        &self,
        sections: &'static [&'static Section],
        allowed: &str,
    ) -> Option<Table<'a, 't>> {
        match self.raw.get_ref() {
            DeValue::Table(entries) => {
                Some(Table::new(self.doc, self.path.clone(), entries, self.raw.span().start, sections))
            }
            _ => {
                self.wrong_type(allowed);
                None
            }
        }
    }
}

/// A table whose fields are known.
pub(crate) struct Table<'a, 't> {
    pub(crate) doc: &'a Document<'t>,
    pub(crate) path: String,
    entries: &'a DeTable<'t>,
    start: usize,
    sections: &'static [&'static Section],
}

impl<'a, 't> Table<'a, 't> {
    pub(crate) fn new(
        doc: &'a Document<'t>,
        path: String,
        entries: &'a DeTable<'t>,
        start: usize,
        sections: &'static [&'static Section],
    ) -> Self {
        let table = Table { doc, path, entries, start, sections };
        for key in entries.keys() {
            let name: &str = key.get_ref();
            if !table.names().any(|known| known == name) {
                let problem = Problem::unknown_field(name, table.names());
                doc.report(key.span().start, &table.path_of(name), problem);
            }
        }
        table
    }

    fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        let sections: &'static [&'static Section] = self.sections;
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

    /// The field `name`, if it is there. It must be one of the table's sections.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a, 't>> {
        assert!(
            self.names().any(|known| known == name),
            "the reader asks for a field that has no description"
        );
        let raw = self.entries.get(name)?;
        Some(Value { doc: self.doc, path: self.path_of(name), raw })
    }

    /// The field `name`; an error if it is not there.
    pub(crate) fn need(&self, name: &str, allowed: &str) -> Option<Value<'a, 't>> {
        let value = self.get(name);
        if value.is_none() {
            self.missing(name, allowed);
        }
        value
    }

    pub(crate) fn missing(&self, name: &str, allowed: &str) {
        self.doc.report(self.start, &self.path_of(name), Problem::Missing { allowed: allowed.to_owned() });
    }

    /// All fields, whatever their names: for tables that name things themselves.
    pub(crate) fn every(entries: &Value<'a, 't>) -> Vec<(String, Value<'a, 't>)> {
        let DeValue::Table(table) = entries.raw.get_ref() else {
            entries.wrong_type("a table");
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

    /// Reports what a check of the whole found: at the field if it is there, else at the table.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        let text = "a\n\u{b5}\u{b5}x\n";
        let at = text.find('x').unwrap();
        assert_eq!(place("f", text, at), Place { file: "f".into(), line: 2, column: 3 });
        assert_eq!(place("f", text, 999).line, 3);
    }
}
