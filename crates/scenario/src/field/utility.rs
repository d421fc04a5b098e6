//! The fields of what completions are worth, and of what a job executes when it is given up.

use super::{field, required, FieldTable, DURATION};

/// `utility = { ... }` of a task.
pub(crate) const UTILITY: FieldTable = FieldTable {
    name: "utility",
    about: "What a completion is worth, by the time since the job's arrival: a step, a line, a decay or points",
    fields: &[
        field("step", WORTH, "Worth this up to the termination time"),
        field("linear", WORTH, "Worth this at the arrival, and on a straight line until the termination time"),
        field("last", WORTH, "Beside linear: what it is worth at the termination time; 0"),
        field("exponential", WORTH, "Worth this at the arrival, and half as much after each half-life"),
        field("half_life", DURATION, "Beside exponential"),
        field("termination", DURATION, "From when on it is worth nothing, after the arrival; the relative deadline"),
        field(
            "points",
            r##"{"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 2, "maxItems": 2}}"##,
            "Straight lines between [time after the arrival, utility]; the last point is the termination time",
        ),
    ],
};

/// `abort_handler = { ... }` of a task.
pub(crate) const ABORT_HANDLER: FieldTable = FieldTable {
    name: "abort_handler",
    about:
        "What a job that has begun executes when it is given up; then it leaves the sections that it is in",
    fields: &[
        field("cost", DURATION, "How long it executes; 0 ms"),
        field("utility", WORTH, "What its completion is worth, whenever that is; 0"),
    ],
};

const WORTH: &str = r#"{"type": "number", "minimum": 0, "maximum": 1000000000}"#;

/// The field `utility` by itself.
pub(crate) const ONLY_UTILITY: FieldTable = FieldTable {
    name: "only_utility",
    about: "A time/utility function",
    fields: &[required("utility", WORTH, "The function")],
};

/// An abort handler that stands alone.
pub(crate) const ONLY_ABORT_HANDLER: FieldTable = FieldTable {
    name: "only_abort_handler",
    about: "An abort handler",
    fields: &[required("abort_handler", r##"{"$ref": "#/$defs/abort_handler"}"##, "The handler")],
};
