//! JSON as rt-app reads it, by json-c: with comments, a comma before a closing bracket, and keys that an object has
//! twice, of which the last one holds.
//!
//! rt-app's script `workgen` renames the later of such keys instead, so that all events hold, and all tasks of one
//! object. Where the two readings may differ in what a task does, or both pass over tasks, the earlier value is a loss.

use super::keys::is_event;
use crate::document::place;
use crate::error::{Error, Errors, Location, Problem};
use crate::loss::{LossKind, Losses};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{parse_to_ast, CollectOptions, ParseOptions};

/// Deepest nesting that is read; deeper nesting fits into no workload.
const DEEPEST: usize = 64;

/// A file in memory, its errors, and its losses.
pub(super) struct Reader<'f> {
    file: &'f str,
    text: &'f str,
    pub(super) errors: Vec<Error>,
    pub(super) losses: Losses,
}

/// The fields of an object, each key once.
pub(super) struct Fields<'a>(Vec<&'a ObjectProp<'a>>);

impl<'a> Fields<'a> {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value<'a>> {
        self.0.iter().find(|field| field.name.as_str() == key).map(|field| &field.value)
    }

    /// All keys with their values.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'a str, &'a Value<'a>)> + '_ {
        self.0.iter().map(|field| (field.name.as_str(), &field.value))
    }
}

/// A whole number.
pub(super) fn whole(value: &Value<'_>) -> Option<i64> {
    value.as_number_lit()?.value.parse().ok()
}

impl<'f> Reader<'f> {
    pub(super) fn new(file: &'f str, text: &'f str) -> Self {
        Reader { file, text, errors: Vec::new(), losses: Losses::default() }
    }

    /// Parses the file and returns its value.
    pub(super) fn parse(&self) -> Result<Value<'f>, Errors> {
        let at = |offset| place(self.file, self.text, offset);
        let refused =
            |offset, message: String| Errors::one(Some(at(offset)), "", Problem::syntax("JSON", message));
        if let Some(offset) = too_deep(self.text) {
            return Err(refused(offset, format!("brackets within more than {DEEPEST} others")));
        }
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
        };
        match parse_to_ast(self.text, &CollectOptions::default(), &options) {
            Ok(parsed) => parsed.value.ok_or_else(|| refused(0, "the file is empty".to_owned())),
            Err(error) => Err(refused(error.range().start, error.kind().to_string().to_lowercase())),
        }
    }

    /// Place of the begin of a value.
    pub(super) fn place(&self, value: &Value<'_>) -> Location {
        place(self.file, self.text, value.range().start)
    }

    /// Place of a key, or of the file if the key is not there.
    pub(super) fn place_of_key(&self, fields: &Fields<'_>, key: &str) -> Location {
        let field = fields.0.iter().find(|field| field.name.as_str() == key);
        place(self.file, self.text, field.map_or(0, |field| field.range.start))
    }

    /// The object at `path`, each key once; an error if it is none.
    pub(super) fn object<'a>(&mut self, path: &str, value: &'a Value<'a>) -> Result<Fields<'a>, Errors> {
        match value.as_object() {
            Some(object) => Ok(self.fields(path, object)),
            None => {
                let written = self.written(value);
                Err(Errors::refused(Some(self.place(value)), path, written, "is no object", "an object"))
            }
        }
    }

    /// The fields of an object; earlier values of a key that it has twice are noted.
    pub(super) fn fields<'a>(&mut self, path: &str, object: &'a Object<'a>) -> Fields<'a> {
        let mut kept: Vec<&ObjectProp<'_>> = Vec::new();
        for field in &object.properties {
            let key = field.name.as_str();
            match kept.iter_mut().find(|known| known.name.as_str() == key) {
                Some(earlier) => {
                    let lost = std::mem::replace(earlier, field);
                    self.repeated(path, key, &lost.value, &field.value);
                }
                None => kept.push(field),
            }
        }
        Fields(kept)
    }

    fn repeated(&mut self, path: &str, key: &str, earlier: &Value<'_>, last: &Value<'_>) {
        let at = self.place(earlier);
        let within = if path.is_empty() { "the file" } else { path };
        let written = self.written(earlier);
        let what = format!("{key} {written} of {within}, of which rt-app takes the last {key} alone,");
        // Two equal settings are one, but two equal events are two. Tasks that stand in two objects are in one of them
        // for either reader.
        match path == "tasks" || (path.is_empty() && key == "tasks") || is_event(key) {
            true => self.losses.flatters(LossKind::RepeatedKeys, at, what),
            false if written != self.written(last) => self.losses.harmless(LossKind::RepeatedKeys, at, what),
            false => {}
        }
    }

    /// A value as it is written, shortened to a part of a line.
    pub(super) fn written(&self, value: &Value<'_>) -> String {
        const LONGEST: usize = 40;
        let range = value.range();
        let whole = self.text[range.start..range.end].split_whitespace().collect::<Vec<_>>().join(" ");
        match whole.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}...", &whole[..end]),
            None => whole,
        }
    }

    pub(super) fn report(&mut self, place: Location, field: impl Into<String>, problem: Problem) {
        self.errors.push(Error { place: Some(place), field: field.into(), problem });
    }

    /// Notes that a value is not allowed.
    pub(super) fn refuse(&mut self, field: impl Into<String>, value: &Value<'_>, why: &str, allowed: &str) {
        let problem = Problem::refused(self.written(value), why, allowed);
        self.report(self.place(value), field, problem);
    }
}

/// Place of brackets that lie too deep, where brackets in texts count, too.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.bytes().position(|byte| {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}
