//! A TOML file in memory, and the errors found in it so far.

mod fields;
mod load;
mod table;
mod value;

pub(crate) use fields::{duration, positive, prose, scheduler_name, tables, version};
pub use load::Loader;
pub(crate) use load::{beside, from_disk, no_files, read_file};
pub(crate) use table::Table;
pub(crate) use value::Value;

use crate::error::{Error, Errors, Location, Problem};
use crate::field::FieldTable;
use std::cell::RefCell;
use std::ops::Range;
use toml::de::DeTable;
use toml::Spanned;

/// Number of errors after which a file is read no further.
const ENOUGH: usize = 200;

/// The text of a file and the errors found in it.
pub(crate) struct Document<'t> {
    file: &'t str,
    text: &'t str,
    errors: RefCell<Vec<Error>>,
}

impl<'t> Document<'t> {
    pub(crate) fn new(file: &'t str, text: &'t str) -> Self {
        Document { file, text, errors: RefCell::new(Vec::new()) }
    }

    /// Parses the text; what is not TOML is an error. A text that has no field of `sections` is something else
    /// altogether, and gets a single error.
    pub(crate) fn parse(&self, sections: &[&FieldTable]) -> Option<Spanned<DeTable<'t>>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        let is_known = |name: &str| sections.iter().any(|section| section.names().any(|known| known == name));
        if let Some(first) =
            errors.first().filter(|_| !table.get_ref().keys().any(|key| is_known(key.get_ref())))
        {
            let message = first.message().trim().to_lowercase();
            let sentence = format!("not valid TOML ({message}), and no field of the file is known");
            let names = sections.iter().flat_map(|section| section.names());
            let problem = Problem::rule(sentence, names.collect::<Vec<_>>().join(", "));
            self.report(first.span().map_or(0, |span| span.start), "", problem);
            return None;
        }
        for error in &errors {
            let offset = error.span().map_or(0, |span| span.start);
            self.report(offset, "", Problem::syntax("TOML", error.message().trim().to_lowercase()));
        }
        errors.is_empty().then_some(table)
    }

    /// Notes `problem` at byte `offset`.
    pub(crate) fn report(&self, offset: usize, field: &str, problem: Problem) {
        let mut errors = self.errors.borrow_mut();
        if errors.len() < ENOUGH {
            errors.push(Error { place: Some(self.place(offset)), field: field.to_owned(), problem });
        }
    }

    /// Adds the errors of another file.
    pub(crate) fn adopt(&self, other: &Errors) {
        self.errors.borrow_mut().extend(other.all().iter().cloned());
    }

    /// True if no error was found so far.
    pub(crate) fn is_fine(&self) -> bool {
        self.errors.borrow().is_empty()
    }

    /// Errors found so far.
    pub(crate) fn found(&self) -> Vec<Error> {
        self.errors.borrow().clone()
    }

    /// `Ok` if no error was found.
    pub(crate) fn finish(self) -> Result<(), Errors> {
        Errors::check(self.errors.into_inner())
    }

    pub(crate) fn file(&self) -> &'t str {
        self.file
    }

    fn place(&self, offset: usize) -> Location {
        place(self.file, self.text, offset)
    }

    /// The text in `span`, shortened to a part of a line.
    pub(crate) fn excerpt(&self, span: Range<usize>) -> String {
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

/// Applies `read` to the table at the root of `text`, the contents of `file`. Returns its result, or all errors.
pub(crate) fn read<'t, T>(
    file: &'t str,
    text: &'t str,
    sections: &'static [&'static FieldTable],
    read: impl FnOnce(&Table<'_, 't>) -> Option<T>,
) -> Result<T, Errors> {
    let doc = Document::new(file, text);
    let parsed = doc.parse(sections);
    let found = parsed
        .as_ref()
        .and_then(|root| read(&Table::new(&doc, String::new(), root.get_ref(), root.span().start, sections)));
    drop(parsed);
    doc.finish()?;
    Ok(found.expect("a reader that reports nothing has read everything"))
}

/// The bytes as text.
pub(crate) fn utf8(file: &str, bytes: Vec<u8>) -> Result<String, Errors> {
    String::from_utf8(bytes).map_err(|error| {
        let end = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let before = String::from_utf8_lossy(&bytes[..end]);
        let place = place(file, &before, before.len());
        let problem = Problem::rule(format!("byte 0x{:02x} is not UTF-8", bytes[end]), "UTF-8 text");
        Errors::one(Some(place), "", problem)
    })
}

/// The place of byte `offset` of `text`.
pub(crate) fn place(file: &str, text: &str, offset: usize) -> Location {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Location {
        file: file.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        let text = "a\n\u{b5}\u{b5}x\n";
        let offset = text.find('x').unwrap();
        assert_eq!(place("f", text, offset), Location { file: "f".into(), line: 2, column: 3 });
        assert_eq!(place("f", text, 999).line, 3);
    }
}
