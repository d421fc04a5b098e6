//! Common parts of the formats in CSV: the places of rows and cells, and the refusal of what is no CSV.

use crate::error::{Errors, Location, Problem};
use csv::{Error, ErrorKind, Position};

/// Prefix by which Excel names the separator of cells, in a first line of its own.
const SEPARATOR: &str = "sep=";

/// A file of rows.
pub(super) struct Rows<'t> {
    file: &'t str,
    text: &'t str,
    /// Byte at which the rows begin.
    start: usize,
    /// Byte at which each line begins.
    lines: Vec<usize>,
}

impl<'t> Rows<'t> {
    /// Refuses a table whose cells are separated by semicolons or tabs: in some of these a comma is a decimal point, so
    /// that numbers would have two meanings.
    pub(super) fn new(file: &'t str, text: &'t str) -> Result<Self, Errors> {
        let lines = line_starts(text);
        let first = line(text, 0);
        let stated = first.trim_matches(['"', ' ']).to_lowercase();
        let (start, separator) = match stated.strip_prefix(SEPARATOR) {
            Some(",") => (lines.get(1).copied().unwrap_or(text.len()), None),
            Some(other) => (0, Some(other.to_owned())),
            None => (0, None),
        };
        let header = line(text, start);
        let other = separator.or_else(|| {
            let found = header.chars().find(|c| [';', '\t'].contains(c)).filter(|_| !header.contains(','));
            found.map(|found| found.to_string())
        });
        if let Some(other) = other {
            let named = match other.as_str() {
                ";" => "semicolons".to_owned(),
                "\t" | "" => "tabs".to_owned(),
                _ => format!("{other:?}"),
            };
            let sentence = format!("the cells of this table are separated by {named}");
            let allowed = "commas between cells, and a point before decimals";
            return Err(Errors::one(Some(Location::line(file, 1)), "", Problem::rule(sentence, allowed)));
        }
        Ok(Rows { file, text, start, lines })
    }

    /// The header and the lines after it.
    pub(super) fn text(&self) -> &'t str {
        &self.text[self.start..]
    }

    /// Place of a row.
    pub(super) fn row(&self, position: Option<&Position>) -> Location {
        self.place(self.beginning(position))
    }

    /// Place of the cell of a row that has this index.
    pub(super) fn cell(&self, position: Option<&Position>, index: usize) -> Location {
        let bytes = self.text.as_bytes();
        let mut byte = self.beginning(position);
        for _ in 0..index {
            let end = end_of_cell(bytes, byte);
            byte = if bytes.get(end) == Some(&b',') { end + 1 } else { end };
        }
        while matches!(bytes.get(byte), Some(b' ' | b'\t')) {
            byte += 1;
        }
        self.place(byte)
    }

    pub(super) fn syntax(&self, error: &Error) -> Errors {
        let message = match error.kind() {
            ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("a row of {}; allowed: {expected_len}, as in the header row", cells(*len as usize))
            }
            _ => error.to_string(),
        };
        Errors::one(Some(self.row(error.position())), "", Problem::syntax("CSV", message))
    }

    /// Byte at which a row begins; the reader passes over empty lines before it.
    fn beginning(&self, position: Option<&Position>) -> usize {
        let from = self.start + position.map_or(0, |position| position.byte() as usize);
        let rest = self.text.get(from..).unwrap_or("");
        self.text.len() - rest.trim_start_matches(['\r', '\n']).len()
    }

    fn place(&self, byte: usize) -> Location {
        let line = self.lines.partition_point(|start| *start <= byte);
        let before = &self.text[self.lines[line - 1]..byte];
        Location { file: self.file.to_owned(), line, column: before.chars().count() + 1 }
    }
}

/// A number of cells, in words.
pub(super) fn cells(count: usize) -> String {
    format!("{count} cell{}", if count == 1 { "" } else { "s" })
}

/// Bytes at which lines begin, which end in any of the ways that spreadsheets write.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = |index: &usize| match bytes[*index] {
        b'\n' => true,
        b'\r' => bytes.get(*index + 1) != Some(&b'\n'),
        _ => false,
    };
    std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|index| index + 1)).collect()
}

fn line(text: &str, start: usize) -> &str {
    text[start..].split(['\r', '\n']).next().unwrap_or_default()
}

/// Byte at which the cell ends that begins at `byte`.
fn end_of_cell(bytes: &[u8], mut byte: usize) -> usize {
    if bytes.get(byte) == Some(&b'"') {
        byte += 1;
        while byte < bytes.len() && (bytes[byte] != b'"' || bytes.get(byte + 1) == Some(&b'"')) {
            byte += if bytes[byte] == b'"' { 2 } else { 1 };
        }
        byte = (byte + 1).min(bytes.len());
    }
    while byte < bytes.len() && !matches!(bytes[byte], b',' | b'\r' | b'\n') {
        byte += 1;
    }
    byte.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use csv::ReaderBuilder;

    #[test]
    fn cells_have_lines_and_columns() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["sep=,", "\u{b5},b,c", "", "\"x, \"\"y\"\"\",  2,3", ",,", "4,5,6"].join(end);
            let rows = Rows::new("f", &text).unwrap();
            let mut reader = ReaderBuilder::new().has_headers(false).from_reader(rows.text().as_bytes());
            let found: Vec<Vec<(usize, usize)>> = reader
                .records()
                .map(|record| {
                    let record = record.unwrap();
                    let places = (0..record.len()).map(|index| rows.cell(record.position(), index));
                    places.map(|place| (place.line, place.column)).collect()
                })
                .collect();
            let wanted = [
                [(2, 1), (2, 3), (2, 5)],
                [(4, 1), (4, 14), (4, 16)],
                [(5, 1), (5, 2), (5, 3)],
                [(6, 1), (6, 3), (6, 5)],
            ];
            assert_eq!(found, wanted, "{text:?}");
        }
    }

    #[test]
    fn other_separators_are_refused_by_name() {
        for (text, named) in [
            ("sep=;\na;b\n", "semicolons"),
            ("\"sep=;\"\r\na;b\n", "semicolons"),
            ("SEP=|\na|b\n", "\"|\""),
            ("sep=\t\na\tb\n", "tabs"),
            ("sep=,\na;b\n", "semicolons"),
            ("a\tb", "tabs"),
        ] {
            let refused = Rows::new("f", text).err().unwrap().to_string();
            let wanted = format!("f:1:1: the cells of this table are separated by {named}; allowed: commas");
            assert!(refused.starts_with(&wanted), "{refused}\nwanted {wanted}");
        }
    }
}
