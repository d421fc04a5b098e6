//! What a processor's hardware is set for before any thread is to tell of it.
//!
//! An alarm goes off, and who decides then sets the next one. Where nothing else was set for that instant, the hardware
//! has to be set anew: twice for an alarm, since the kernel has just set it for what it knew. So what happens after
//! next is set beforehand, by timers for which no thread waits. The same holds when the alarm passes from one thread to
//! another: the hardware stays as it is.

use crate::machine::sys::FileTimer;
use schedlab_model::CpuId;

/// Two timers of a domain.
#[derive(Debug)]
pub(super) struct Foresight {
    timers: Vec<FileTimer>,
    /// The processor where they are set.
    on: Option<CpuId>,
    /// What each was set for last, by the monotonic clock.
    set: [u64; 2],
}

impl Foresight {
    /// Two timers that are not set; none without room for them.
    pub(super) fn new() -> Self {
        Foresight { timers: (0..2).map_while(|_| FileTimer::new().ok()).collect(), on: None, set: [0; 2] }
    }

    /// Something happens at `next`, and likely at `then`, if that is known: the caller, who is on `cpu`, sets an alarm
    /// there for it. If it does so `at_once`, it need not be set beforehand.
    pub(super) fn expect(&mut self, cpu: CpuId, (next, at_once): (u64, bool), then: Option<u64>) {
        if self.timers.len() < self.set.len() {
            return;
        }
        if self.on.replace(cpu) != Some(cpu) {
            self.set = [0; 2];
        }
        let [of_next, of_then] = to_set(self.set, next, then);
        for (at, due) in of_next.filter(|_| !at_once).into_iter().chain(of_then) {
            self.set[at] = due;
            self.timers[at].set(due);
        }
    }
}

/// Which timers to set for what, where they are `set` so.
fn to_set(set: [u64; 2], next: u64, then: Option<u64>) -> [Option<(usize, u64)>; 2] {
    let of_next = set.iter().position(|due| *due == next);
    let at = of_next.unwrap_or_else(|| usize::from(then == Some(set[0])));
    let other = then.filter(|then| set[1 - at] != *then);
    [of_next.is_none().then_some((at, next)), other.map(|then| (1 - at, then))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_is_set_only_for_what_no_timer_is_set_for() {
        let cases = [
            // Both are set: nothing, whichever it is.
            ([5, 9], 5, Some(9), [None, None]),
            ([9, 5], 5, Some(9), [None, None]),
            // What was next has happened: its timer takes what comes after the other one.
            ([5, 9], 9, Some(12), [None, Some((0, 12))]),
            ([9, 5], 9, Some(12), [None, Some((1, 12))]),
            // Something comes in between.
            ([5, 9], 3, Some(5), [Some((1, 3)), None]),
            ([9, 5], 3, Some(5), [Some((0, 3)), None]),
            // Nothing is known of later.
            ([5, 9], 9, None, [None, None]),
            ([5, 9], 12, None, [Some((0, 12)), None]),
            // Nothing is set.
            ([0, 0], 5, Some(9), [Some((0, 5)), Some((1, 9))]),
        ];
        for (set, next, then, expected) in cases {
            assert_eq!(to_set(set, next, then), expected, "{set:?}, {next} and {then:?}");
        }
    }

    /// What was set on another processor does not help.
    #[test]
    fn timers_follow_who_sets_alarms() {
        let mut foresight = Foresight::new();
        foresight.expect(CpuId(0), (5, false), Some(9));
        assert_eq!((foresight.on, foresight.set), (Some(CpuId(0)), [5, 9]));
        foresight.expect(CpuId(0), (9, true), Some(12));
        assert_eq!(foresight.set, [12, 9]);
        foresight.expect(CpuId(1), (9, true), Some(15));
        assert_eq!((foresight.on, foresight.set), (Some(CpuId(1)), [0, 15]));
        foresight.expect(CpuId(1), (9, false), Some(15));
        assert_eq!(foresight.set, [9, 15]);
    }

    /// The process has as many files as it may.
    #[test]
    fn without_timers_nothing_else_is_lost() {
        let mut foresight = Foresight { timers: Vec::new(), ..Foresight::new() };
        foresight.expect(CpuId(0), (5, false), Some(9));
        assert_eq!(foresight.set, [0; 2]);
    }
}
