//! Shapes of fields: the values that a field takes.

use serde_json::{json, Value};

/// Values that a field takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Any text.
    Text,
    /// True or false.
    Flag,
    /// A whole number from the first to the last.
    Whole(u64, u64),
    /// One of the words that the reader knows.
    Word(fn() -> Vec<&'static str>),
    /// A table or a kind of value that the schema defines under this name.
    Of(&'static str),
    /// A list with at least this many items.
    List(&'static Shape, u64),
    /// A list of rows, at least one, each of two values.
    Rows(&'static Shape, &'static Shape),
    /// One or the other.
    Either(&'static Shape, &'static Shape),
    /// A value described by this JSON Schema.
    Json(&'static str),
}

/// Upper limit of a whole number that has none in the schema.
pub(super) const ANY: u64 = u64::MAX;
pub(super) const MOST_U32: u64 = u32::MAX as u64;
pub(super) const DURATION: Shape = Shape::Of("duration");
pub(super) const PROCESSORS: Shape = Shape::List(&Shape::Whole(0, ANY), 1);
pub(super) const VERSION: Shape = Shape::Json(r#"{"const": 1}"#);
pub(super) const WORTH: Shape = Shape::Json(r#"{"type": "number", "minimum": 0, "maximum": 1000000000}"#);

impl Shape {
    /// The JSON Schema of the shape.
    pub(crate) fn json(self) -> Value {
        match self {
            Shape::Text => json!({"type": "string"}),
            Shape::Flag => json!({"type": "boolean"}),
            Shape::Whole(first, ANY) => json!({"type": "integer", "minimum": first}),
            Shape::Whole(first, last) => json!({"type": "integer", "minimum": first, "maximum": last}),
            Shape::Word(known) => json!({"enum": known()}),
            Shape::Of(definition) => json!({"$ref": format!("#/$defs/{definition}")}),
            Shape::List(each, 0) => json!({"type": "array", "items": each.json()}),
            Shape::List(each, least) => {
                json!({"type": "array", "items": each.json(), "minItems": least})
            }
            Shape::Rows(first, second) => {
                let row = json!({
                    "type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [first.json(), second.json()]
                });
                json!({"type": "array", "minItems": 1, "items": row})
            }
            Shape::Either(one, other) => json!({"anyOf": [one.json(), other.json()]}),
            Shape::Json(text) => serde_json::from_str(text).expect("it is JSON"),
        }
    }
}
