//! Checks of time/utility functions: a function never rises, and ends after the last possible release. An aborted job
//! must not be worth more than a complete one.

use crate::fault::OfPart;
use crate::quantity::{DURATION, LARGEST_UTILITY, LONGEST, POSITIVE, UTILITY};
use crate::scenario::TaskSpec;
use schedlab_model::{AbortHandler, Duration, TimeUtility, Utility};

const FIELD: &str = "utility";

pub(super) fn utility(task: &TaskSpec, faults: &mut OfPart<'_>) {
    handler(task, faults);
    let Some(function) = &task.utility else { return };
    if matches!(function, TimeUtility::Piecewise(points) if points.is_empty()) {
        return faults.refuse(FIELD, "the list of points", "has no point", "at least one");
    }
    if function.largest() > LARGEST_UTILITY {
        faults.refuse(FIELD, function.largest(), "is too large a utility", UTILITY);
    }
    if function.largest() == Utility::ZERO {
        let why = "is the largest utility: no completion is worth anything";
        faults.refuse(FIELD, Utility::ZERO, why, "more than 0");
    }
    match function {
        TimeUtility::Step { .. } => {}
        TimeUtility::Linear { height, last, .. } => {
            falls((Duration::ZERO, *height), (LONGEST, *last), faults)
        }
        TimeUtility::Exponential { half_life, .. } => {
            if half_life.is_zero() {
                faults.refuse(FIELD, "a half-life of 0 ns", "is zero", POSITIVE);
            }
        }
        TimeUtility::Piecewise(points) => {
            points.windows(2).for_each(|pair| falls(pair[0], pair[1], faults));
        }
    }
    let termination = function.termination(task.relative_deadline);
    if termination > LONGEST {
        faults.refuse(FIELD, termination, "is longer than a year", POSITIVE);
    } else if termination <= task.jitter {
        let (why, allowed) = match task.jitter.is_zero() {
            true => (
                "is the termination time: every job would be given up at its arrival".to_owned(),
                "after 0 ns".to_owned(),
            ),
            false => (
                format!(
                    "is the termination time, and jobs are released up to {} after their arrival",
                    task.jitter
                ),
                format!("after {}", task.jitter),
            ),
        };
        faults.refuse(FIELD, termination, why, allowed);
    }
}

fn handler(task: &TaskSpec, faults: &mut OfPart<'_>) {
    const FIELD: &str = "abort_handler";
    let Some(AbortHandler { cost, utility }) = task.abort_handler else { return };
    let most = task.utility.as_ref().unwrap_or(&TimeUtility::UNIT_STEP).largest();
    if utility > most {
        let why = "is the utility of the abort handler, more than a completion can be worth";
        faults.refuse(FIELD, utility, why, format!("at most {most}"));
    }
    if cost.as_ns() > LONGEST.as_ns() {
        faults.refuse(FIELD, cost, "is longer than a year", DURATION);
    }
}

/// Checks that from one point to the next, time does not fall and utility does not rise.
fn falls(from: (Duration, Utility), to: (Duration, Utility), faults: &mut OfPart<'_>) {
    if to.0 < from.0 {
        let why = format!("is the time of a point, before that of the point before, {}", from.0);
        faults.refuse(FIELD, to.0, why, format!("at least {}", from.0));
    }
    if to.1 > from.1 {
        let why = format!("is more than the utility before, {}: the function rises", from.1);
        faults.refuse(FIELD, to.1, why, format!("at most {}", from.1));
    }
}
