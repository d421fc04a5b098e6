//! The fields of overheads, in a file of their own or in a scenario.

use super::{field, required, required_word, shaped, word, Choice, FieldTable, Shape, CACHES, TEXT};

/// `[overheads]` of a scenario: these and [`OVERHEADS`].
pub(crate) const OVERHEADS_CHOICE: FieldTable = FieldTable {
    name: "overheads",
    about: "Overheads by name or file, or given here as in an overheads file",
    fields: &[
        field("use", TEXT, "none, a shipped name, or a file ending in .toml; instead of all but statistic"),
        word("statistic", Choice::Statistic, "Which of the measured values to use; max. A percentile that was not measured is the next larger one, or the largest value"),
    ],
};

/// The overheads file: these and [`OVERHEADS`].
pub(crate) const OVERHEADS_FILE: FieldTable = FieldTable {
    name: "overheads_file",
    about: "A schedlab overheads file: what a machine takes for itself",
    fields: &[
        required("schedlab-overheads", r#"{"const": 1}"#, "Version of the overheads format"),
        field("extends", TEXT, "A shipped name or a file whose values hold where this file gives none"),
    ],
};

/// What overheads are, in a file of their own or in a scenario.
pub(crate) const OVERHEADS: FieldTable = FieldTable {
    name: "overheads_given",
    about: "Overheads and where they come from",
    fields: &[
        field("title", TEXT, "A line that says what this is"),
        field("machine", TEXT, "The machine that was measured"),
        field("source", TEXT, "Where the numbers come from"),
        field("notes", TEXT, "What a reader should know"),
        field(
            "caches",
            CACHES,
            "Which caches the machine's processors share; a scenario's platform may say it instead",
        ),
        field("all", r##"{"$ref": "#/$defs/kinds"}"##, "Values for every scheduler"),
        field(
            "scheduler",
            r##"{"type": "array", "items": {"$ref": "#/$defs/overheads_of_scheduler"}}"##,
            "Values that differ by scheduler",
        ),
        field(
            "protocol",
            r##"{"type": "array", "items": {"$ref": "#/$defs/overheads_of_protocol"}}"##,
            "Values that differ by locking protocol",
        ),
        field(
            "object",
            r##"{"type": "array", "items": {"$ref": "#/$defs/overheads_of_object"}}"##,
            "What operations on shared objects cost, charged by analyses",
        ),
        field(
            "unmodelled",
            r##"{"type": "object", "additionalProperties": {"$ref": "#/$defs/overhead"}}"##,
            "Measured values that nothing uses",
        ),
    ],
};

/// One of `caches`, of a platform or of overheads.
pub(crate) const CACHE: FieldTable = FieldTable {
    name: "shared_cache",
    about: "A cache and its processors",
    fields: &[
        required(
            "level",
            r#"{"type": "integer", "minimum": 1, "maximum": 9}"#,
            "1 is the nearest to the processor",
        ),
        required(
            "processors",
            r#"{"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}}"#,
            "Its processors, rising; a private cache has one",
        ),
    ],
};

const DURATION_REF: &str = r##"{"$ref": "#/$defs/duration"}"##;
const OVERHEAD_REF: &str = r##"{"$ref": "#/$defs/overhead"}"##;

/// `[all]`, and the kinds of overhead wherever they stand.
pub(crate) const KINDS: FieldTable = FieldTable {
    name: "kinds",
    about: "Overheads by kind; a kind that is not given is unknown, not zero",
    fields: &[
        field("release", OVERHEAD_REF, "Noticing an arrival and making the job ready"),
        field("scheduling", OVERHEAD_REF, "Choosing the next job"),
        field("context_switch", OVERHEAD_REF, "Switching to the chosen job"),
        field("tick", OVERHEAD_REF, "The interrupt at a quantum boundary"),
        field("ipi", OVERHEAD_REF, "From asking another processor to reschedule until it does"),
        field("cache_related_preemption", OVERHEAD_REF, "Loading the working set again after a preemption"),
        field("cache_related_migration", OVERHEAD_REF, "Loading the working set again after a migration"),
        field("lock_acquire", OVERHEAD_REF, "Taking a lock"),
        field("lock_release", OVERHEAD_REF, "Giving a lock back"),
        field("syscall_entry", OVERHEAD_REF, "Entering the kernel"),
        field("syscall_exit", OVERHEAD_REF, "Leaving the kernel"),
    ],
};

/// `[[scheduler]]` of an overheads file: [`KINDS`] and these.
pub(crate) const OF_SCHEDULER: FieldTable = FieldTable {
    name: "overheads_of_scheduler",
    about: "Values that hold under one scheduler",
    fields: &[
        required("name", r##"{"$ref": "#/$defs/scheduler_name"}"##, "The scheduler that was measured"),
        field(
            "stands_for",
            r#"{"type": "array", "items": {"type": "string"}}"#,
            "Schedulers that borrow these values though they were not measured, such as P-RM or P-*",
        ),
        field(
            "decisions",
            r##"{"$ref": "#/$defs/decisions"}"##,
            "How processors that share a queue decide; simulations alone know it",
        ),
    ],
};

/// `decisions` of `[[scheduler]]`.
pub(crate) const DECISIONS: FieldTable = FieldTable {
    name: "decisions",
    about: "How processors that share a queue decide, and what that takes",
    fields: &[
        required_word("architecture", Choice::Architecture,
            "Each processor decides for itself under the queue's lock, or all stop and one decides",
        ),
        required_word("lock", Choice::QueueLock,
            "What processors wait in: a hand-over grows with the waiters, or takes the same for any number",
        ),
        required("hand_over", DURATION_REF, "One hand-over of the lock to the only waiter"),
        field(
            "access",
            DURATION_REF,
            "Reading the descriptor of one job, of at most as many as there are processors; stop-the-world alone",
        ),
        required("migration", DURATION_REF, "Pulling a task from the processor where it was before"),
        shaped("fitted", Shape::Words(Choice::Fitted),
            "Which numbers, and which of the scheduler's release and scheduling, are neither published nor measured",
        ),
        required("source", TEXT, "Where each number comes from; of the fitted ones, to what"),
    ],
};

/// `[[protocol]]` of an overheads file: [`KINDS`] and these.
pub(crate) const OF_PROTOCOL: FieldTable = FieldTable {
    name: "overheads_of_protocol",
    about: "Values that hold under one locking protocol",
    fields: &[required("name", TEXT, "The protocol that was measured")],
};

/// `[[object]]` of an overheads file.
pub(crate) const OF_OBJECT: FieldTable = FieldTable {
    name: "overheads_of_object",
    about: "What an operation on an object costs",
    fields: &[
        required_word("kind", Choice::ObjectKind, "What it is"),
        required_word("scheme", Choice::Scheme, "How tasks share it"),
        required(
            "access",
            OVERHEAD_REF,
            "The operation, or one attempt if lock-free; N: the tasks that share the object",
        ),
    ],
};

/// One overhead as a table.
pub(crate) const OVERHEAD: FieldTable = FieldTable {
    name: "overhead",
    about: "One measured overhead",
    fields: &[
        field("max", r##"{"$ref": "#/$defs/overhead_cost"}"##, "The largest value"),
        field("mean", r##"{"$ref": "#/$defs/overhead_cost"}"##, "The mean"),
        field("p50", r##"{"$ref": "#/$defs/overhead_cost"}"##, "What half of the measurements do not exceed"),
        field("p90", r##"{"$ref": "#/$defs/overhead_cost"}"##, "What 90 % of the measurements do not exceed"),
        field("p95", r##"{"$ref": "#/$defs/overhead_cost"}"##, "What 95 % of the measurements do not exceed"),
        field("p99", r##"{"$ref": "#/$defs/overhead_cost"}"##, "What 99 % of the measurements do not exceed"),
        field(
            "p99_9",
            r##"{"$ref": "#/$defs/overhead_cost"}"##,
            "What 99.9 % of the measurements do not exceed",
        ),
        field("samples", r#"{"type": "integer", "minimum": 1}"#, "How many measurements stand behind it"),
        field(
            "paths",
            r##"{"type": "object", "propertyNames": {"pattern": "^(L[1-9]|memory)$"}, "additionalProperties": {"$ref": "#/$defs/overhead"}}"##,
            "Of migrations: the same by the nearest cache that both processors share, such as L2, or memory",
        ),
    ],
};

/// A cost by working-set size, or by number of tasks.
pub(crate) const BY_TABLE: FieldTable = FieldTable {
    name: "by_table",
    about: "A cost by working-set size, constant outside of the rows, or by number of tasks, growing on beyond the last; linear between two rows",
    fields: &[field(
        "working_set",
        r##"{"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"$ref": "#/$defs/bytes"}, {"$ref": "#/$defs/duration"}]}}"##,
        "Rows of size and duration, by rising size",
    ), field(
        "tasks",
        r##"{"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"type": "integer", "minimum": 0}, {"$ref": "#/$defs/duration"}]}}"##,
        "Rows of a number of tasks and a duration, both rising",
    )],
};
