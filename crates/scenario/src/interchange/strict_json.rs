//! JSON without two equal keys in an object: which of their values holds is a guess.

use crate::error::{Errors, Location, Problem};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// The value of a file.
pub(super) fn parse(file: &str, text: &str) -> Result<Value, Errors> {
    let found: Result<Strict, _> = serde_json::from_str(&without_first_comment(text));
    found.map(|strict| strict.0).map_err(|error| {
        let place =
            Location { file: file.to_owned(), line: error.line().max(1), column: error.column().max(1) };
        Errors::one(Some(place), "", Problem::syntax("JSON", &error))
    })
}

/// A comment at the beginning, as schedlab itself writes one, becomes blanks.
fn without_first_comment(text: &str) -> Cow<'_, str> {
    let comment = text.strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
    match comment {
        None => Cow::Borrowed(text),
        Some((inside, after)) => {
            let blank = |letter: char| if letter == '\n' { '\n' } else { ' ' };
            Cow::Owned(format!("  {}  {after}", inside.chars().map(blank).collect::<String>()))
        }
    }
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Once).map(Strict)
    }
}

struct Once;

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            if all.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key {key:?} stands there twice")));
            }
            let Strict(value) = fields.next_value()?;
            all.insert(key, value);
        }
        Ok(Value::Object(all))
    }
}
