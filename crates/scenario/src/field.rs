//! The fields of the files, once: the reader takes its names from here, the schema is written from here.

mod overheads;
mod resource;
mod shape;
mod utility;

pub(crate) use overheads::{
    BY_TABLE, CACHE, DECISIONS, KINDS, OF_OBJECT, OF_PROTOCOL, OF_SCHEDULER, OVERHEAD, OVERHEADS,
    OVERHEADS_CHOICE, OVERHEADS_FILE,
};
pub(crate) use resource::RESOURCE;
pub(crate) use shape::{Choice, Shape};
pub(crate) use utility::{ABORT_HANDLER, ONLY_ABORT_HANDLER, ONLY_UTILITY, UTILITY};

/// One field of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub shape: Shape,
    /// What it is.
    pub about: &'static str,
    /// True if it must be there.
    pub required: bool,
}

/// A table of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldTable {
    /// What the table is called in the schema.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
}

impl FieldTable {
    /// The names of its fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.fields.iter().map(|field| field.name)
    }
}

const fn field(name: &'static str, schema: &'static str, about: &'static str) -> Field {
    Field { name, shape: Shape::Json(schema), about, required: false }
}

const fn required(name: &'static str, schema: &'static str, about: &'static str) -> Field {
    Field { required: true, ..field(name, schema, about) }
}

const fn shaped(name: &'static str, shape: Shape, about: &'static str) -> Field {
    Field { name, shape, about, required: false }
}

const fn word(name: &'static str, choice: Choice, about: &'static str) -> Field {
    shaped(name, Shape::Word(choice), about)
}

const fn required_word(name: &'static str, choice: Choice, about: &'static str) -> Field {
    Field { required: true, ..word(name, choice, about) }
}

const TEXT: &str = r#"{"type": "string"}"#;
const CACHES: &str = r##"{"type": "array", "items": {"$ref": "#/$defs/shared_cache"}}"##;
const DURATION: &str = r##"{"$ref": "#/$defs/duration"}"##;

/// The scenario file.
pub(crate) const SCENARIO: FieldTable = FieldTable {
    name: "scenario",
    about: "A schedlab scenario: tasks, resources, machine, scheduler, overheads, seed and horizon",
    fields: &[
        required("schedlab", r#"{"const": 1}"#, "Version of the scenario format"),
        field("title", TEXT, "A line that says what this is"),
        field("source", TEXT, "Where the numbers come from"),
        field("notes", TEXT, "What a reader should know, such as known discrepancies"),
        field(
            "seed",
            r#"{"oneOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,20}$"}]}"#,
            "Of all randomness in a simulation, below 2^64, from 2^63 on as text; 0 if not given",
        ),
        field(
            "horizon",
            DURATION,
            "When the experiment ends; 20 longest periods but at least 1 s if not given",
        ),
        word("deadlines", Choice::DeadlineRule,
            "Which relative deadlines are allowed: any, none above the period, only the period",
        ),
 word("overruns", Choice::Overrun,
            "What happens in a real run to a job that exceeds its wcet; ignore if not given. Nothing, a record, its end (the \
             rest runs in the next job), or background priority",
        ),
        field(
            "protocol",
            r##"{"$ref": "#/$defs/protocol_name"}"##,
            "The locking protocol; none if not given: mutual exclusion without inheritance",
        ),
        field(
            "scheduler",
            r##"{"anyOf": [{"$ref": "#/$defs/scheduler_name"}, {"$ref": "#/$defs/scheduler"}]}"##,
            "The scheduler: its name, or a table; G-EDF if not given",
        ),
        field(
            "overheads",
            r##"{"anyOf": [{"type": "string"}, {"$ref": "#/$defs/overheads"}]}"##,
            "Overheads: none, a shipped name, a file ending in .toml, or a table; none if not given",
        ),
        field("platform", r##"{"$ref": "#/$defs/platform"}"##, "The machine; one processor if not given"),
        field(
            "resource",
            r##"{"type": "array", "items": {"$ref": "#/$defs/resource"}}"##,
            "The shared resources",
        ),
        field(
            "supertask",
            r##"{"type": "array", "items": {"$ref": "#/$defs/supertask"}}"##,
            "Tasks that compete as one under a Pfair scheduler",
        ),
        required(
            "task",
            r##"{"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/task"}}"##,
            "The tasks",
        ),
    ],
};

/// `[scheduler]`.
pub(crate) const SCHEDULER: FieldTable = FieldTable {
    name: "scheduler",
    about: "A scheduler and what goes with it",
    fields: &[
        required("name", r##"{"$ref": "#/$defs/scheduler_name"}"##, "Its name, such as NG-EDF"),
        word("urgent_priority", Choice::UrgentPriority,
            "Which of two given priorities is the more urgent; the smallest if not given",
        ),
        word("priorities", Choice::Priorities,
            "Who says how urgent tasks are under FP: each task (given), a rule, or Audsley's algorithm; given",
        ),
        word("weights", Choice::Weights,
            "How Pfair schedulers choose weights: plain ones, or such that no job is late; plain if not given",
        ),
        field("placement", r##"{"$ref": "#/$defs/placement"}"##, "How tasks are spread over clusters"),
        word("affinity", Choice::Affinity,
            "How a Pfair scheduler assigns the tasks of a slot to processors; back-to-back, the only one with staggered quanta",
        ),
        field(
            "throttling",
            r##"{"$ref": "#/$defs/throttling"}"##,
            "How much of each period a processor may run threads under SCHED_FIFO, in simulations; no limit if not given",
        ),
    ],
};

/// `[scheduler.throttling]`.
pub(crate) const THROTTLING: FieldTable = FieldTable {
    name: "throttling",
    about: "Linux's real-time throttling, of each processor",
    fields: &[
        field(
            "runtime",
            DURATION,
            "What a processor has for threads in each period, at most the period; 950 ms",
        ),
        field("period", DURATION, "When it has that anew, from time zero on; 1 s"),
    ],
};

/// `[scheduler.placement]`.
pub(crate) const PLACEMENT: FieldTable = FieldTable {
    name: "placement",
    about: "How tasks without a place of their own are spread over clusters",
    fields: &[
        word("fit", Choice::Fit,
            "Which of the clusters with room is taken; first",
        ),
        word("weight", Choice::PlacementWeight,
            "What of a task is summed up on a processor; utilization",
        ),
        word("order", Choice::PlacementOrder,
            "In which order tasks are placed; decreasing_utilization",
        ),
        field(
            "bound",
            r##"{"$ref": "#/$defs/fraction"}"##,
            "How full a cluster may get, as a part of its processors; 1",
        ),
        word("overflow", Choice::Overflow,
            "What happens to a task that fits nowhere: no placement, or the emptiest cluster; refuse",
        ),
        field(
            "together",
            r#"{"type": "boolean"}"#,
            "True: tasks that share resources go to one processor where they fit there, worst fit by decreasing utilization; false",
        ),
        word("test", Choice::PlacementTest,
            "A test that has to accept the tasks of a processor at each step, besides the bound; none",
        ),
        word("split", Choice::Split,
            "Whether tasks that fit nowhere are split between processors, under P-EDF; none",
        ),
    ],
};

/// `[platform]`.
pub(crate) const PLATFORM: FieldTable = FieldTable {
    name: "platform",
    about: "The machine",
    fields: &[
        field(
            "processors",
            r#"{"type": "integer", "minimum": 1, "maximum": 4096}"#,
            "Number of processors; 1",
        ),
        field(
            "cluster_size",
            r#"{"type": "integer", "minimum": 1, "maximum": 4096}"#,
            "Processors of a cluster under a clustered scheduler; half of them if not given",
        ),
        field(
            "clusters",
            r#"{"type": "array", "items": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}}}"#,
            "The clusters as lists of processors, instead of cluster_size",
        ),
        field("quantum", DURATION, "The quantum, which is also the distance of ticks; 1 ms"),
        word("alignment", Choice::Alignment, "Where quantum boundaries lie; aligned"),
        word("releases", Choice::Releases, "When arrivals are noticed; timer: at once"),
        field("caches", CACHES, "Which caches processors share; what a migration costs may depend on it"),
        field("memory", r##"{"$ref": "#/$defs/memory"}"##, "Caches and bus, for schedlab membus"),
    ],
};

/// `[platform.memory]`.
pub(crate) const MEMORY: FieldTable = FieldTable {
    name: "memory",
    about: "A private cache for each processor, and one bus; only schedlab membus reads it",
    fields: &[
        field(
            "clock_mhz",
            r#"{"type": "integer", "minimum": 1, "maximum": 100000}"#,
            "Cycles of a microsecond; 200",
        ),
        field("cache", r##"{"$ref": "#/$defs/bytes"}"##, "Bytes of a cache; 256 KiB"),
        field("line", r##"{"$ref": "#/$defs/bytes"}"##, "Bytes of a line, a power of two; 32"),
        field(
            "ways",
            r#"{"type": "integer", "minimum": 1, "maximum": 4294967295}"#,
            "Lines of a set, of which the least recently used one gives way; 1: direct-mapped",
        ),
        field("read_miss", CYCLES, "Cycles of the bus to load a line that is read; 12"),
        field("write_miss", CYCLES, "Cycles of the bus to load a line that is written; 12"),
        field("upgrade", CYCLES, "Cycles of the bus to take a line from caches that share it; 6"),
        field(
            "write_back",
            r#"{"type": "integer", "minimum": 0, "maximum": 1048576}"#,
            "Cycles more for each dirty line that goes to memory first; 12",
        ),
        word("arbitration", Choice::Arbitration, "Which request the bus takes; fifo"),
        field(
            "gap",
            r#"{"type": "integer", "minimum": 0, "maximum": 4294967296}"#,
            "Cycles of computing between two accesses; 4",
        ),
    ],
};

const CYCLES: &str = r#"{"type": "integer", "minimum": 1, "maximum": 1048576}"#;

/// `[[supertask]]`.
pub(crate) const SUPERTASK: FieldTable = FieldTable {
    name: "supertask",
    about: "Tasks that compete as one under a Pfair scheduler, and that name it",
    fields: &[
        required("name", TEXT, "Its name"),
        word("order", Choice::ComponentOrder, "Which component goes first; EDF"),
        word("scheduling", Choice::ComponentScheduling,
            "When it chooses among its components: at any time, or where its quanta begin; fully-preemptive",
        ),
        field(
            "weight",
            TEXT,
            "Its share of a processor, such as 3/10; auto: the least that guarantees its components' deadlines",
        ),
    ],
};

/// `[[task]]`.
pub(crate) const TASK: FieldTable = FieldTable {
    name: "task",
    about: "A source of jobs",
    fields: &[
        required("name", TEXT, "Its name"),
        field("wcet", DURATION, "Bound on the cost of each job; needed unless a program says it"),
        required("period", DURATION, "Distance of arrivals, or its minimum"),
        field("deadline", DURATION, "Relative deadline; the period if not given"),
        field("offset", DURATION, "When the first job arrives, or the earliest if sporadic; 0 ms"),
        field("jitter", DURATION, "How much later than its arrival a job is released at most; 0 ms"),
        field("suspension", DURATION, "How long a job suspends itself at most in all, at unknown points; 0 ms"),
        field("working_set", r##"{"$ref": "#/$defs/bytes"}"##, "Bytes that a job keeps in the caches; 0"),
        field("priority", r#"{"type": "integer", "minimum": 0, "maximum": 4294967295}"#, "Given priority; needed under FP"),
        field("priority_point", DURATION, "How long after its arrival a job's priority point lies; needed under GEL"),
        field(
            "utility",
            r##"{"anyOf": [{"type": "number", "minimum": 0, "maximum": 1000000000}, {"$ref": "#/$defs/utility"}]}"##,
            "What completions are worth: a number (a step at the deadline), or a table; 1",
        ),
        field(
            "abort_handler",
            r##"{"$ref": "#/$defs/abort_handler"}"##,
            "What a job that has begun executes when it is given up; nothing if not given",
        ),
        field(
            "processor",
            r#"{"type": "integer", "minimum": 0}"#,
            "The processor to use under a partitioned scheduler (under a clustered one: its cluster)",
        ),
        field(
            "affinity",
            r#"{"type": "array", "minItems": 1, "uniqueItems": true, "items": {"type": "integer", "minimum": 0}}"#,
            "The processors that a partitioned scheduler may choose from for it; all if not given",
        ),
        field("cluster", r#"{"type": "integer", "minimum": 0}"#, "The cluster to use; under a partitioned scheduler, one of its processors"),
        field("supertask", TEXT, "The supertask that it is a component of under a Pfair scheduler"),
        shaped("arrival", Shape::WordOr(Choice::Arrival, "arrival"),
            "When jobs arrive: periodic, sporadic (each up to a period late), or a table; periodic",
        ),
        shaped("cost", Shape::WordOr(Choice::Cost, "cost"),
            "What jobs cost in a simulation; wcet",
        ),
        field("join", DURATION, "When the task joins; 0 ms"),
        field("leave", DURATION, "From when on it has no further arrival; never if not given"),
        field(
            "weights",
            r##"{"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/weights"}}"##,
            "Changes of cost and period at run time: the task leaves after its last job before each, and joins again",
        ),
        field("copies", r#"{"type": "integer", "minimum": 1, "maximum": 100000}"#, "How many tasks like this there are; 1"),
        field(
            "program",
            r#"{"type": "array", "minItems": 1, "items": {"type": "string"}}"#,
            "What each job does at its worst: execute 2 ms, suspend 1 ms, request R, release R, serve R, np_enter, np_exit",
        ),
        field("workload", TEXT, "What it executes when it runs for real: compute, writes, reads, backtest; compute"),
        field(
            "wcet_may_exceed_deadline",
            r#"{"type": "boolean"}"#,
            "True if the task is meant to be unable to meet its deadline; false",
        ),
    ],
};

/// One of `weights = [{ ... }]`.
pub(crate) const WEIGHTS: FieldTable = FieldTable {
    name: "weights",
    about: "A change of cost and period at run time",
    fields: &[
        field("at", DURATION, "No job with the former cost and period arrives from then on; the first new one arrives when the former ones' last period ends"),
        field("wcet", DURATION, "The WCET from then on"),
        field("period", DURATION, "The period, and relative deadline, from then on"),
    ],
};

/// `arrival = { ... }`.
pub(crate) const ARRIVAL: FieldTable = FieldTable {
    name: "arrival",
    about: "When jobs arrive: one of these",
    fields: &[
        field(
            "sporadic",
            DURATION,
            "Each at most this much later than the period would allow, drawn uniformly",
        ),
        field(
            "like",
            r##"{"type": "string", "minLength": 1}"##,
            "Beside sporadic: the name of a task of the same delay, whose jobs are as late one by one",
        ),
        field(
            "at",
            r##"{"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/duration"}}"##,
            "At these times, and no more",
        ),
    ],
};

/// `cost = { ... }` of a task.
pub(crate) const TASK_COST: FieldTable = FieldTable {
    name: "cost",
    about: "What jobs cost in a simulation: one of these",
    fields: &[
        field("fraction", r##"{"$ref": "#/$defs/fraction"}"##, "This part of the WCET, rounded up"),
        field(
            "uniform",
            r##"{"type": "array", "minItems": 2, "maxItems": 2, "items": {"$ref": "#/$defs/duration"}}"##,
            "Drawn uniformly between these two, limits included",
        ),
        field(
            "list",
            r##"{"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/duration"}}"##,
            "These in turn, again and again",
        ),
    ],
};
