//! Records that only real runs have, as the rest of a line.

use super::{cpu, job, number, Words};
use core::fmt;
use schedlab_model::{Duration, Instant, TaskId};
use schedlab_trace::{RunRecord, Thread};

/// The name of the record's kind.
pub(super) fn kind(record: &RunRecord) -> &'static str {
    match record {
        RunRecord::Dispatch { .. } => "decided_dispatch",
        RunRecord::Preempt { .. } => "decided_preempt",
        RunRecord::SwitchIn { .. } => "switch_in",
        RunRecord::SwitchOut { ready: false, .. } => "switch_out",
        RunRecord::SwitchOut { ready: true, .. } => "switch_out_ready",
        RunRecord::Switches { .. } => "switches_missing",
        RunRecord::Stolen { .. } => "stolen",
        RunRecord::Standstill { .. } => "standstill",
        RunRecord::Afterwards { .. } => "afterwards",
    }
}

/// What comes after the kind.
pub(super) fn write(f: &mut fmt::Formatter<'_>, record: &RunRecord) -> fmt::Result {
    match *record {
        RunRecord::Dispatch { cpu, job } | RunRecord::Preempt { cpu, job } => write!(f, " {cpu} {job}"),
        RunRecord::SwitchIn { cpu, thread } | RunRecord::SwitchOut { cpu, thread, .. } => match thread {
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

/// The record of a line of this kind.
pub(super) fn read(kind: &str, w: &mut Words) -> Option<RunRecord> {
    Some(match kind {
        "decided_dispatch" => RunRecord::Dispatch { cpu: cpu(w)?, job: job(w)? },
        "decided_preempt" => RunRecord::Preempt { cpu: cpu(w)?, job: job(w)? },
        "switch_in" => RunRecord::SwitchIn { cpu: cpu(w)?, thread: thread(w)? },
        "switch_out" => RunRecord::SwitchOut { cpu: cpu(w)?, thread: thread(w)?, ready: false },
        "switch_out_ready" => RunRecord::SwitchOut { cpu: cpu(w)?, thread: thread(w)?, ready: true },
        "switches_missing" => RunRecord::Switches { missing: number(w)? },
        "stolen" => RunRecord::Stolen { cpu: cpu(w)?, since: instant(w)?, length: duration(w)? },
        "standstill" => RunRecord::Standstill { since: instant(w)? },
        "afterwards" => RunRecord::Afterwards { task: super::task(w)?, length: duration(w)? },
        _ => return None,
    })
}

fn thread(w: &mut Words) -> Option<Thread> {
    let text = w.next()?;
    match text.strip_prefix('T') {
        Some(task) => task.parse().ok().map(TaskId).map(Thread::Task),
        None => text.parse().ok().map(Thread::Other),
    }
}

fn instant(w: &mut Words) -> Option<Instant> {
    number(w).map(Instant::from_ns)
}

fn duration(w: &mut Words) -> Option<Duration> {
    number(w).map(Duration::from_ns)
}
