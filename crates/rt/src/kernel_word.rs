//! How far what the kernel ran was from what was decided, in words and as JSON.

use crate::distribution;
use schedlab_runtime::{Agreement, TRUE_WITHIN};
use serde_json::{json, Value};
use std::fmt;

/// The agreement for programs.
pub fn to_json(found: &Agreement) -> Value {
    json!({
        "holds": found.holds(),
        "starts": distribution::to_json(&found.starts),
        "stops": distribution::to_json(&found.stops),
        "never_ran": found.never_ran,
        "on_two_processors": found.on_two,
        "untrue": found.untrue,
        "lost": found.lost,
    })
}

/// The agreement for people; `names` are those of the tasks.
pub fn write(f: &mut fmt::Formatter<'_>, found: &Agreement, names: &[String]) -> fmt::Result {
    distribution::write(f, "decision to run until it was true", &found.starts)?;
    distribution::write(f, "decision to stop until it was true", &found.stops)?;
    if let Some((task, at, length)) = found.unasked {
        let name = &names[task.index()];
        writeln!(f, "longest without a decision that let it: the thread of {name}, {length} at {at}")?;
    }
    if found.never_ran > 0 {
        writeln!(f, "{} decisions changed before they became true", found.never_ran)?;
    }
    if found.untrue > 0 {
        writeln!(
            f,
            "{} times a thread went on for over {TRUE_WITHIN} without a decision, of {} decisions",
            found.untrue, found.decisions
        )?;
    }
    if found.on_two > 0 {
        writeln!(f, "{} times a thread was on two processors", found.on_two)?;
    }
    if found.lost > 0 {
        writeln!(f, "{} context switches are missing: the kernel's rings were full", found.lost)?;
    }
    Ok(())
}
