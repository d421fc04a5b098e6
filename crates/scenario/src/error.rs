//! What is wrong with an input: where, in which field, with which value, and what would be allowed.

use std::fmt::{self, Write};

/// Where in a file something stands. Lines and columns count from one, columns in characters.
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
    /// Where a line of `file` begins.
    pub(crate) fn line(file: &str, line: usize) -> Location {
        Location { file: file.to_owned(), line, column: 1 }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where, if the value came from a file.
    pub place: Option<Location>,
    /// Which field, such as `task[2].wcet`; empty for the file as a whole.
    pub field: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What can be wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text does not follow the syntax of its format.
    #[error("not valid {format}: {message}")]
    Syntax {
        /// `TOML`, `XML` or `CSV`.
        format: &'static str,
        /// What the parser of that format says.
        message: String,
    },
    /// A byte that no UTF-8 text has there.
    #[error("byte 0x{byte:02x} is not UTF-8; allowed: UTF-8 text")]
    NotUtf8 {
        /// The byte.
        byte: u8,
    },
    /// A field that does not exist.
    #[error("unknown field{} allowed: {allowed}", did_you_mean(.meant))]
    UnknownField {
        /// The nearest that exists, if one is near.
        meant: Option<String>,
        /// Those that exist.
        allowed: String,
    },
    /// A field that must be there is not.
    #[error("missing; allowed: {allowed}")]
    Missing {
        /// What it should hold.
        allowed: String,
    },
    /// A value of another type than wanted.
    #[error("{value} is {found}; allowed: {allowed}")]
    WrongType {
        /// The value as written, shortened.
        value: String,
        /// Its type.
        found: String,
        /// What is allowed instead.
        allowed: String,
    },
    /// A value of the right type that is not allowed.
    #[error("{value} {why}; allowed: {allowed}")]
    Refused {
        /// The value as written.
        value: String,
        /// Why not, as the end of a sentence that the value begins.
        why: String,
        /// What is allowed instead.
        allowed: String,
    },
    /// A name that names nothing.
    #[error(
        "there is no {what} \"{value}\"{}{} allowed: {allowed}",
        .user.as_ref().map(|user| format!(", which {user} uses")).unwrap_or_default(),
        did_you_mean(.meant)
    )]
    UnknownName {
        /// What it should name.
        what: &'static str,
        /// The name.
        value: String,
        /// Who uses it, where a name is not used by the file as a whole.
        user: Option<String>,
        /// The nearest that exists, if one is near.
        meant: Option<String>,
        /// Those that exist.
        allowed: String,
    },
    /// A name that something else has already.
    #[error("\"{value}\" names another {what} already; allowed: a name of its own")]
    Duplicate {
        /// What it names.
        what: &'static str,
        /// The name.
        value: String,
    },
    /// Things that refer to each other in a circle.
    #[error("{what} form a cycle, {}; allowed: {allowed}", .path.join(" -> "))]
    Cycle {
        /// What refers.
        what: &'static str,
        /// The circle, the first again at its end.
        path: Vec<String>,
        /// What is allowed instead.
        allowed: String,
    },
    /// A rule that is broken.
    #[error("{sentence}; allowed: {allowed}")]
    Rule {
        /// Who breaks it, and which, as a sentence.
        sentence: String,
        /// What is allowed instead.
        allowed: String,
    },
    /// A file that cannot be read.
    #[error("cannot read \"{value}\" ({why}); allowed: a file that can be read")]
    Unreadable {
        /// The file.
        value: String,
        /// What the operating system says.
        why: String,
    },
}

impl Problem {
    /// The value `value` is not allowed: it `why`.
    pub(crate) fn refused(
        value: impl fmt::Display,
        why: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Self {
        Problem::Refused { value: value.to_string(), why: why.into(), allowed: allowed.into() }
    }

    /// No `what` is called `value`.
    pub fn unknown_name<'a>(
        what: &'static str,
        value: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let meant = nearest(value, known.clone());
        let allowed = list(known);
        Problem::UnknownName { what, value: value.to_owned(), user: None, meant, allowed }
    }

    /// A step of the program of `task` is about `value`, which is no resource.
    pub(crate) fn unknown_resource<'a>(
        task: &str,
        value: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let mut problem = Problem::unknown_name("resource", value, known);
        if let Problem::UnknownName { user, .. } = &mut problem {
            *user = Some(format!("task \"{task}\""));
        }
        problem
    }

    /// The same, of a name that is unknown: `these` are allowed.
    pub(crate) fn allowing(mut self, these: String) -> Self {
        if let Problem::UnknownName { allowed, .. } = &mut self {
            *allowed = these;
        }
        self
    }

    /// No field is called `value`.
    pub(crate) fn unknown_field<'a>(value: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Self {
        Problem::UnknownField { meant: nearest(value, known.clone()), allowed: list(known) }
    }
}

/// At most this many names are listed as allowed.
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

/// One line: what a name has of line breaks and other control characters is written as in Rust.
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

/// Everything that is wrong with an input, in the order of its text. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(Vec<Error>);

/// At most this many errors are printed.
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

    /// A single error: this value is not allowed.
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

    /// A single error: `file` as a whole lacks a `field`.
    pub(crate) fn missing(file: &str, field: &str, allowed: &str) -> Errors {
        let problem = Problem::Missing { allowed: allowed.to_owned() };
        Errors::one(Some(Location::line(file, 1)), field, problem)
    }

    /// All of them; at least one.
    pub fn all(&self) -> &[Error] {
        &self.0
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().take(PRINTED).enumerate() {
            write!(f, "{}{error}", if at > 0 { "\n" } else { "" })?;
        }
        match self.0.len().saturating_sub(PRINTED) {
            0 => Ok(()),
            more => write!(f, "\n... and {more} more"),
        }
    }
}

impl std::error::Error for Errors {}
