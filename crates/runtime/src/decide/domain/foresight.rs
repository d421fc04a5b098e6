//! What a processor's hardware is set for before any thread is to tell of it.
//!
//! An alarm goes off, and who decides then sets the next one. Where nothing else was set for that instant, the hardware
//! has to be set anew: twice for an alarm, since the kernel has just set it for what it knew. So what happens after
//! next is set beforehand, by timers for which no thread waits. The same holds when the alarm passes from one thread to
//! another: the hardware stays as it is.
//!
//! On a domain's only processor these timers ring themselves while a thread executes, and interrupt whichever does. So
//! an alarm does not pass between threads: one timer is set for each, and that beforehand.

use super::taker::Taker;
use crate::machine::sys::{BellSignal, FileTimer, Timer};
use schedlab_model::CpuId;

/// Timers of a domain.
#[derive(Debug)]
pub(super) struct Foresight {
    /// For which no thread waits.
    silent: Pair<FileTimer>,
    /// Those that interrupt who executes, if the domain has such.
    ring: Option<Pair<Timer>>,
    /// The processor where they are set.
    on: Option<CpuId>,
}

/// Two timers, and what each was set for last, by the monotonic clock; zero for nothing.
#[derive(Debug)]
struct Pair<T> {
    timers: Vec<T>,
    set: [u64; 2],
}

impl<T> Pair<T> {
    /// Two timers that are not set; none without room for them.
    fn new(timer: impl Fn() -> Option<T>) -> Self {
        Pair { timers: (0..2).map_while(|_| timer()).collect(), set: [0; 2] }
    }

    fn is_there(&self) -> bool {
        self.timers.len() == self.set.len()
    }

    /// Sets them for `next`, unless it is to be set `at_once` anyway, and `then`.
    fn expect(&mut self, (next, at_once): (u64, bool), then: Option<u64>, start: impl Fn(&T, u64)) {
        let [of_next, of_then] = to_set(self.set, next, then);
        for (index, due) in of_next.filter(|_| !at_once).into_iter().chain(of_then) {
            self.set[index] = due;
            start(&self.timers[index], due);
        }
    }

    /// Stops the one that is set for `due`.
    fn unset(&mut self, due: u64, stop: impl Fn(&T)) {
        if let Some(index) = self.set.iter().position(|set| *set == due) {
            self.set[index] = 0;
            stop(&self.timers[index]);
        }
    }
}

/// So soon after another instant a timer need not ring of its own, in nanoseconds.
const NEAR: u64 = 5_000;

impl Foresight {
    /// Timers that are not set; those that ring by `bell`, if there is one.
    pub(super) fn new(bell: Option<&BellSignal>) -> Self {
        let ring = bell.map(|bell| Pair::new(|| Timer::of_who_executes(bell).ok())).filter(Pair::is_there);
        Foresight { silent: Pair::new(|| FileTimer::new().ok()), ring, on: None }
    }

    /// True if they interrupt whichever thread executes.
    pub(super) fn rings(&self) -> bool {
        self.ring.is_some()
    }

    /// Something happens at `next`, which `taker` tells of, and likely at `then`, if that is known. The caller is on
    /// `cpu`, and sets an alarm there for what these timers do not tell of.
    pub(super) fn expect(&mut self, cpu: CpuId, (next, taker): (u64, Taker), then: Option<u64>) {
        if let Some(ring) = &mut self.ring {
            // What happens at nearly the same time is told of, too, when that is: one interrupt does for both.
            let then = then.filter(|then| *then > next + NEAR);
            let executes = taker == Taker::WhoExecutes;
            if !executes && self.silent.is_there() && self.silent.set[0] != next {
                self.silent.set[0] = next;
                self.silent.timers[0].set(next);
            }
            ring.expect((next, !executes), then, Timer::start);
            if !executes {
                // No thread executes that it could interrupt. Not before: the hardware stays as it is.
                ring.unset(next, Timer::stop);
            }
        } else if self.silent.is_there() {
            if self.on.replace(cpu) != Some(cpu) {
                self.silent.set = [0; 2];
            }
            // Who sleeps sets a timer only then, and stops that of the thread that has executed before.
            let at_once = matches!(taker, Taker::Runner(_));
            self.silent.expect((next, at_once), then, FileTimer::set);
        }
    }
}

/// Which timers to set for what, where they are `set` so.
fn to_set(set: [u64; 2], next: u64, then: Option<u64>) -> [Option<(usize, u64)>; 2] {
    let of_next = set.iter().position(|due| *due == next);
    let index = of_next.unwrap_or_else(|| usize::from(then == Some(set[0])));
    let other = then.filter(|then| set[1 - index] != *then);
    [of_next.is_none().then_some((index, next)), other.map(|then| (1 - index, then))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::sys;
    use schedlab_model::TaskId;

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

    const RUNNER: Taker = Taker::Runner(TaskId(0));
    const SLEEPER: Taker = Taker::Sleeper(TaskId(0));

    /// What was set on another processor does not help.
    #[test]
    fn timers_follow_who_sets_alarms() {
        let mut foresight = Foresight::new(None);
        foresight.expect(CpuId(0), (5, SLEEPER), Some(9));
        assert_eq!((foresight.on, foresight.silent.set), (Some(CpuId(0)), [5, 9]));
        foresight.expect(CpuId(0), (9, RUNNER), Some(12));
        assert_eq!(foresight.silent.set, [12, 9]);
        foresight.expect(CpuId(1), (9, RUNNER), Some(15));
        assert_eq!((foresight.on, foresight.silent.set), (Some(CpuId(1)), [0, 15]));
        foresight.expect(CpuId(1), (9, SLEEPER), Some(15));
        assert_eq!(foresight.silent.set, [9, 15]);
    }

    /// The process has as many files as it may.
    #[test]
    fn without_timers_nothing_else_is_lost() {
        let mut foresight = Foresight::new(None);
        foresight.silent.timers.clear();
        foresight.expect(CpuId(0), (5, SLEEPER), Some(9));
        assert_eq!(foresight.silent.set, [0; 2]);
    }

    extern "C" fn nothing(_: libc::c_int) {}

    /// While a thread executes, both ring, and none is set twice; an idle processor is not rung at.
    #[test]
    fn bells_of_a_processor_ring_only_while_a_thread_executes() {
        let Some(bell) = BellSignal::take(nothing) else { return };
        let mut foresight = Foresight::new(Some(&bell));
        let soon = sys::monotonic_ns() + 1_000_000_000_000;
        let rings = |foresight: &Foresight| foresight.ring.as_ref().map(|ring| ring.set);
        let at = |us: u64| soon + us * 1_000;
        assert!(foresight.rings());
        foresight.expect(CpuId(0), (at(1), Taker::WhoExecutes), Some(at(9)));
        assert_eq!((rings(&foresight), foresight.silent.set), (Some([at(1), at(9)]), [0; 2]));
        foresight.expect(CpuId(0), (at(9), Taker::WhoExecutes), Some(at(12)));
        assert_eq!(rings(&foresight), Some([at(1), at(9)]), "it is near");
        foresight.expect(CpuId(0), (at(9), Taker::WhoExecutes), Some(at(15)));
        assert_eq!(rings(&foresight), Some([at(15), at(9)]));
        foresight.expect(CpuId(0), (at(9), SLEEPER), Some(at(18)));
        assert_eq!((rings(&foresight), foresight.silent.set), (Some([at(18), 0]), [at(9), 0]));
        foresight.expect(CpuId(0), (at(18), Taker::WhoExecutes), Some(at(27)));
        assert_eq!(rings(&foresight), Some([at(18), at(27)]));
    }
}
