//! The fields of what completions are worth, and of what a job executes when it is given up.

use super::shape::{Shape::*, DURATION, WORTH};
use super::{Field, FieldTable};

tables! {
    // `utility = { ... }` of a task.
    /// What a completion is worth, by the time since the job's arrival: a step, a line, a decay or points
    UTILITY = "utility", required [], one of [
        (&["step"], &["termination"]),
        (&["linear"], &["last", "termination"]),
        (&["exponential", "half_life"], &["termination"]),
        (&["points"], &[]),
    ], {
        /// Worth this up to the termination time
        "step": WORTH,
        /// Worth this at the arrival, and on a straight line until the termination time
        "linear": WORTH,
        /// Beside linear: what it is worth at the termination time; 0
        "last": WORTH,
        /// Worth this at the arrival, and half as much after each half-life
        "exponential": WORTH,
        /// Beside exponential
        "half_life": DURATION,
        /// From when on it is worth nothing, after the arrival; the relative deadline
        "termination": DURATION,
        /// Straight lines between [time after the arrival, utility]; the last point is the termination time
        "points": Rows(&DURATION, &WORTH),
    }

    // `abort_handler = { ... }` of a task.
    /// What a job that has begun executes when it is given up; then it leaves the sections that it is in
    ABORT_HANDLER = "abort_handler", required [], {
        /// How long it executes; 0 ms
        "cost": DURATION,
        /// What its completion is worth, whenever that is; 0
        "utility": WORTH,
    }

    // The field `utility` by itself.
    /// A time/utility function
    ONLY_UTILITY = "only_utility", required ["utility"], {
        /// The function
        "utility": WORTH,
    }

    // An abort handler that stands alone.
    /// An abort handler
    ONLY_ABORT_HANDLER = "only_abort_handler", required ["abort_handler"], {
        /// The handler
        "abort_handler": Of("abort_handler"),
    }
}
