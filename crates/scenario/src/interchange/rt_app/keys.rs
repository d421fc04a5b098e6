//! The keys of rt-app's tasks: which are read, and the meaning of the others.

/// Meaning of a key of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// The key is read, or means nothing to a real-time task.
    Read,
    /// An event `run`.
    Run,
    /// An event `timer`.
    Timer,
    /// A reader without the key would get something wrong: why the key is refused, and what to write instead.
    Refused(&'static str, &'static str),
    /// A bound on the frequency.
    Frequency,
    /// No key of rt-app.
    Unknown,
}

const READ: [&str; 9] =
    ["policy", "priority", "dl-runtime", "dl-deadline", "dl-period", "cpus", "delay", "loop", "instance"];

const RUN: &str = "run, and a timer; or a SCHED_DEADLINE task with dl-runtime and dl-period";
const PROGRAM: &str = "run and a timer; or a scenario, whose [[resource]] and task.program say it";

/// Keys by their whole name.
const NAMES: [(&str, &str, &str); 9] = [
    ("runtime", "is a legacy key for dl-runtime (and an event that is not read)", "dl-runtime, or run"),
    ("exec", "is a legacy key, and no key of rt-app's any more", RUN),
    ("deadline", "is a legacy key", "dl-deadline"),
    ("period", "is a legacy key", "dl-period, or a timer"),
    ("lock_order", "is a legacy key, and no key of rt-app's any more: locks are not read", PROGRAM),
    ("resources", "is a legacy key, and no key of rt-app's any more: locks are not read", PROGRAM),
    ("phases", "is a program of several phases, which is not supported", RUN),
    ("taskgroup", "is a control group, which only Linux's fair scheduler knows", "no taskgroup"),
    ("nodes_membind", "binds memory to nodes, which is not supported", "no nodes_membind"),
];

const LOCKS: &str = "is an event of a lock, which is not read";
const MEETING: &str = "is an event at which threads wait for each other, which is not supported";
const OPEN_ENDED: &str = "is work of which rt-app does not say how long it takes";

/// Events by the prefixes of their names, by which rt-app recognizes them.
const EVENTS: [(&str, &str, &str); 15] = [
    ("lock", LOCKS, PROGRAM),
    ("unlock", LOCKS, PROGRAM),
    ("wait", MEETING, RUN),
    ("signal", MEETING, RUN),
    ("broad", MEETING, RUN),
    ("sync", MEETING, RUN),
    ("suspend", MEETING, RUN),
    ("resume", MEETING, RUN),
    ("barrier", MEETING, RUN),
    ("sleep", "is a pause, which is not read", "a timer; or a scenario, whose task.program may suspend"),
    ("mem", OPEN_ENDED, RUN),
    ("iorun", OPEN_ENDED, RUN),
    ("external_workload", OPEN_ENDED, RUN),
    ("yield", "is a yield, which is not supported", RUN),
    ("fork", "is an event that begins other threads, which is not supported", RUN),
];

/// Returns the meaning of `key`.
pub(super) fn key(key: &str) -> Key {
    if READ.contains(&key) || key == "dl-reclaim" {
        return Key::Read;
    }
    if matches!(key, "util_min" | "util_max") {
        return Key::Frequency;
    }
    if let Some((_, why, allowed)) = NAMES.iter().find(|(name, ..)| *name == key) {
        return Key::Refused(why, allowed);
    }
    if let Some((_, why, allowed)) = EVENTS.iter().find(|(begins, ..)| key.starts_with(begins)) {
        return Key::Refused(why, allowed);
    }
    match key {
        _ if key.starts_with("runtime") => {
            Key::Refused("is a run by the thread's own clock, which is not read", "run")
        }
        _ if key.starts_with("run") => Key::Run,
        _ if key.starts_with("timer") => Key::Timer,
        _ => Key::Unknown,
    }
}

/// Returns whether rt-app does something at this key, so that a second such key is a second action.
pub(super) fn is_event(key: &str) -> bool {
    let begins = EVENTS.iter().map(|(begins, ..)| *begins).chain(["run", "timer"]);
    begins.into_iter().any(|begins| key.starts_with(begins))
}
