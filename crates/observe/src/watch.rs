//! Watches a program: its processes and threads, and what the kernel shows of them.

use crate::seen::{Seen, Thread};
use crate::waits;
use schedlab_report::files::reason;
use schedlab_runtime::{stolen_from, sys, SwitchListener};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::stderr;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

/// Interval at which the kernel's rings are read and threads looked at, in ns.
const LOOK: u64 = 20_000_000;
/// Times by which looks deviate from that interval, in turn: otherwise a thread of the same period would always be seen
/// in the same state.
const UNEVEN: [u64; 5] = [0, 1_300_000, 4_700_000, 2_900_000, 6_100_000];

/// Ends a command that goes on, as at a terminal, and waits for it.
pub(crate) fn end(mut child: Child) {
    if child.try_wait().is_ok_and(|status| status.is_none()) {
        let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        let _ = child.wait();
    }
}

/// Starts a command, if there is one. Its output goes to standard error.
pub(crate) fn start(command: &[String]) -> Result<Option<Child>, String> {
    let Some((program, rest)) = command.split_first() else { return Ok(None) };
    Command::new(program)
        .args(rest)
        .stdout(stderr())
        .spawn()
        .map(Some)
        .map_err(|error| format!("{program}: {}", reason(&error)))
}

/// Returns true if the process has not ended.
pub(crate) fn is_there(process: i32) -> bool {
    // One that has ended and that its parent has not waited for is not.
    let status = fs::read_to_string(format!("/proc/{process}/status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

/// Watches a process and all that it starts until it ends, `length` ns are over, or it is stopped.
pub(crate) fn watch(
    mut listener: SwitchListener,
    allowed: &[usize],
    root: i32,
    child: &mut Option<Child>,
    ns: u64,
    stop: &AtomicBool,
) -> Seen {
    let (begin, before) = (sys::monotonic_ns(), stolen_from(allowed));
    let mut seen = Seen { begin, ..Seen::default() };
    let mut processes = BTreeSet::from([root]);
    let mut uneven = UNEVEN.iter().cycle();
    loop {
        look(&mut processes, &mut seen.threads);
        let ended = match child {
            Some(child) => child.try_wait().is_ok_and(|status| status.is_some()),
            None => !is_there(root),
        };
        listener.read();
        seen.switches
            .extend(listener.take().into_iter().filter(|switch| processes.contains(&switch.process)));
        if ended || stop.load(SeqCst) || sys::monotonic_ns() >= begin + ns {
            break;
        }
        sys::sleep_until(sys::monotonic_ns() + LOOK + uneven.next().expect("it has no end"));
    }
    let (rest, lost) = listener.finish();
    seen.end = sys::monotonic_ns();
    seen.processors = allowed.to_vec();
    seen.stolen = before.zip(stolen_from(allowed)).map(|(before, after)| after.saturating_sub(before));
    seen.switches.extend(rest.into_iter().filter(|switch| processes.contains(&switch.process)));
    seen.switches.sort_by_key(|switch| (switch.at, switch.to));
    seen.lost = lost;
    seen
}

/// Finds the processes that these have started, and looks at all their threads.
fn look(processes: &mut BTreeSet<i32>, threads: &mut BTreeMap<i32, Thread>) {
    let mut found: Vec<i32> = processes.iter().copied().collect();
    while let Some(process) = found.pop() {
        for entry in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
            let Ok(thread) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
            let folder = entry.path();
            look_at(threads, thread, &folder);
            let children = fs::read_to_string(folder.join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|word| word.parse().ok()) {
                if processes.insert(child) {
                    found.push(child);
                }
            }
        }
    }
}

/// Looks at a thread. A thread that ends gives its priority and processors back, so it keeps those that it had before.
fn look_at(threads: &mut BTreeMap<i32, Thread>, thread: i32, folder: &Path) {
    let read = |file| fs::read_to_string(folder.join(file)).unwrap_or_default();
    let name = read("comm").trim().to_owned();
    if name.is_empty() {
        return;
    }
    let known = threads.entry(thread).or_default();
    known.name = name;
    known.priority = own_priority(known.priority, sys::priority_of(thread).unwrap_or(0));
    let status = read("status");
    if let Some(list) = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")) {
        known.processors = numbers(list);
    }
    // Time on a processor, time waiting for one, and how often.
    if let Some(delay) = read("schedstat").split_whitespace().nth(1).and_then(|word| word.parse().ok()) {
        known.delay = Some((known.delay.map_or(delay, |(first, _)| first), delay));
    }
    known.waits.add(waits::look(folder));
}

/// Returns the real-time priority that a thread has outside its sections, 0 if it has none: the least that was seen.
/// While it holds a mutex with `PTHREAD_PRIO_PROTECT`, it has the ceiling; and none before its program sets it.
fn own_priority(known: u8, seen: u8) -> u8 {
    match (known, seen) {
        (0, other) | (other, 0) => other,
        (known, seen) => known.min(seen),
    }
}

/// Reads the numbers of a list such as `0-2,5`.
fn numbers(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread of 97 that is seen before it has a priority, in a section under the ceiling 98, and when it ends.
    #[test]
    fn a_ceiling_is_not_the_own_priority() {
        assert_eq!([0, 97, 98, 97, 0].into_iter().fold(0, own_priority), 97);
        assert_eq!([0, 98, 97, 0].into_iter().fold(0, own_priority), 97);
        assert_eq!([0, 0].into_iter().fold(0, own_priority), 0);
    }

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(numbers("\t0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(numbers("3"), [3]);
    }
}
