//! Waits of a thread, as the kernel shows them at each look: its system call and the arguments.

use schedlab_model::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Event for which a thread was found waiting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wait {
    /// A time that the thread computed: `clock_nanosleep` with `TIMER_ABSTIME`.
    Until,
    /// The end of a length of time.
    Sleep,
    /// A timerfd that is set to this interval, 0 if it expires once.
    Timer(u64),
    /// One of several descriptors, by this call: the intervals of the timers among them, and the number of the others.
    Several(&'static str, Vec<u64>, usize),
    /// A futex, of which mutexes, condition variables and joins are made.
    Futex,
    /// Data from a descriptor with this name.
    Reads(String),
    /// A signal.
    Signal,
    /// Any other system call, by number.
    Call(i64),
}

/// Observation of a thread at one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// The thread has or wants a processor, or the kernel does not show its state.
    Unknown,
    /// The thread waits, until the given time if it computed one.
    Waits(Wait, Option<u64>),
}

/// Waits in which a thread was found, over all looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waits {
    looks: usize,
    found: BTreeMap<Wait, usize>,
    until: BTreeSet<u64>,
}

/// Number of distinct times below which they may be a multiple of a period apart by chance.
const TIMES: usize = 8;
/// Finest grid of wake-up times, in ns: times that a thread computes from the clock are a few ns apart from any grid;
/// those it counts up are on one.
const FINEST_GRID: u64 = 10_000;
/// Most expiries of a timer from one wake-up to the next for which the thread's jobs follow the timer.
const MOST_SKIPPED: u64 = 4;

impl Waits {
    /// Adds one look.
    pub(crate) fn add(&mut self, look: Look) {
        self.looks += 1;
        let Look::Waits(wait, until) = look else { return };
        *self.found.entry(wait).or_default() += 1;
        self.until.extend(until);
    }

    /// Returns the most frequent wait, and the number of its looks.
    fn usual(&self) -> Option<(&Wait, usize)> {
        let all: usize = self.found.values().sum();
        let (wait, times) = self.found.iter().max_by_key(|(_, times)| **times)?;
        (times * 2 > all).then_some((wait, *times))
    }

    /// The period that the program itself states: a timer's interval, or the grid of the times until which it sleeps.
    /// `distance` is the distance of two of its wake-ups: a timer most of whose expiries are skipped gives no period.
    pub(crate) fn stated(&self, distance: u64) -> Option<u64> {
        let is_kept = |interval: &u64| distance / MOST_SKIPPED <= *interval;
        match self.usual()?.0 {
            Wait::Timer(interval) => Some(*interval).filter(is_kept),
            Wait::Several(_, timers, 0) if timers.len() == 1 => Some(timers[0]).filter(is_kept),
            Wait::Until => self.grid().filter(|grid| distance <= grid + grid / 4),
            Wait::Sleep | Wait::Several(..) | Wait::Futex | Wait::Reads(_) | Wait::Signal | Wait::Call(_) => {
                None
            }
        }
        .filter(|period| *period > 0)
    }

    /// Returns the greatest common divisor of the differences between wake-up times, in ns. `None` if there are fewer
    /// than [`TIMES`], or the divisor is below [`FINEST_GRID`].
    fn grid(&self) -> Option<u64> {
        let first = *self.until.first()?;
        let common = self.until.iter().fold(0, |common, at| gcd(common, at - first));
        (self.until.len() >= TIMES && common >= FINEST_GRID).then_some(common)
    }

    /// Describes the usual wait, how often it was seen, and what follows for the period.
    pub(crate) fn describe(&self) -> String {
        let Some((wait, times)) = self.usual() else {
            return match self.found.is_empty() {
                true => "what it waits for was not seen".to_owned(),
                false => "it waits for different things: what releases it is not known".to_owned(),
            };
        };
        format!("{} (at {times} of {} looks)", wait.describe(), self.looks)
    }
}

impl Wait {
    fn describe(&self) -> String {
        let ms = |ns: &u64| Duration::from_ns(*ns).to_string();
        match self {
            Wait::Until => "it sleeps until times that it computes (clock_nanosleep)".to_owned(),
            Wait::Sleep => {
                "it sleeps for a length of time (nanosleep), so its period is that and what a job takes"
                    .to_owned()
            }
            Wait::Timer(0) => "it reads a timer that expires once (timerfd)".to_owned(),
            Wait::Timer(interval) => format!("it reads a timer of {} (timerfd)", ms(interval)),
            Wait::Several(call, timers, others) => {
                let timers: Vec<String> =
                    timers.iter().map(|interval| format!("a timer of {}", ms(interval))).collect();
                let known =
                    if timers.is_empty() { String::new() } else { format!(": {}", timers.join(", ")) };
                let others = match (others, known.is_empty()) {
                    (0, _) => String::new(),
                    (_, true) => ", so others release it".to_owned(),
                    (others, false) => format!(" and {others} others, which may release it, too"),
                };
                format!("it waits for descriptors ({call}){known}{others}")
            }
            Wait::Futex => "another thread wakes it (futex: a mutex or a condition variable)".to_owned(),
            Wait::Reads(what) => {
                format!("it waits for data of {what} (read), so another thread or a device releases it")
            }
            Wait::Signal => "it waits for a signal (sigwait)".to_owned(),
            Wait::Call(number) => format!("it waits in system call {number}"),
        }
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Looks at the thread with this folder in `/proc`.
pub(crate) fn look(folder: &Path) -> Look {
    let read = || fs::read_to_string(folder.join("syscall")).ok();
    let Some(line) = read() else { return Look::Unknown };
    let Some((number, arguments)) = call(&line) else { return Look::Unknown };
    let [first, second, third, ..] = arguments;
    if is_sleep(number) {
        let absolute = number == libc::SYS_clock_nanosleep && second & libc::TIMER_ABSTIME as u64 != 0;
        if !absolute {
            return Look::Waits(Wait::Sleep, None);
        }
        // A thread that has gone on meanwhile may have something else there.
        let until = time_at(folder, third).filter(|_| read().as_ref() == Some(&line));
        return Look::Waits(Wait::Until, until);
    }
    Look::Waits(wait(folder, number, first), None)
}

/// Returns the system call and its first arguments; `None` for a thread that is in no system call.
fn call(line: &str) -> Option<(i64, [u64; 6])> {
    let mut words = line.split_whitespace();
    let number = words.next()?.parse().ok().filter(|number| *number >= 0)?;
    let mut arguments = [0; 6];
    for argument in &mut arguments {
        *argument = u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok()?;
    }
    Some((number, arguments))
}

fn is_sleep(number: i64) -> bool {
    [libc::SYS_clock_nanosleep, libc::SYS_nanosleep].contains(&number)
}

fn wait(folder: &Path, number: i64, first: u64) -> Wait {
    if [libc::SYS_read, libc::SYS_readv, libc::SYS_recvfrom, libc::SYS_recvmsg].contains(&number) {
        return reads(folder, first);
    }
    if let Some(name) = waits_for_several(number) {
        let epoll = fs::read_to_string(folder.join(format!("fdinfo/{first}"))).unwrap_or_default();
        let all = fields(&epoll, "tfd:").filter_map(|rest| rest.split_whitespace().next());
        let timers: Vec<Option<u64>> = all.map(|timer| interval(folder, timer)).collect();
        let others = timers.iter().filter(|timer| timer.is_none()).count();
        let others = if name == "epoll" { others } else { 1 };
        return Wait::Several(name, timers.into_iter().flatten().collect(), others);
    }
    match number {
        libc::SYS_futex => Wait::Futex,
        libc::SYS_rt_sigtimedwait => Wait::Signal,
        number => Wait::Call(number),
    }
}

#[cfg(target_arch = "x86_64")]
fn waits_for_several(number: i64) -> Option<&'static str> {
    match number {
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => Some("epoll"),
        libc::SYS_poll | libc::SYS_ppoll => Some("poll"),
        libc::SYS_select | libc::SYS_pselect6 => Some("select"),
        _ => None,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn waits_for_several(number: i64) -> Option<&'static str> {
    match number {
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => Some("epoll"),
        libc::SYS_ppoll => Some("poll"),
        libc::SYS_pselect6 => Some("select"),
        _ => None,
    }
}

/// Returns what waiting for a descriptor means: a timer, or the kernel's name of it.
fn reads(folder: &Path, descriptor: u64) -> Wait {
    let name = fs::read_link(folder.join(format!("fd/{descriptor}")))
        .map_or_else(|_| format!("descriptor {descriptor}"), |name| name.to_string_lossy().into_owned());
    match interval(folder, &descriptor.to_string()) {
        Some(interval) => Wait::Timer(interval),
        // The kernel numbers sockets and pipes; the number says nothing to a reader.
        None => Wait::Reads(match name.split_once(":[") {
            Some((kind, _)) => format!("a {kind}"),
            None => name.trim_start_matches("anon_inode:").to_owned(),
        }),
    }
}

/// Returns the interval of a timerfd.
fn interval(folder: &Path, descriptor: &str) -> Option<u64> {
    interval_in(&fs::read_to_string(folder.join("fdinfo").join(descriptor)).ok()?)
}

fn interval_in(said: &str) -> Option<u64> {
    let pair = fields(said, "it_interval:").next()?.trim().trim_matches(['(', ')']);
    let (seconds, ns) = pair.split_once(", ")?;
    Some(seconds.parse::<u64>().ok()? * 1_000_000_000 + ns.parse::<u64>().ok()?)
}

fn fields<'a>(said: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    said.lines().filter_map(move |line| line.strip_prefix(name))
}

/// Returns the time at an address of the thread's memory, in ns.
fn time_at(folder: &Path, address: u64) -> Option<u64> {
    let mut bytes = [0; 16];
    File::open(folder.join("mem")).ok()?.read_exact_at(&mut bytes, address).ok()?;
    let half = |offset: usize| u64::from_ne_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"));
    half(0).checked_mul(1_000_000_000)?.checked_add(half(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_runtime::sys;

    const MS: u64 = 1_000_000;

    fn sleeping(times: impl Iterator<Item = u64>) -> Waits {
        let mut waits = Waits::default();
        times.for_each(|at| waits.add(Look::Waits(Wait::Until, Some(at))));
        waits
    }

    /// Every second or third job of 10 ms is looked at.
    #[test]
    fn times_that_a_thread_counts_up_state_its_period() {
        let counted = sleeping((0..20).map(|look| 123 + (look * 5 / 2) * 10 * MS));
        assert_eq!(counted.stated(10 * MS), Some(10 * MS));
        assert_eq!(counted.stated(40 * MS), None, "it skips most of them");
        assert_eq!(sleeping((0..5).map(|look| look * 10 * MS)).stated(10 * MS), None, "too few");
        let from_clock = sleeping((0..20).map(|look| look * 10 * MS + look * look * 17));
        assert_eq!(from_clock.stated(10 * MS), None, "the clock has no grid");
    }

    #[test]
    fn timers_state_periods_and_what_others_release_does_not() {
        let only = |wait: Wait| {
            let mut waits = Waits::default();
            (0..10).for_each(|_| waits.add(Look::Waits(wait.clone(), None)));
            waits.stated(10 * MS)
        };
        assert_eq!(only(Wait::Timer(10 * MS)), Some(10 * MS));
        assert_eq!(only(Wait::Timer(0)), None);
        assert_eq!(only(Wait::Timer(1)), None, "it reads one expiration of millions");
        assert_eq!(only(Wait::Several("epoll", vec![5 * MS], 0)), Some(5 * MS));
        assert_eq!(only(Wait::Several("epoll", vec![5 * MS], 1)), None);
        assert_eq!(only(Wait::Futex), None);
    }

    #[test]
    fn what_the_kernel_writes_is_read() {
        let line = "230 0x1 0x1 0x7f4d58129ab0 0x0 0x0 0x0 0x7f4d58129a70 0x7f4d58e8a545\n";
        assert_eq!(call(line), Some((230, [1, 1, 0x7f4d_5812_9ab0, 0, 0, 0])));
        assert_eq!((call("running\n"), call("-1 0x7ffd 0x7f5c\n")), (None, None));
        let timer = "pos:\t0\nit_value: (0, 9935874)\nit_interval: (1, 10000000)\n";
        assert_eq!((interval_in(timer), interval_in("pos:\t0\n")), (Some(1_010 * MS), None));
        let epoll = "pos:\t0\ntfd:        3 events:       19\ntfd:        12 events:       19\n";
        let named: Vec<_> = fields(epoll, "tfd:").filter_map(|rest| rest.split_whitespace().next()).collect();
        assert_eq!(named, ["3", "12"]);
    }

    #[test]
    fn a_thread_that_sleeps_until_a_time_is_seen_to() {
        let (tell, told) = std::sync::mpsc::channel();
        // Further away than a busy machine could keep the thread from sleeping; the thread ends with the tests.
        let until = sys::monotonic_ns() + 3_600_000 * MS;
        let sleeper = std::thread::spawn(move || {
            tell.send(fs::read_link("/proc/thread-self").expect("/proc is there")).expect("it is waited for");
            sys::sleep_until(until);
        });
        let folder = Path::new("/proc").join(told.recv().expect("it tells"));
        let mut waits = Waits::default();
        while waits.until.is_empty() && !sleeper.is_finished() {
            waits.add(look(&folder));
        }
        assert_eq!(waits.until, BTreeSet::from([until]), "{waits:?}");
    }
}
