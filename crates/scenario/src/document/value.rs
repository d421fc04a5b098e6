//! A value of a TOML file with its place and its path, and readers for the types that it may have.

use super::Document;
use crate::error::Problem;
use toml::de::DeValue;
use toml::Spanned;

/// The largest integer that TOML can write.
const LARGEST_INTEGER: u64 = i64::MAX as u64;

/// A value with its path, such as `task[2].wcet`.
pub(crate) struct Value<'a, 't> {
    pub(crate) doc: &'a Document<'t>,
    pub(crate) path: String,
    pub(super) raw: &'a Spanned<DeValue<'t>>,
}

impl<'a, 't> Value<'a, 't> {
    /// The value as written.
    pub(crate) fn written(&self) -> String {
        self.doc.excerpt(self.raw.span())
    }

    pub(crate) fn report(&self, problem: Problem) {
        self.doc.report(self.raw.span().start, &self.path, problem);
    }

    /// Reports the problem and returns `None`, because the value cannot be read.
    pub(crate) fn reported<T>(&self, problem: Problem) -> Option<T> {
        self.report(problem);
        None
    }

    /// Reports that the value is not allowed: `why` ends a sentence that the value begins.
    pub(crate) fn refuse(&self, why: &str, allowed: &str) {
        self.report(Problem::refused(self.written(), why, allowed));
    }

    /// Reports that the value is not allowed, as [`Value::refuse`] does, and returns `None`.
    pub(crate) fn refused<T>(&self, why: &str, allowed: &str) -> Option<T> {
        self.reported(Problem::refused(self.written(), why, allowed))
    }

    pub(super) fn wrong_type<T>(&self, allowed: &str) -> Option<T> {
        let found = match self.raw.get_ref() {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number with a point",
            DeValue::Boolean(_) => "a truth value",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let value = if self.is_table() { "this".to_owned() } else { self.written() };
        self.reported(Problem::refused(value, format!("is {found}"), allowed))
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

    /// True for a text.
    pub(crate) fn is_text(&self) -> bool {
        self.raw.get_ref().is_str()
    }

    /// The text, or an error that says what is `allowed`.
    pub(crate) fn text(&self, allowed: &str) -> Option<&'a str> {
        match self.raw.get_ref() {
            DeValue::String(text) => Some(text),
            _ => self.wrong_type(allowed),
        }
    }

    /// Applies `read` to the text.
    pub(crate) fn parsed<T>(
        &self,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        read(self.text(allowed)?).map_or_else(|why| self.refused(why, allowed), Some)
    }

    /// Applies `read` to a text, or to the text of a number, however it is written.
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
        result.map_or_else(|why| self.refused(why, allowed), Some)
    }

    /// The whole number, if it is within `range`.
    pub(crate) fn integer(&self, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
        let allowed = format!("a whole number from {} to {}", range.start(), range.end());
        self.integer_of(range, &allowed)
    }

    /// A seed: TOML's own integers end at 2^63 - 1, larger ones are texts.
    pub(crate) fn seed(&self) -> Option<u64> {
        let allowed = "a whole number below 2^64, from 2^63 on as text";
        let DeValue::String(text) = self.raw.get_ref() else {
            return self.integer_of(0..=LARGEST_INTEGER, allowed);
        };
        let seed = text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        seed.or_else(|| self.refused("is no seed", allowed))
    }

    fn integer_of(&self, range: std::ops::RangeInclusive<u64>, allowed: &str) -> Option<u64> {
        let DeValue::Integer(number) = self.raw.get_ref() else {
            return self.wrong_type(allowed);
        };
        match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) if value < 0 => self.refused("is negative", allowed),
            Ok(value) if value < i128::from(*range.start()) => self.refused("is too small", allowed),
            Ok(value) if value <= i128::from(*range.end()) => Some(value as u64),
            Ok(_) | Err(_) => self.refused("is too large", allowed),
        }
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        self.raw.get_ref().as_bool().or_else(|| self.wrong_type("true or false"))
    }

    /// Returns the one of `choices` that the text names.
    pub(crate) fn choice<T: Copy>(&self, what: &'static str, choices: &[(&'static str, T)]) -> Option<T> {
        let names = || choices.iter().map(|(name, _)| *name);
        let text = self.text(&names().collect::<Vec<_>>().join(", "))?;
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
        found.or_else(|| self.reported(Problem::unknown_name(what, text, names())))
    }

    /// Returns the one of `words` that the text is.
    pub(crate) fn word(&self, what: &'static str, words: &[&'static str]) -> Option<&'static str> {
        let named: Vec<(&'static str, &'static str)> = words.iter().map(|word| (*word, *word)).collect();
        self.choice(what, &named)
    }

    /// The items of a list.
    pub(crate) fn items(&self, allowed: &str) -> Option<Vec<Value<'a, 't>>> {
        let DeValue::Array(items) = self.raw.get_ref() else {
            return self.wrong_type(allowed);
        };
        let item = |(index, raw)| Value { doc: self.doc, path: format!("{}[{index}]", self.path), raw };
        Some(items.iter().enumerate().map(item).collect())
    }

    /// Returns the item at `index`, if the value is a list that has it.
    pub(crate) fn item(&self, index: usize) -> Option<Value<'a, 't>> {
        let raw = self.raw.get_ref().as_array()?.get(index)?;
        Some(Value { doc: self.doc, path: format!("{}[{index}]", self.path), raw })
    }
}
