//! Fields of the files, described once: the reader takes their names from here, and the schema is written from here.

mod shape;

pub(crate) use shape::Shape;

/// One field of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Name of the field.
    pub name: &'static str,
    /// Values that the field takes.
    pub shape: Shape,
    /// Description of the field, for the schema.
    pub about: &'static str,
}

/// A table of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldTable {
    /// Name of the table in the schema.
    pub name: &'static str,
    /// Description of the table, for the schema.
    pub about: &'static str,
    /// Names of fields that must be there.
    pub required: &'static [&'static str],
    /// Fields of the table.
    pub fields: &'static [Field],
    /// Ways to fill in the table, where only some fields go together.
    pub kinds: &'static [Kind],
}

/// A way to fill in a table: the fields that it needs, and those that may be there besides.
pub(crate) type Kind = (&'static [&'static str], &'static [&'static str]);

impl FieldTable {
    /// The names of the table's fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.fields.iter().map(|field| field.name)
    }
}

/// Declares tables of fields. The comment of a table or field is also its description in the schema.
macro_rules! tables {
    (@kinds) => { &[] };
    (@kinds $kinds:expr) => { &$kinds };
    ($($(#[doc = $about:literal])+ $table:ident = $called:literal, required $required:expr, $(one of $kinds:expr,)? {
        $($(#[doc = $what:literal])+ $name:literal: $shape:expr,)+
    })+) => {
        $(
            $(#[doc = $about])+
            pub(crate) const $table: FieldTable = FieldTable {
                name: $called,
                about: concat!($($about),+),
                required: &$required,
                fields: &[$(Field { name: $name, shape: $shape, about: concat!($($what),+) }),+],
                kinds: tables!(@kinds $($kinds)?),
            };
        )+
    };
}

mod overheads;
mod resource;
mod utility;

pub(crate) use overheads::{
    BY_TABLE, CACHE, DECISIONS, KINDS, OF_OBJECT, OF_PROTOCOL, OF_SCHEDULER, OVERHEAD, OVERHEADS,
    OVERHEADS_CHOICE, OVERHEADS_FILE,
};
pub(crate) use resource::RESOURCE;
pub(crate) use utility::{ABORT_HANDLER, ONLY_ABORT_HANDLER, ONLY_UTILITY, UTILITY};

use crate::words::{
    names, priorities, ALIGNMENTS, ARBITRATIONS, ARRIVALS, COMPONENT_ORDERS, COSTS, DEADLINE_RULES, FITS,
    ORDERS, OVERFLOWS, OVERRUNS, PLACEMENT_TESTS, PLACEMENT_WEIGHTS, RELEASES, SPLITS, URGENT, WCETS,
    WEIGHTS,
};
use schedlab_model::ThreadClass;
use schedlab_policy::pfair::{Affinity, ComponentScheduling};
use schedlab_policy::servers::{ClientOrder, ServerKind};
use shape::{Shape::*, ANY, DURATION, MOST_U32, PROCESSORS, VERSION, WORTH};

/// Cycles of the bus.
const CYCLES: Shape = Whole(1, 1 << 20);

tables! {
    /// A schedlab scenario: tasks, resources, machine, scheduler, overheads, seed and horizon
    SCENARIO = "scenario", required ["schedlab", "task"], {
        /// Version of the scenario format
        "schedlab": VERSION,
        /// A line that says what this is
        "title": Text,
        /// Where the numbers come from
        "source": Text,
        /// What a reader should know, such as known discrepancies
        "notes": Text,
        /// What a file of another tool said that is left out, although answers could be too good without it
        "left_out": List(&Text, 0),
        /// Of all randomness in a simulation, below 2^64, from 2^63 on as text; 0 if not given
        "seed": Json(r#"{"oneOf": [{"type": "integer", "minimum": 0},
            {"type": "string", "pattern": "^[0-9]{1,20}$"}]}"#),
        /// When the experiment ends; 20 longest periods or a million jobs, at least 1 s, if not given
        "horizon": DURATION,
        /// Which relative deadlines are allowed: any, none above the period, only the period
        "deadlines": Word(|| names(DEADLINE_RULES)),
        /// Whether each wcet is a bound or the largest cost that was observed; bounds if not given, but observed if the
        /// source is schedlab observe
        "wcets": Word(|| names(WCETS)),
        /// What happens in a real run to a job that exceeds its wcet; ignore if not given. Nothing, a record, its end
        /// (the rest runs in the next job), or background priority
        "overruns": Word(|| names(OVERRUNS)),
        /// The locking protocol; none if not given: mutual exclusion without inheritance
        "protocol": Of("protocol_name"),
        /// The scheduler: its name, or a table; G-EDF if not given
        "scheduler": Either(&Of("scheduler_name"), &Of("scheduler")),
        /// Overheads: none, a shipped name, a file ending in .toml, or a table; none if not given
        "overheads": Either(&Text, &Of("overheads")),
        /// The machine; one processor if not given
        "platform": Of("platform"),
        /// The shared resources
        "resource": List(&Of("resource"), 0),
        /// Tasks that compete as one under a Pfair scheduler
        "supertask": List(&Of("supertask"), 0),
        /// Budget servers, which execute the jobs of the tasks that name them
        "server": List(&Of("server"), 0),
        /// The tasks
        "task": List(&Of("task"), 1),
    }

    // `[scheduler]`.
    /// A scheduler and what goes with it
    SCHEDULER = "scheduler", required ["name"], {
        /// Its name, such as NG-EDF
        "name": Of("scheduler_name"),
        /// Which of two given priorities is the more urgent; the smallest if not given
        "urgent_priority": Word(|| names(URGENT)),
        /// Who says how urgent tasks are under FP: each task (given), a rule, or Audsley's algorithm; given
        "priorities": Word(|| names(&priorities())),
        /// How Pfair schedulers choose weights: plain ones, or such that no job is late; plain if not given
        "weights": Word(|| names(WEIGHTS)),
        /// How tasks are spread over clusters
        "placement": Of("placement"),
        /// How a Pfair scheduler assigns the tasks of a slot to processors; back-to-back, the only one with staggered
        /// quanta
        "affinity": Word(|| Affinity::words().collect()),
        /// How much of each period a processor may run threads under SCHED_FIFO, in simulations; no limit if not given
        "throttling": Of("throttling"),
    }

    // `[scheduler.throttling]`.
    /// Linux's real-time throttling, of each processor
    THROTTLING = "throttling", required [], {
        /// What a processor has for threads in each period, at most the period; 950 ms
        "runtime": DURATION,
        /// When it has that anew, from time zero on; 1 s
        "period": DURATION,
    }

    // `[scheduler.placement]`.
    /// How tasks without a place of their own are spread over clusters
    PLACEMENT = "placement", required [], {
        /// Which of the clusters with room is taken; if not given worst, or first where that leaves a task over, or
        /// where the exact test of one processor refuses a partition: then with that test at each step
        "fit": Word(|| names(FITS)),
        /// True: a task that fits on no processor has no place in a cluster either, though its processors have room
        /// together; false
        "by_processor": Flag,
        /// What of a task is summed up on a processor; utilization
        "weight": Word(|| names(PLACEMENT_WEIGHTS)),
        /// In which order tasks are placed; decreasing_utilization
        "order": Word(|| names(ORDERS)),
        /// How full a cluster may get, as a part of its processors; 1
        "bound": Of("fraction"),
        /// What happens to a task that fits nowhere: it goes to the least loaded cluster, or the scenario is refused;
        /// least_loaded
        "overflow": Word(|| names(OVERFLOWS)),
        /// True: tasks that share resources go to one processor where they fit there, worst fit by decreasing
        /// utilization; false
        "together": Flag,
        /// A test that has to accept the tasks of a processor at each step, besides the bound; none
        "test": Word(|| PLACEMENT_TESTS.to_vec()),
        /// Whether tasks that fit nowhere are split between processors, under P-EDF; none
        "split": Word(|| names(SPLITS)),
    }

    // `[platform]`.
    /// The machine
    PLATFORM = "platform", required [], {
        /// Number of processors; 1
        "processors": Whole(1, 4096),
        /// Processors of a cluster under a clustered scheduler; half of them if not given
        "cluster_size": Whole(1, 4096),
        /// The clusters as lists of processors, instead of cluster_size
        "clusters": List(&PROCESSORS, 0),
        /// The quantum, which is also the distance of ticks; 1 ms
        "quantum": DURATION,
        /// Where quantum boundaries lie; aligned
        "alignment": Word(|| names(ALIGNMENTS)),
        /// When arrivals are noticed; timer: at once
        "releases": Word(|| names(RELEASES)),
        /// Which caches processors share; what a migration costs may depend on it
        "caches": List(&Of("shared_cache"), 0),
        /// Caches and bus, for schedlab membus
        "memory": Of("memory"),
    }

    // `[platform.memory]`.
    /// A private cache for each processor, and one bus; only schedlab membus reads it
    MEMORY = "memory", required [], {
        /// Cycles of a microsecond; 200
        "clock_mhz": Whole(1, 100_000),
        /// Bytes of a cache; 256 KiB
        "cache": Of("bytes"),
        /// Bytes of a line, a power of two; 32
        "line": Of("bytes"),
        /// Lines of a set, of which the least recently used one gives way; 1: direct-mapped
        "ways": Whole(1, MOST_U32),
        /// Cycles of the bus to load a line that is read; 12
        "read_miss": CYCLES,
        /// Cycles of the bus to load a line that is written; 12
        "write_miss": CYCLES,
        /// Cycles of the bus to take a line from caches that share it; 6
        "upgrade": CYCLES,
        /// Cycles more for each dirty line that goes to memory first; 12
        "write_back": Whole(0, 1 << 20),
        /// Which request the bus takes; fifo
        "arbitration": Word(|| names(ARBITRATIONS)),
        /// Cycles of computing between two accesses; 4
        "gap": Whole(0, 1 << 32),
    }

    // `[[supertask]]`.
    /// Tasks that compete as one under a Pfair scheduler, and that name it
    SUPERTASK = "supertask", required ["name"], {
        /// Its name
        "name": Text,
        /// Which component goes first; EDF
        "order": Word(|| names(COMPONENT_ORDERS)),
        /// When it chooses among its components: at any time, or where its quanta begin; fully-preemptive
        "scheduling": Word(|| names(ComponentScheduling::ALL)),
        /// Its share of a processor, such as 3/10; auto: the least that guarantees its components' deadlines
        "weight": Of("share"),
    }

    // `[[server]]`.
    /// A budget server: it executes the jobs of the tasks that name it, at its own urgency and within its budget
    SERVER = "server", required ["name", "kind", "budget", "period"], {
        /// Its name
        "name": Text,
        /// When it has budget. Under fixed priorities: polling, deferrable, sporadic (as published), sporadic-posix and
        /// sporadic-corrected. Under EDF: sporadic-dynamic, soft-cbs, hard-cbs, grub, grub-linux (as SCHED_DEADLINE
        /// reclaims), constant-utilization and total-bandwidth. Under both: periodic
        "kind": Word(|| names(&ServerKind::NAMED)),
        /// What its clients have in each period, at most the period; over the period it is the server's bandwidth
        "budget": DURATION,
        /// Its period; under RM and DM its urgency, too
        "period": DURATION,
        /// Relative deadline of a periodic server, by which clients have had its budget; the period if not given
        "deadline": DURATION,
        /// Which client goes first: arrival (first come, first served), or by a scheduler of the clients' own; arrival
        "order": Word(|| names(&ClientOrder::NAMED)),
        /// Given priority, as that of a task; needed under FP
        "priority": Whole(0, MOST_U32),
        /// Its processor, and that of its clients; needed where there are several
        "processor": Whole(0, ANY),
        /// True: clients without budget have the time that no task wants, under fixed priorities; false
        "background": Flag,
    }

    // `[[task]]`.
    /// A source of jobs
    TASK = "task", required ["name", "period"], {
        /// Its name
        "name": Text,
        /// Bound on the cost of each job; needed unless a program says it
        "wcet": DURATION,
        /// Distance of arrivals, or its minimum
        "period": DURATION,
        /// Relative deadline; the period if not given, or none for clients served first come, first served
        "deadline": DURATION,
        /// When the first job arrives, or the earliest if sporadic; 0 ms
        "offset": DURATION,
        /// How much later than its arrival a job is released at most; 0 ms
        "jitter": DURATION,
        /// How long a job suspends itself at most in all, at unknown points; 0 ms
        "suspension": DURATION,
        /// Bytes that a job keeps in the caches; 0
        "working_set": Of("bytes"),
        /// Given priority; needed under FP
        "priority": Whole(0, MOST_U32),
        /// Class of its thread under SCHED_FIFO; fifo
        "class": Word(|| names(&ThreadClass::NAMED)),
        /// How long after its arrival a job's priority point lies; needed under GEL
        "priority_point": DURATION,
        /// What completions are worth: a number (a step at the deadline), or a table; 1
        "utility": Either(&WORTH, &Of("utility")),
        /// What a job that has begun executes when it is given up; nothing if not given
        "abort_handler": Of("abort_handler"),
        /// The processor to use under a partitioned scheduler and SP-EDF (under a clustered one: its cluster)
        "processor": Whole(0, ANY),
        /// The pieces in which each job executes under SP-EDF, in order; one on its processor if not given
        "pieces": List(&Of("piece"), 1),
        /// The processors that a partitioned scheduler may choose from for it; all if not given
        "affinity": Json(r#"{"type": "array", "minItems": 1, "uniqueItems": true,
            "items": {"type": "integer", "minimum": 0}}"#),
        /// The cluster to use; under a partitioned scheduler, one of its processors
        "cluster": Whole(0, ANY),
        /// The supertask that it is a component of under a Pfair scheduler
        "supertask": Text,
        /// The budget server that executes its jobs
        "server": Text,
        /// When jobs arrive: periodic, sporadic (each up to a period late), or a table; periodic
        "arrival": Either(&Word(|| names(ARRIVALS)), &Of("arrival")),
        /// What jobs cost in a simulation; wcet
        "cost": Either(&Word(|| names(COSTS)), &Of("cost")),
        /// When the task joins; 0 ms
        "join": DURATION,
        /// From when on it has no further arrival; never if not given
        "leave": DURATION,
        /// Changes of cost and period at run time: the task leaves after its last job before each, and joins again
        "weights": List(&Of("weights"), 1),
        /// How many tasks like this there are; 1
        "copies": Whole(1, 100_000),
        /// What each job does at its worst: execute 2 ms, suspend 1 ms, request R, release R, serve R, np_enter,
        /// np_exit
        "program": List(&Of("step"), 1),
        /// What it executes when it runs for real: compute, writes, reads, backtest; compute
        "workload": Of("workload"),
        /// True if the task is meant to be unable to meet its deadline; false
        "wcet_may_exceed_deadline": Flag,
    }

    // One of `pieces = [{ ... }]`.
    /// A piece of a task that is split between processors
    PIECE = "piece", required ["processor", "budget", "deadline"], {
        /// The processor on which the piece executes
        "processor": Whole(0, ANY),
        /// How much a job executes there before it goes on to the next piece
        "budget": DURATION,
        /// When the piece may begin at the earliest, after the job's arrival; 0 ms
        "begin": DURATION,
        /// When the piece is due, after that
        "deadline": DURATION,
    }

    // One of `weights = [{ ... }]`.
    /// A change of cost and period at run time
    WEIGHT_CHANGE = "weights", required [], {
        /// No job with the former cost and period arrives from then on; the first new one arrives when the former
        /// ones' last period ends
        "at": DURATION,
        /// The WCET from then on
        "wcet": DURATION,
        /// The period, and relative deadline, from then on
        "period": DURATION,
    }

    // `arrival = { ... }`.
    /// When jobs arrive: one of these
    ARRIVAL = "arrival", required [], one of [(&["sporadic"], &["like"]), (&["at"], &[])], {
        /// Each at most this much later than the period would allow, drawn uniformly
        "sporadic": DURATION,
        /// Beside sporadic: the name of a task of the same delay, whose jobs are as late one by one
        "like": Json(r##"{"type": "string", "minLength": 1}"##),
        /// At these times, and no more
        "at": List(&DURATION, 1),
    }

    // `cost = { ... }` of a task.
    /// What jobs cost in a simulation: one of these
    TASK_COST = "cost", required [], one of [
        (&["fraction"], &[]), (&["uniform"], &[]), (&["list"], &[]), (&["quantiles"], &["least"])
    ], {
        /// This part of the WCET, rounded up
        "fraction": Of("fraction"),
        /// Drawn uniformly between these two, limits included
        "uniform": Json(r##"{"type": "array", "minItems": 2, "maxItems": 2,
            "items": {"$ref": "#/$defs/duration"}}"##),
        /// These in turn, again and again
        "list": List(&DURATION, 1),
        /// Drawn by these quantiles, such as [[0.5, "1 ms"], [0.99, "2 ms"]]: the share of the jobs that cost at most
        /// this; evenly between one and the next, and from the last to the WCET
        "quantiles": Json(r##"{"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 2,
            "maxItems": 2, "prefixItems": [{"$ref": "#/$defs/fraction"}, {"$ref": "#/$defs/duration"}]}}"##),
        /// Beside quantiles: the least cost; the cost of the first quantile
        "least": DURATION,
    }
}
