//! The fields of overheads, in a file of their own or in a scenario.

use super::shape::{Shape, Shape::*, ANY, DURATION, PROCESSORS, VERSION};
use super::{Field, FieldTable};
use crate::words::{names, FITTED, STATISTICS};
use schedlab_model::{Architecture, ObjectKind, QueueLock, Scheme};

const COST: Shape = Of("overhead_cost");
const OVERHEAD_TABLE: Shape = Of("overhead");

tables! {
    // `[overheads]` of a scenario: these and [`OVERHEADS`].
    /// Overheads by name or file, or given here as in an overheads file
    OVERHEADS_CHOICE = "overheads", required [], {
        /// none, a shipped name, or a file ending in .toml; instead of all but statistic
        "use": Text,
        /// Which of the measured values to use; max. A percentile that was not measured is the next larger one, or the
        /// largest value
        "statistic": Word(|| names(STATISTICS)),
    }

    // The overheads file: these and [`OVERHEADS`].
    /// A schedlab overheads file: what a machine takes for itself
    OVERHEADS_FILE = "overheads_file", required ["schedlab-overheads"], {
        /// Version of the overheads format
        "schedlab-overheads": VERSION,
        /// A shipped name or a file whose values hold where this file gives none
        "extends": Text,
    }

    // In a file of their own or in a scenario.
    /// Overheads and where they come from
    OVERHEADS = "overheads_given", required [], {
        /// A line that says what this is
        "title": Text,
        /// The machine that was measured
        "machine": Text,
        /// Where the numbers come from
        "source": Text,
        /// What a reader should know
        "notes": Text,
        /// Which caches the machine's processors share; a scenario's platform may say it instead
        "caches": List(&Of("shared_cache"), 0),
        /// Values for every scheduler
        "all": Of("kinds"),
        /// Values that differ by scheduler
        "scheduler": List(&Of("overheads_of_scheduler"), 0),
        /// Values that differ by locking protocol
        "protocol": List(&Of("overheads_of_protocol"), 0),
        /// What operations on shared objects cost, charged by analyses
        "object": List(&Of("overheads_of_object"), 0),
        /// Measured values that nothing uses
        "unmodelled": Json(r##"{"type": "object", "additionalProperties": {"$ref": "#/$defs/overhead"}}"##),
    }

    // One of `caches`, of a platform or of overheads.
    /// A cache and its processors
    CACHE = "shared_cache", required ["level", "processors"], {
        /// 1 is the nearest to the processor
        "level": Whole(1, 9),
        /// Its processors, rising; a private cache has one
        "processors": PROCESSORS,
    }

    // `[all]`, and the kinds of overhead wherever they stand.
    /// Overheads by kind; a kind that is not given is unknown, not zero
    KINDS = "kinds", required [], {
        /// Noticing an arrival and making the job ready
        "release": OVERHEAD_TABLE,
        /// Choosing the next job
        "scheduling": OVERHEAD_TABLE,
        /// Switching to the chosen job
        "context_switch": OVERHEAD_TABLE,
        /// The interrupt at a quantum boundary
        "tick": OVERHEAD_TABLE,
        /// From asking another processor to reschedule until it does
        "ipi": OVERHEAD_TABLE,
        /// Loading the working set again after a preemption
        "cache_related_preemption": OVERHEAD_TABLE,
        /// Loading the working set again after a migration
        "cache_related_migration": OVERHEAD_TABLE,
        /// Taking a lock
        "lock_acquire": OVERHEAD_TABLE,
        /// Giving a lock back
        "lock_release": OVERHEAD_TABLE,
        /// Entering the kernel
        "syscall_entry": OVERHEAD_TABLE,
        /// Leaving the kernel
        "syscall_exit": OVERHEAD_TABLE,
        /// Pushing a thread to another processor's run queue; under SCHED_FIFO alone
        "push": OVERHEAD_TABLE,
        /// Pulling a thread from another processor's run queue; under SCHED_FIFO alone
        "pull": OVERHEAD_TABLE,
    }

    // `[[scheduler]]` of an overheads file: [`KINDS`] and these.
    /// Values that hold under one scheduler
    OF_SCHEDULER = "overheads_of_scheduler", required ["name"], {
        /// The scheduler that was measured
        "name": Of("scheduler_name"),
        /// Schedulers that borrow these values though they were not measured, such as P-RM or P-*
        "stands_for": List(&Text, 0),
        /// How processors that share a queue decide; simulations alone know it
        "decisions": Of("decisions"),
    }

    // `decisions` of `[[scheduler]]`.
    /// How processors that share a queue decide, and what that takes
    DECISIONS = "decisions", required ["architecture", "lock", "hand_over", "migration", "source"], {
        /// Each processor decides for itself under the queue's lock, or all stop and one decides
        "architecture": Word(|| names(&Architecture::NAMED)),
        /// What processors wait in: a hand-over grows with the waiters, or takes the same for any number
        "lock": Word(|| names(&QueueLock::NAMED)),
        /// One hand-over of the lock to the only waiter
        "hand_over": DURATION,
        /// Reading the descriptor of one job, of at most as many as there are processors; stop-the-world alone
        "access": DURATION,
        /// Pulling a task from the processor where it was before
        "migration": DURATION,
        /// What processors that make jobs ready wait in at the queue, apart from the schedule's lock; stop-the-world
        /// alone
        "queue_lock": Word(|| names(&QueueLock::NAMED)),
        /// One hand-over of the queue's lock to the only waiter; beside queue_lock alone
        "queue_hand_over": DURATION,
        /// Which numbers, and which of the scheduler's release and scheduling, are neither published nor measured
        "fitted": List(&Word(|| FITTED.to_vec()), 0),
        /// Where each number comes from; of the fitted ones, to what
        "source": Text,
    }

    // `[[protocol]]` of an overheads file: [`KINDS`] and these.
    /// Values that hold under one locking protocol
    OF_PROTOCOL = "overheads_of_protocol", required ["name"], {
        /// The protocol that was measured
        "name": Text,
    }

    // `[[object]]` of an overheads file.
    /// What an operation on an object costs
    OF_OBJECT = "overheads_of_object", required ["kind", "scheme", "access"], {
        /// What it is
        "kind": Word(|| names(&ObjectKind::NAMED)),
        /// How tasks share it
        "scheme": Word(|| names(&Scheme::NAMED)),
        /// The operation, or one attempt if lock-free; N: the tasks that share the object
        "access": OVERHEAD_TABLE,
    }

    /// One measured overhead
    OVERHEAD = "overhead", required [], {
        /// The largest value
        "max": COST,
        /// The mean
        "mean": COST,
        /// What half of the measurements do not exceed
        "p50": COST,
        /// What 90 % of the measurements do not exceed
        "p90": COST,
        /// What 95 % of the measurements do not exceed
        "p95": COST,
        /// What 99 % of the measurements do not exceed
        "p99": COST,
        /// What 99.9 % of the measurements do not exceed
        "p99_9": COST,
        /// How many measurements stand behind it
        "samples": Whole(1, ANY),
        /// Of migrations: the same by the nearest cache that both processors share, such as L2, or memory
        "paths": Json(r##"{"type": "object", "propertyNames": {"pattern": "^(L[1-9]|memory)$"},
            "additionalProperties": {"$ref": "#/$defs/overhead"}}"##),
    }

    /// A cost by working-set size, constant outside of the rows, or by number of tasks or of ready jobs, growing on
    /// beyond the last; linear between two rows
    BY_TABLE = "by_table", required [], {
        /// Rows of size and duration, by rising size
        "working_set": Rows(&Of("bytes"), &DURATION),
        /// Rows of a number of tasks and a duration, both rising
        "tasks": Rows(&Whole(0, ANY), &DURATION),
        /// Rows of a number of ready jobs and a duration, both rising; of scheduling alone
        "ready": Rows(&Whole(0, ANY), &DURATION),
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, OVERHEAD, STATISTICS};
    use schedlab_model::OverheadKind;

    /// The reader takes overheads by kind, and each by statistic. The schema has the same fields, in this order.
    #[test]
    fn overheads_have_a_field_for_each_kind_and_each_statistic() {
        let kinds: Vec<&str> = OverheadKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(
            KINDS.names().collect::<Vec<_>>(),
            kinds,
            "`KINDS` has a line for each kind, in its order"
        );
        let statistics = STATISTICS.iter().map(|(name, _)| *name);
        let expected: Vec<&str> = statistics.chain(["samples", "paths"]).collect();
        assert_eq!(OVERHEAD.names().collect::<Vec<_>>(), expected);
    }
}
