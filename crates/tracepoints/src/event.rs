//! Events of the scheduler's tracepoints, whatever tool wrote them.

/// The largest number of a thread that Linux gives (`PID_MAX_LIMIT` of 64-bit kernels).
pub(crate) const LARGEST_PID: u32 = 4 * 1024 * 1024;

/// Largest number of a processor that is believed: Linux has at most 8,192 of them.
pub(crate) const LARGEST_CPU: u16 = 8_191;

/// A thread as an event names it: its number, its name by the table of names, and its kernel priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The kernel's number of the thread; 0 is the idle thread of any processor, whatever its name and priority are.
    pub(crate) pid: u32,
    /// Place of the name in the table of names.
    pub(crate) name: u32,
    /// Kernel priority: smaller is more urgent, -1 is a deadline thread's.
    pub(crate) priority: i16,
}

/// State in which a thread leaves its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// The thread is ready to go on.
    Ready,
    /// The thread waits for something.
    Asleep,
    /// The thread has ended.
    Gone,
}

/// Event that wakes a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// `sched_waking`: the thread is being woken; its processor is the one that it had.
    Waking,
    /// `sched_wakeup`: the thread is in the queue of its processor.
    Wakeup,
    /// `sched_wakeup_new`: the thread has been made, and waits for a processor for the first time.
    New,
}

/// Content of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The processor goes from one thread to another one.
    Switch { from: Named, to: Named, leaving: Leaving },
    /// The processor goes to a thread, from one that the trace does not name.
    Arrives { to: Named },
    /// A thread is woken, for the queue of a processor.
    Woken { thread: Named, target: u16, wake: Wake },
    /// A thread goes to the queue of another processor.
    Moved { pid: u32, from: u16, to: u16 },
    /// The thread `by` changes the priority of another one, because of a mutex with priority inheritance.
    Inherits { pid: u32, old: i16, new: i16, by: Option<u32> },
    /// Events of the processor are missing from here on.
    HoleBegins,
    /// Events of the processor are there again; this many are missing, if that is known.
    HoleEnds { lost: Option<u64> },
}

/// An event of a processor, at a stamp of the trace's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Stamp of the event: nanoseconds, if the unit is known.
    pub(crate) at: u64,
    /// Processor on which the event was recorded.
    pub(crate) cpu: u16,
    /// Content of the event.
    pub(crate) what: What,
}

/// Class of a thread, by its kernel priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// `SCHED_DEADLINE`: it has no fixed priority.
    Deadline,
    /// `SCHED_FIFO` or `SCHED_RR`, with this real-time priority: 99 is the most urgent one.
    RealTime(u8),
    /// A class without real-time priority, with this nice value.
    Ordinary(i16),
    /// A priority that no class of Linux has.
    Unknown(i16),
}

impl Urgency {
    /// The class of a thread other than the idle one.
    pub(crate) fn of(priority: i16) -> Self {
        match priority {
            -1 => Urgency::Deadline,
            0..=98 => Urgency::RealTime((99 - priority) as u8),
            100..=139 => Urgency::Ordinary(priority - 120),
            other => Urgency::Unknown(other),
        }
    }
}

/// Reads the number of a thread's state, whose values depend on the kernel.
///
/// Low bits are reasons to sleep. A thread that is preempted has a bit above all of them: 256 in kernels since 4.14,
/// and 1024, 2048 or 4096 before.
pub(crate) fn leaving_by_number(state: u64) -> Leaving {
    /// `EXIT_DEAD` and `EXIT_ZOMBIE`, in either order.
    const ENDED: u64 = 16 | 32;
    match state {
        0 | 256 | 1024 | 2048 | 4096 => Leaving::Ready,
        state if state & ENDED != 0 => Leaving::Gone,
        _ => Leaving::Asleep,
    }
}

/// Reads the letters of a thread's state. A plus marks a preempted thread. Bits without a letter are hexadecimal
/// numbers. Tools use different letters for the two states of a thread that has ended, `X`, `Z` and `x`.
pub(crate) fn leaving_by_letters(state: &[u8]) -> Option<Leaving> {
    let (state, is_preempted) = match state.strip_suffix(b"+") {
        Some(rest) => (rest, true),
        None => (state, false),
    };
    let mut found = Leaving::Ready;
    for part in state.split(|byte| *byte == b'|') {
        let one = match part {
            b"R" => Leaving::Ready,
            b"X" | b"Z" | b"x" => Leaving::Gone,
            [letter] if letter.is_ascii_alphabetic() => Leaving::Asleep,
            number => leaving_by_number(number_of_state(number)?),
        };
        found = match (found, one) {
            (Leaving::Gone, _) | (_, Leaving::Gone) => Leaving::Gone,
            (Leaving::Asleep, _) | (_, Leaving::Asleep) => Leaving::Asleep,
            (Leaving::Ready, Leaving::Ready) => Leaving::Ready,
        };
    }
    Some(if is_preempted { Leaving::Ready } else { found })
}

fn number_of_state(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_by_letters_and_numbers_of_all_kernels() {
        let read = |text: &str| leaving_by_letters(text.as_bytes());
        for ready in ["R", "R+", "0", "256", "1024", "2048", "4096", "0x100", "0x0", "R|0x100", "S+"] {
            assert_eq!(read(ready), Some(Leaving::Ready), "{ready}");
        }
        for asleep in
            ["S", "D", "T", "t", "I", "W", "P", "D|K", "D|W", "S|0x400", "1", "2", "0x402", "130", "64"]
        {
            assert_eq!(read(asleep), Some(Leaving::Asleep), "{asleep}");
        }
        for gone in ["X", "Z", "x", "16", "32", "Z|0x100"] {
            assert_eq!(read(gone), Some(Leaving::Gone), "{gone}");
        }
        for wrong in ["", "RR", "S|", "0xg", "-1"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn priorities_are_those_that_users_give() {
        let expected = [
            (-1, Urgency::Deadline),
            (0, Urgency::RealTime(99)),
            (98, Urgency::RealTime(1)),
            (99, Urgency::Unknown(99)),
            (100, Urgency::Ordinary(-20)),
            (120, Urgency::Ordinary(0)),
            (139, Urgency::Ordinary(19)),
            (140, Urgency::Unknown(140)),
        ];
        for (priority, urgency) in expected {
            assert_eq!(Urgency::of(priority), urgency, "{priority}");
        }
    }
}
