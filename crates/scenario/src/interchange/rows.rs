//! What the formats in CSV share: where a row stands, and what is no CSV.

use crate::error::{Errors, Location, Problem};
use csv::{Error, ErrorKind, Position};

/// Refuses a table whose cells are separated by semicolons or tabs: in some of these a comma is a decimal point, so
/// that numbers would have two meanings.
pub(super) fn semicolons(file: &str, text: &str) -> Result<(), Errors> {
    let first = text.lines().next().unwrap_or_default();
    match first.chars().find(|c| [';', '\t'].contains(c)) {
        Some(found) if !first.contains(',') => {
            let found = if found == ';' { "semicolons" } else { "tabs" };
            let sentence = format!("the cells of this table are separated by {found}");
            let allowed = "commas between cells, and a point before decimals";
            Err(Errors::one(Some(Location::line(file, 1)), "", Problem::rule(sentence, allowed)))
        }
        Some(_) | None => Ok(()),
    }
}

/// The line of a file.
pub(super) fn line(position: Option<&Position>) -> usize {
    position.map_or(1, |position| position.line() as usize)
}

pub(super) fn syntax(file: &str, error: &Error) -> Errors {
    let message = match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("a row of {len} cells; allowed: {expected_len}, as in the header row")
        }
        _ => error.to_string(),
    };
    let place = Location::line(file, line(error.position()));
    Errors::one(Some(place), "", Problem::syntax("CSV", message))
}
