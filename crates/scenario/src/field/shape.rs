//! What a field takes: JSON Schema as text, or words of a list that its reader has, too.

use serde_json::{json, Map, Value};

/// Which list of words a field takes. [`crate::choices`] has the lists.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    Affinity,
    Alignment,
    Arbitration,
    Architecture,
    Arrival,
    ComponentOrder,
    ComponentScheduling,
    Cost,
    DeadlineRule,
    Fit,
    Fitted,
    Length,
    ObjectKind,
    Overflow,
    Overrun,
    PlacementOrder,
    PlacementTest,
    PlacementWeight,
    Priorities,
    QueueLock,
    Releases,
    Scheme,
    Split,
    Statistic,
    UrgentPriority,
    Weights,
}

/// What a field takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// This JSON Schema.
    Json(&'static str),
    /// One of the words.
    Word(Choice),
    /// One of the words, or a table of this name in the schema.
    WordOr(Choice, &'static str),
    /// A list of the words.
    Words(Choice),
}

impl Shape {
    /// The JSON Schema, in which `known` says what words there are.
    pub(crate) fn json(self, known: impl Fn(Choice) -> Vec<&'static str>) -> Map<String, Value> {
        let of = |value: Value| serde_json::from_value(value).expect("an object of JSON");
        match self {
            Shape::Json(text) => serde_json::from_str(text).expect("the tables hold objects of JSON"),
            Shape::Word(choice) => of(json!({"enum": known(choice)})),
            Shape::WordOr(choice, table) => {
                let table = format!("#/$defs/{table}");
                of(json!({"anyOf": [{"enum": known(choice)}, {"$ref": table}]}))
            }
            Shape::Words(choice) => of(json!({"type": "array", "items": {"enum": known(choice)}})),
        }
    }
}
