//! What the scheduler's events say: by the names of their fields, as the kernel prints them, or in the words of the
//! plugins of `trace-cmd` and perf, `name:12 [120] S ==> other:13 [19]`.
//!
//! A name may hold anything, also what follows it elsewhere. So a field is found by its name and by those after it,
//! which no name is long enough to hold. What follows the last known field belongs to some vendor, and is left alone.

use crate::event::{leaving_by_letters, Leaving, LARGEST_CPU, LARGEST_PID};
use crate::text::line::number;
use memchr::memmem::{find, find_iter, rfind_iter};

/// A thread in an event: its number, its name and its kernel priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thread<'a> {
    pub(crate) pid: u32,
    pub(crate) name: &'a [u8],
    pub(crate) priority: i16,
}

/// Reads `sched_switch`: the thread that leaves, how it leaves, and the thread that comes.
pub(crate) fn switch(text: &[u8]) -> Option<(Thread<'_>, Leaving, Thread<'_>)> {
    let Some(fields) = text.strip_prefix(b"prev_comm=") else { return plugin_switch(text) };
    let (from, rest) = named(fields, b" prev_pid=", b" prev_prio=")?;
    let rest = rest.strip_prefix(b" prev_state=")?;
    let end = rest.iter().position(u8::is_ascii_whitespace)?;
    let leaving = leaving_by_letters(&rest[..end])?;
    let rest = rest[end..].trim_ascii_start();
    let rest = rest.strip_prefix(b"==> ").unwrap_or(rest);
    let (to, _) = named(rest.strip_prefix(b"next_comm=")?, b" next_pid=", b" next_prio=")?;
    Some((from, leaving, to))
}

/// Returns whether an event of an old kernel says that it woke no thread.
pub(crate) fn failed(text: &[u8]) -> bool {
    find(text, b" success=0").is_some()
}

/// Reads `sched_wakeup`, `sched_wakeup_new` or `sched_waking`: the thread, and its processor if that is stated.
pub(crate) fn wake(text: &[u8]) -> Option<(Thread<'_>, Option<u16>)> {
    let (thread, rest) = match text.strip_prefix(b"comm=") {
        Some(fields) => named(fields, b" pid=", b" prio=")?,
        None => plugin_thread(text)?,
    };
    let after = |key: &[u8]| {
        find(rest, key).and_then(|place| number(&rest[place + key.len()..])).map(|(value, _)| value)
    };
    let target = after(b" target_cpu=").or_else(|| after(b" CPU:"));
    let target = match target {
        Some(cpu) => Some(u16::try_from(cpu).ok().filter(|cpu| *cpu <= LARGEST_CPU)?),
        None => None,
    };
    Some((thread, target))
}

/// Reads `sched_migrate_task`: the thread's number, and both processors.
pub(crate) fn moved(text: &[u8]) -> Option<(u32, u16, u16)> {
    let (thread, rest) = named(text.strip_prefix(b"comm=")?, b" pid=", b" prio=")?;
    let cpu = |key: &[u8]| {
        let (cpu, _) = number(&rest[find(rest, key)? + key.len()..])?;
        u16::try_from(cpu).ok().filter(|cpu| *cpu <= LARGEST_CPU)
    };
    Some((thread.pid, cpu(b" orig_cpu=")?, cpu(b" dest_cpu=")?))
}

/// Reads `sched_pi_setprio`: the thread's number, and its priority before and after.
pub(crate) fn inherits(text: &[u8]) -> Option<(u32, i16, i16)> {
    let fields = text.strip_prefix(b"comm=")?;
    let (thread, rest) = named(fields, b" pid=", b" oldprio=")?;
    let (new, _) = priority(rest.strip_prefix(b" newprio=")?)?;
    Some((thread.pid, thread.priority, new))
}

/// Reads how many events perf lost, from `lost 65`.
pub(crate) fn lost(text: &[u8]) -> Option<u64> {
    let (lost, _) = number(text.strip_prefix(b"lost ")?.trim_ascii_start())?;
    Some(lost)
}

/// Reads a name, and the number and the priority behind their keys.
fn named<'a>(text: &'a [u8], pid_key: &[u8], priority_key: &[u8]) -> Option<(Thread<'a>, &'a [u8])> {
    find_iter(text, pid_key).find_map(|place| {
        let (pid, rest) = pid(&text[place + pid_key.len()..])?;
        let (priority, rest) = priority(rest.strip_prefix(priority_key)?)?;
        Some((Thread { pid, name: &text[..place], priority }, rest))
    })
}

fn plugin_switch(text: &[u8]) -> Option<(Thread<'_>, Leaving, Thread<'_>)> {
    const ARROW: &[u8] = b" ==> ";
    find_iter(text, ARROW).find_map(|place| {
        let (from, state) = plugin_thread(&text[..place])?;
        let leaving = leaving_by_letters(state.trim_ascii())?;
        let (to, _) = plugin_thread(&text[place + ARROW.len()..])?;
        Some((from, leaving, to))
    })
}

/// Reads `name:12 [120]`: the number is behind the last colon.
fn plugin_thread(text: &[u8]) -> Option<(Thread<'_>, &[u8])> {
    rfind_iter(text, b":").find_map(|place| {
        let (pid, rest) = pid(&text[place + 1..])?;
        let (priority, rest) = priority(rest.strip_prefix(b" [")?)?;
        Some((Thread { pid, name: &text[..place], priority }, rest.strip_prefix(b"]")?))
    })
}

fn pid(text: &[u8]) -> Option<(u32, &[u8])> {
    let (pid, rest) = number(text)?;
    let pid = u32::try_from(pid).ok().filter(|pid| *pid <= LARGEST_PID)?;
    Some((pid, rest))
}

fn priority(text: &[u8]) -> Option<(i16, &[u8])> {
    let (sign, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (value, rest) = number(digits)?;
    Some((sign * i16::try_from(value).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(pid: u32, name: &str, priority: i16) -> Thread<'_> {
        Thread { pid, name: name.as_bytes(), priority }
    }

    #[test]
    fn switches_are_read_in_all_forms() {
        let from = thread(5, "a b", 19);
        for (text, leaving) in [
            ("prev_comm=a b prev_pid=5 prev_prio=19 prev_state=S ==> next_comm=c next_pid=6 next_prio=-1", Leaving::Asleep),
            ("prev_comm=a b prev_pid=5 prev_prio=19 prev_state=R+ ==> next_comm=c next_pid=6 next_prio=-1 next_info=1,2", Leaving::Ready),
            ("prev_comm=a b prev_pid=5 prev_prio=19 prev_state=256 next_comm=c next_pid=6 next_prio=-1", Leaving::Ready),
            ("a b:5 [19] X ==> c:6 [-1]", Leaving::Gone),
        ] {
            assert_eq!(switch(text.as_bytes()), Some((from, leaving, thread(6, "c", -1))), "{text}");
        }
    }

    #[test]
    fn names_may_hold_what_follows_them() {
        let text = b"prev_comm=x prev_pid=9 prev_pid=5 prev_prio=1 prev_state=S ==> next_comm== ==> a next_pid=6 next_prio=2";
        let found = switch(text).unwrap();
        assert_eq!((found.0, found.2), (thread(5, "x prev_pid=9", 1), thread(6, "= ==> a", 2)));
        let found = switch(b"kworker/1:0:23 [120] W ==> a ==> b:7 [120]").unwrap();
        assert_eq!((found.0.name, found.0.pid, found.2.name), (&b"kworker/1:0"[..], 23, &b"a ==> b"[..]));
    }

    #[test]
    fn wakes_moves_and_inheritance_are_read() {
        let fast = thread(8812, "fast", 19);
        for text in [
            "comm=fast pid=8812 prio=19 target_cpu=003",
            "fast:8812 [19] CPU:003",
            "fast:8812 [19] success=1 CPU:003",
        ] {
            assert_eq!(wake(text.as_bytes()), Some((fast, Some(3))), "{text}");
        }
        assert!(
            failed(b"comm=fast pid=8812 prio=19 success=0 target_cpu=003") && !failed(b"comm=a success=1")
        );
        assert_eq!(wake(b"comm=fast pid=8812 prio=19"), Some((fast, None)));
        assert_eq!(moved(b"comm=hog pid=9 prio=54 orig_cpu=0 dest_cpu=1"), Some((9, 0, 1)));
        assert_eq!(inherits(b"comm=lo pid=8 oldprio=79 newprio=19"), Some((8, 79, 19)));
    }

    #[test]
    fn halves_are_not_read() {
        let whole = "prev_comm=a prev_pid=5 prev_prio=19 prev_state=S ==> next_comm=c next_pid=6 next_prio=";
        for end in 0..whole.len() {
            assert_eq!(switch(&whole.as_bytes()[..end]), None, "{}", &whole[..end]);
        }
        assert_eq!(wake(b"comm=a pid=99999999 prio=1"), None, "no thread has this number");
        assert_eq!(wake(b"comm=a pid=1 prio=99999"), None);
    }
}
