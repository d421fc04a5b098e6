//! What the formats in CSV share: where a row stands, and what is no CSV.

use crate::error::{Errors, Location, Problem};
use csv::{Error, ErrorKind, Position};

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
