//! The fields of resources.

use super::{field, required, word, Choice, FieldTable, TEXT};

/// `[[resource]]`.
pub(crate) const RESOURCE: FieldTable = FieldTable {
    name: "resource",
    about: "A shared resource",
    fields: &[
        required("name", TEXT, "Its name: a word"),
        field(
            "units",
            r#"{"type": "integer", "minimum": 1, "maximum": 4294967295}"#,
            "How many units exist; 1: a mutex",
        ),
        word(
            "length",
            Choice::Length,
            "Under fmlp: whether jobs spin for it (short) or suspend themselves (long); short",
        ),
        word(
            "kind",
            Choice::ObjectKind,
            "What it is, where it has a scheme of its own; a section is an operation on it",
        ),
        word(
            "scheme",
            Choice::Scheme,
            "How tasks share it, whatever the protocol of the others; needs a kind",
        ),
        field(
            "size",
            r#"{"type": "integer", "minimum": 1, "maximum": 60000}"#,
            "Words of a buffer (10), or the most values of a queue or heap (1000)",
        ),
        field(
            "tasks",
            r#"{"type": "integer", "minimum": 1, "maximum": 120}"#,
            "For how many tasks it is made; as many as access it",
        ),
    ],
};
