//! Records that only real runs have, as the rest of a line.

use core::fmt;
use schedlab_trace::{RunRecord, Thread};

/// Writes the rest of the line after the kind.
pub(super) fn write(f: &mut fmt::Formatter<'_>, record: &RunRecord) -> fmt::Result {
    match *record {
        RunRecord::Dispatch { cpu, job } | RunRecord::Preempt { cpu, job } => write!(f, " {cpu} {job}"),
        RunRecord::SwitchIn { cpu, thread }
        | RunRecord::SwitchOut { cpu, thread }
        | RunRecord::SwitchOutReady { cpu, thread } => match thread {
            Thread::Task(task) => write!(f, " {cpu} {task}"),
            Thread::Other(number) => write!(f, " {cpu} {number}"),
        },
        RunRecord::Switches { missing } => write!(f, " {missing}"),
        RunRecord::Stolen { cpu, since, length } => {
            write!(f, " {cpu} {} {}", since.as_ns(), length.as_ns())
        }
        RunRecord::Standstill { since } => write!(f, " {}", since.as_ns()),
        RunRecord::Afterwards { task, length } => write!(f, " {task} {}", length.as_ns()),
    }
}
