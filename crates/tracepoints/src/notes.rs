//! Remarks of a scenario that was made of a kernel trace: what is known of each task, and what is not.

use crate::event::Urgency;
use crate::figures::{Examined, Figures};
use crate::findings::{about, list, plural};
use crate::period::Pattern;
use crate::threads::Life;
use crate::unit::StampUnit;

/// Warning that a reader must know.
pub(crate) const WARNING: &str =
    "OBSERVED, NOT PROVED: each wcet is the largest cost that was seen, and no bound on what the next job costs. It is the \
     time between context switches, so that interrupts and time that a host stole are in it. Deadlines are taken to be \
     implicit, and all tasks to be released together.";

/// Remark where there is no scenario.
pub(crate) const NO_TASK: &str = "NO SCENARIO: no thread of the trace can be a task.";

/// What no kernel trace shows.
pub(crate) const UNSEEN: &str =
    "NOT SEEN: the processors that a thread may use (those here are the ones on which it ran), whether a real-time thread is \
     SCHED_FIFO or SCHED_RR, and relative deadlines. A job that runs into the next one without a sleep between them looks \
     like one job; a wait in the middle of a job looks like its end.";

/// Mutexes, where the trace has events of priority inheritance.
pub(crate) const SOME_MUTEXES: &str =
    "MUTEXES: waits for mutexes with priority inheritance were seen, and are no ends of jobs. Sections of mutexes that were \
     free, and all those without inheritance, are not seen, nor how long a thread that waited held its own. So they are no \
     part of the scenario: write them down by hand, as [[resource]] with protocol = \"inherit\" and a program of each task.";

/// Mutexes, where the trace has no such events.
pub(crate) const NO_MUTEXES: &str =
    "NOT SEEN: mutexes and critical sections, for the trace has no sched_pi_setprio. Write them down by hand.";

/// Order of threads without real-time priority.
pub(crate) const FAIR: &str =
    "UNKNOWN ORDER: no task has a real-time priority. Linux shares processors among such threads and all other programs, as \
     no scheduler here does; EDF stands in its place.";

/// Order where only some threads have real-time priorities.
pub(crate) const MIXED: &str =
    "Threads without a real-time priority have priority 0 here, below all others. Linux shares among them what the others \
     leave.";

/// Describes what is known of a task.
pub(crate) fn described(examined: &Examined, name: &str, life: &Life, of: &Figures) -> String {
    let class = class(life);
    let pid = life.pid;
    let ran = list(&life.own_cpus);
    let mut text = format!("{name}: thread {pid}, {class}, ran on CPU {ran}. {} {}", period(of), cost(of));
    let was: Vec<String> =
        life.names.iter().rev().skip(1).map(|name| examined.recording.names.text(*name)).collect();
    if !was.is_empty() {
        text += &format!(" It was also called {}.", was.join(", "));
    }
    if let Some(latency) = life.latency_from_wakeup.or(life.latency_from_waking) {
        text += &format!(" It waited at most {} from a wake-up to its run.", about(latency));
    }
    if let Some(response) = of.response {
        text += &format!(" Its longest response was {}.", about(response));
    }
    text += &preemptions(examined, life);
    for (holder, waits) in &life.waits {
        let holder = examined.name(&examined.swept.lives[*holder]);
        let (count, longest) = (plural(waits.count, "time"), about(waits.longest));
        text += &format!(" It was blocked by {holder}, which held a mutex, {count}, for at most {longest}.");
    }
    if of.late_jobs > 0 {
        let jobs = plural(of.late_jobs as u64, "job");
        text += &format!(
            " {jobs} went on past the next release, and may be two jobs without a sleep between them."
        );
    }
    text + &missed(life)
}

/// Most threads that are described where stamps have no unit.
const MOST_DESCRIBED: usize = 30;

/// Describes the threads with most switches where lengths of time are not known.
pub(crate) fn without_times(examined: &Examined) -> Vec<String> {
    let mut threads = examined.threads();
    threads.sort_by_key(|(_, life, _)| (std::cmp::Reverse(life.switches_in), life.pid));
    let is_counted = examined.stamp_unit() == StampUnit::Counts;
    let described = |(_, life, of): &(usize, &Life, &Figures)| {
        let (name, class, pid) = (examined.name(life), class(life), life.pid);
        let switches = plural(life.switches_in, "switch").replace("switchs", "switches");
        let releases = plural(of.releases as u64, "release");
        let mut text = format!(
            "{name}: thread {pid}, {class}, ran on CPU {}: {switches} to it, {releases}.",
            list(&life.cpus)
        );
        if let (Some(period), false) = (of.period(), is_counted) {
            text += &format!(" Its period is {period} units of the stamps.");
        }
        if let (Some(largest), false) = (of.costs.last(), is_counted) {
            let median = of.median_cost().unwrap_or(0);
            text += &format!(" Its costs have a median of {median} and are at most {largest} such units.");
        }
        text + &preemptions(examined, life)
    };
    threads.iter().filter(|(_, life, _)| life.switches_in > 0).take(MOST_DESCRIBED).map(described).collect()
}

fn class(life: &Life) -> String {
    match Urgency::of(life.priority) {
        Urgency::Deadline => "a deadline thread (SCHED_DEADLINE)".to_owned(),
        Urgency::RealTime(priority) => format!("real-time priority {priority}"),
        Urgency::Ordinary(nice) => format!("no real-time priority, nice {nice}"),
        Urgency::Unknown(priority) => format!("kernel priority {priority}, which no class has"),
    }
}

fn period(of: &Figures) -> String {
    let from = if of.is_woken { "wake-ups" } else { "first runs after sleeps" };
    match of.pattern {
        Some(Pattern::Periodic { period, wakes, jitter }) => {
            let each = if wakes > 1 { format!(", {wakes} wake-ups a job") } else { String::new() };
            format!(
                "Period {}, estimated from {} {from}{each}; they deviate by {} at most.",
                about(period),
                of.releases,
                about(jitter)
            )
        }
        Some(Pattern::Irregular { distance }) => format!(
            "No period: the least distance, {}, is one that 95% of {} {from} keep, and no promise.",
            about(distance),
            of.releases
        ),
        None => "No period.".to_owned(),
    }
}

fn cost(of: &Figures) -> String {
    let count = of.costs.len();
    let (median, largest) = (of.median_cost().unwrap_or(0), of.costs.last().copied().unwrap_or(0));
    let startup = match of.startup_jobs {
        0 => String::new(),
        jobs => format!(" ({} of its start left out)", plural(jobs as u64, "job")),
    };
    format!(
        "Of {} seen whole{startup}, cost median {}, largest {}: if jobs are alike, 1 in {} costs more.",
        plural(count as u64, "job"),
        about(median),
        about(largest),
        count + 1
    )
}

fn preemptions(examined: &Examined, life: &Life) -> String {
    if life.preempted_by.is_empty() {
        return String::new();
    }
    let mut all: Vec<(u64, String)> = life
        .preempted_by
        .iter()
        .map(|(other, count)| {
            let other = &examined.swept.lives[*other];
            (*count, format!("{} ({}) {count}", examined.name(other), other.pid))
        })
        .collect();
    all.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let names: Vec<String> = all.into_iter().map(|(_, text)| text).collect();
    format!(" Preempted by {}.", names.join(", "))
}

fn missed(life: &Life) -> String {
    let mut text = String::new();
    if life.partial_runs > 0 {
        let runs = plural(life.partial_runs, "run");
        text += &format!(" The trace lacks the begin of {runs}.");
    }
    if life.lost_jobs > 0 {
        let jobs = plural(life.lost_jobs, "job");
        text += &format!(" Of {jobs} more, something is not in the trace: their costs do not count.");
    }
    text
}
