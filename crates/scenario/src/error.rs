//! Errors of an input: the place, the field, the value, and what would be allowed.

use crate::concept::missing_concept;
use std::fmt::{self, Write};

/// Place in a file. Lines and columns count from one, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file, as the caller named it.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Location {
    /// The beginning of a line of `file`.
    pub(crate) fn line(file: &str, line: usize) -> Location {
        Location { file: file.to_owned(), line, column: 1 }
    }
}

/// One error of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Place of the error, if the value came from a file.
    pub place: Option<Location>,
    /// Path of the field, such as `task[2].wcet`; empty for the file as a whole.
    pub field: String,
    /// Problem with the field's value.
    pub problem: Problem,
}

/// Problem with a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text does not follow the syntax of its format.
    #[error("{0}")]
    Syntax(String),
    /// A value that is not allowed.
    #[error("{value} {why}; allowed: {allowed}")]
    Refused {
        /// The value as written.
        value: String,
        /// Reason, as the end of a sentence that the value begins.
        why: String,
        /// Values that are allowed instead.
        allowed: String,
    },
    /// A rule that is broken.
    #[error("{sentence}{} allowed: {allowed}", did_you_mean(.meant))]
    Rule {
        /// The rule and who breaks it, as a sentence.
        sentence: String,
        /// For a name that names nothing, the nearest name that exists, if one is near.
        meant: Option<String>,
        /// Ways that are allowed instead.
        allowed: String,
    },
}

impl Problem {
    /// The text is not valid in this `format`.
    pub(crate) fn syntax(format: &str, message: impl fmt::Display) -> Self {
        Problem::Syntax(format!("not valid {format}: {message}"))
    }

    /// Problem: the value `value` is not allowed; `why` ends a sentence that the value begins.
    pub(crate) fn refused(
        value: impl fmt::Display,
        why: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Self {
        Problem::Refused { value: value.to_string(), why: why.into(), allowed: allowed.into() }
    }

    /// Problem: a rule is broken, as `sentence` says.
    pub(crate) fn rule(sentence: impl Into<String>, allowed: impl Into<String>) -> Self {
        Problem::Rule { sentence: sentence.into(), meant: None, allowed: allowed.into() }
    }

    /// Problem: a field that must be there is not.
    pub(crate) fn missing(allowed: impl Into<String>) -> Self {
        Problem::rule("missing", allowed)
    }

    /// Problem: the name `value` is that of something else already.
    pub(crate) fn duplicate(what: &str, value: &str) -> Self {
        Problem::rule(format!("\"{value}\" names another {what} already"), "a name of its own")
    }

    /// Problem: the file `value` cannot be read, for the operating system's reason.
    pub(crate) fn unreadable(value: &str, why: &str) -> Self {
        Problem::rule(format!("cannot read \"{value}\" ({why})"), "a file that can be read")
    }

    /// Problem: nothing that is known has this name.
    fn unknown<'a>(sentence: String, value: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Self {
        Problem::Rule { sentence, meant: nearest(value, known.clone()), allowed: list(known) }
    }

    /// Problem: no `what` is called `value`.
    pub fn unknown_name<'a>(
        what: &'static str,
        value: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        Problem::unknown(format!("there is no {what} \"{value}\""), value, known)
    }

    /// Problem: a step of the program of `task` names `value`, which is no resource.
    pub(crate) fn unknown_resource<'a>(
        task: &str,
        value: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let sentence = format!("there is no resource \"{value}\", which task \"{task}\" uses");
        Problem::unknown(sentence, value, known)
    }

    /// Problem: no field of the table at `path` is called `value`. A concept that is not supported is named.
    pub(crate) fn unknown_field<'a>(
        path: &str,
        value: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        match missing_concept(path, value) {
            Some(sentence) => Problem::rule(sentence, list(known)),
            None => Problem::unknown("unknown field".to_owned(), value, known),
        }
    }

    /// Sets `name` as what was meant by an unknown name.
    pub(crate) fn meaning(mut self, name: String) -> Self {
        if let Problem::Rule { meant, .. } = &mut self {
            *meant = Some(name);
        }
        self
    }

    /// Adds `this` to what is allowed instead of an unknown name.
    pub(crate) fn or_allowing(mut self, this: &str) -> Self {
        if let Problem::Rule { allowed, .. } = &mut self {
            *allowed = format!("{allowed}; or {this}");
        }
        self
    }

    /// Sets `these` as what is allowed instead of an unknown name.
    pub(crate) fn allowing(mut self, these: String) -> Self {
        if let Problem::Rule { allowed, .. } = &mut self {
            *allowed = these;
        }
        self
    }
}

/// Most names that are listed as allowed.
const LISTED: usize = 24;

fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.len() {
        0 => "nothing, since there is none".to_owned(),
        n if n > LISTED => format!("{}, ... ({n} in all)", names[..LISTED].join(", ")),
        _ => names.join(", "),
    }
}

/// The name most like `value`, unless none is: `relative_deadline` is like `deadline`.
fn nearest<'a>(value: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let value = value.to_lowercase();
    let like = |name: &str| match value.ends_with(&format!("_{name}")) {
        true => 1.0,
        false => strsim::jaro_winkler(&value, &name.to_lowercase()),
    };
    known
        .into_iter()
        .map(|name| (like(name), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .fold(None, |best: Option<(f64, &str)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, name)| name.to_owned())
}

fn did_you_mean(meant: &Option<String>) -> String {
    meant.as_ref().map_or_else(|| ";".to_owned(), |name| format!("; did you mean {name}?"))
}

/// Prints the error in one line; line breaks and other control characters in names are escaped as in Rust.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self
            .place
            .as_ref()
            .map_or_else(String::new, |Location { file, line, column }| format!("{file}:{line}:{column}: "));
        let field = if self.field.is_empty() { String::new() } else { format!("{}: ", self.field) };
        format!("{place}{field}{}", self.problem).chars().try_for_each(|c| match c.is_control() {
            true => write!(f, "{}", c.escape_default()),
            false => f.write_char(c),
        })
    }
}

impl std::error::Error for Error {}

/// All errors of an input, in the order of its text. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(Vec<Error>);

/// Most errors that are printed.
const PRINTED: usize = 20;

impl Errors {
    /// Puts the errors into the order of the text; `Ok` if there is none.
    pub(crate) fn check(mut errors: Vec<Error>) -> Result<(), Errors> {
        if errors.is_empty() {
            return Ok(());
        }
        errors.sort_by(|a, b| a.place.cmp(&b.place));
        errors.dedup();
        Err(Errors(errors))
    }

    /// A single error: a value that is not allowed.
    pub(crate) fn refused(
        place: Option<Location>,
        field: &str,
        value: impl fmt::Display,
        why: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Errors {
        Errors::one(place, field, Problem::refused(value, why, allowed))
    }

    /// A single error.
    pub(crate) fn one(place: Option<Location>, field: impl Into<String>, problem: Problem) -> Errors {
        Errors(vec![Error { place, field: field.into(), problem }])
    }

    /// A single error: `file` as a whole lacks `field`.
    pub(crate) fn missing(file: &str, field: &str, allowed: &str) -> Errors {
        Errors::one(Some(Location::line(file, 1)), field, Problem::missing(allowed))
    }

    /// All errors; at least one.
    pub fn all(&self) -> &[Error] {
        &self.0
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().take(PRINTED).enumerate() {
            write!(f, "{}{error}", if index > 0 { "\n" } else { "" })?;
        }
        match self.0.len().saturating_sub(PRINTED) {
            0 => Ok(()),
            more => write!(f, "\n... and {more} more"),
        }
    }
}

impl std::error::Error for Errors {}
