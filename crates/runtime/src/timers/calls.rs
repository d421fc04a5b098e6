//! Calls by which threads release the jobs of event-driven tasks, at any time.
//!
//! A call takes no lock: it writes the job's arrival into one word, and wakes a thread above the tasks that reports it
//! to the engine, as an interrupt would. So a call may come from an ordinary thread, from another task's job, or from a
//! handler of signals. It never waits, and the engine never waits for it.
//!
//! The word also keeps jobs apart by the task's period, the least distance of its arrivals. A call that comes too early
//! has its job arrive when the distance is kept. One job waits in this way: calls that come meanwhile are refused. (The
//! Real-Time Specification for Java calls these rules SAVE, with a queue of one arrival.)

use crate::machine::owner::Owner;
use crate::machine::sys;
use crate::record::call_counts::CallCounts;
use schedlab_model::{Instant, Task};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Arc, OnceLock};

/// The bit of the word that says that the engine knows of the arrival in the other bits.
const TAKEN: u64 = 1;
/// The word before the first call.
const NO_CALL: u64 = u64::MAX;
/// The word once no job of the task arrives any more.
const CLOSED: u64 = u64::MAX - 2;
/// The latest arrival that the word can hold, some 146 years away: it never comes.
const LATEST: u64 = u64::MAX >> 2;
/// The time zero of a run that has not begun.
const NOT_YET: u64 = u64::MAX;

/// The answer to a call that is to release a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    /// The job arrives now, at this instant. If the engine decided something else at that very moment, it arrives just
    /// after it.
    Now(Instant),
    /// The call comes too early after the task's last arrival: the job arrives at this instant.
    Delayed(Instant),
    /// The job of an earlier call is still to arrive: this call releases none.
    Refused,
    /// The run has not begun or is over, the task has left, or the caller is a forked child: the call releases none.
    NotRunning,
}

/// The source of the events that release a task's jobs. Clones are the same source, for as many threads as need one.
#[derive(Clone, Debug)]
pub struct EventSource(Arc<Calls>);

/// The state behind an [`EventSource`].
#[derive(Debug)]
struct Calls {
    owner: Owner,
    /// The time of the monotonic clock at the run's time zero, in nanoseconds.
    zero: AtomicU64,
    /// The last arrival that a call has asked for, shifted by one bit, and [`TAKEN`].
    word: AtomicU64,
    run: OnceLock<InRun>,
    calls: AtomicU64,
    delayed: AtomicU64,
    refused: AtomicU64,
}

/// The facts of the run that calls are answered by.
#[derive(Debug)]
struct InRun {
    /// The least distance of two arrivals, in nanoseconds.
    period: u64,
    /// The earliest arrival of all, in nanoseconds from time zero.
    first: u64,
    bell: Arc<Bell>,
}

/// The bell that wakes the thread which reports calls to the engine.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    rung: AtomicU32,
}

impl Bell {
    /// Wakes the thread that waits for the bell.
    pub(crate) fn ring(&self) {
        self.rung.fetch_add(1, SeqCst);
        sys::futex_wake(&self.rung);
    }

    /// Waits until the bell has rung since it was `heard`, or the run is `over`: then false.
    pub(crate) fn wait(&self, heard: &mut u32, over: &AtomicBool) -> bool {
        loop {
            if over.load(SeqCst) {
                return false;
            }
            let rung = self.rung.load(SeqCst);
            if std::mem::replace(heard, rung) != rung {
                return true;
            }
            sys::futex_wait(&self.rung, rung, None);
        }
    }
}

impl Default for EventSource {
    fn default() -> Self {
        EventSource(Arc::new(Calls {
            owner: Owner::this(),
            zero: AtomicU64::new(NOT_YET),
            word: AtomicU64::new(NO_CALL),
            run: OnceLock::new(),
            calls: AtomicU64::default(),
            delayed: AtomicU64::default(),
            refused: AtomicU64::default(),
        }))
    }
}

impl EventSource {
    /// Releases the task's next job, as early as its period allows. Any thread may call this at any time, a signal's
    /// handler included: it takes no lock and never waits.
    pub fn release(&self) -> Released {
        let calls = &*self.0;
        let begun = calls.run.get().filter(|_| calls.owner.is_this());
        let now = || sys::monotonic_ns().checked_sub(calls.zero.load(SeqCst));
        let (Some(run), Some(now)) = (begun, now()) else { return Released::NotRunning };
        let answer = calls.ask(run, now);
        let count = match answer {
            Released::Now(_) => None,
            Released::Delayed(_) => Some(&calls.delayed),
            Released::Refused => Some(&calls.refused),
            Released::NotRunning => return answer,
        };
        calls.calls.fetch_add(1, SeqCst);
        count.inspect(|count| _ = count.fetch_add(1, SeqCst));
        if answer != Released::Refused {
            run.bell.ring();
        }
        answer
    }

    /// The numbers of calls so far.
    pub fn counts(&self) -> CallCounts {
        let number = |count: &AtomicU64| count.load(SeqCst);
        let Calls { calls, delayed, refused, .. } = &*self.0;
        CallCounts { calls: number(calls), delayed: number(delayed), refused: number(refused) }
    }

    /// Prepares the source for a run in which it releases `task`, whose calls `bell` reports.
    pub(crate) fn prepare(&self, task: &Task, bell: &Arc<Bell>) {
        let run = InRun {
            period: task.period.as_ns(),
            first: task.offset.max(task.join).as_ns(),
            bell: Arc::clone(bell),
        };
        self.0.run.set(run).expect("a source belongs to one run");
    }

    /// Begins the run, at whose time zero the monotonic clock shows `zero` nanoseconds: calls are heard from then on.
    pub(crate) fn start_at(&self, zero: u64) {
        self.0.zero.store(zero, SeqCst);
    }

    /// Ends the run: calls are not heard any more.
    pub(crate) fn close(&self) {
        self.0.zero.store(NOT_YET, SeqCst);
    }

    /// True if a job was asked for of which the engine does not know yet.
    pub(crate) fn is_waiting(&self) -> bool {
        self.0.word.load(SeqCst) & TAKEN == 0
    }

    /// Takes the arrival that was asked for, if there is one, and has `arrive` report it to the engine: that returns
    /// the arrival as it was decided, or none if no job arrives any more. The caller is the thread at the engine.
    pub(crate) fn take(&self, arrive: impl FnOnce(Instant) -> Option<Instant>) {
        let word = self.0.word.load(SeqCst);
        if word & TAKEN != 0 {
            return;
        }
        // No call changes a word that was not taken.
        let decided = arrive(Instant::from_ns(word >> 1));
        self.0.word.store(decided.map_or(CLOSED, |at| at.as_ns() << 1 | TAKEN), SeqCst);
    }
}

impl Calls {
    /// Answers a call at `now`, and writes down which job it releases.
    fn ask(&self, run: &InRun, now: u64) -> Released {
        loop {
            let word = self.word.load(SeqCst);
            let earliest = match word {
                CLOSED => return Released::NotRunning,
                NO_CALL => run.first,
                _ if word & TAKEN == 0 || word >> 1 > now => return Released::Refused,
                _ => (word >> 1).saturating_add(run.period),
            };
            let arrival = now.max(earliest).min(LATEST);
            if self.word.compare_exchange(word, arrival << 1, SeqCst, SeqCst).is_ok() {
                let at = Instant::from_ns(arrival);
                return if arrival > now { Released::Delayed(at) } else { Released::Now(at) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Work};

    /// A source of a task with a period of 10 ns from 5 ns on, in a run that has begun.
    fn source() -> EventSource {
        let task =
            Task { offset: Instant::from_ns(5), ..Task::implicit(Work::from_ns(1), Duration::from_ns(10)) };
        let source = EventSource::default();
        source.prepare(&task, &Arc::default());
        source
    }

    fn ask(source: &EventSource, now: u64) -> Released {
        source.0.ask(source.0.run.get().unwrap(), now)
    }

    fn ns(ns: u64) -> Instant {
        Instant::from_ns(ns)
    }

    #[test]
    fn early_calls_are_delayed_to_the_period_and_refused_while_one_waits() {
        let source = source();
        assert_eq!(ask(&source, 3), Released::Delayed(ns(5)), "no arrival lies before the offset");
        assert_eq!(ask(&source, 4), Released::Refused, "the engine does not know of the first yet");
        source.take(Some);
        assert_eq!(ask(&source, 4), Released::Refused, "the first is still to arrive");
        assert_eq!(ask(&source, 5), Released::Delayed(ns(15)));
        source.take(Some);
        assert_eq!(ask(&source, 14), Released::Refused);
        assert_eq!(ask(&source, 25), Released::Now(ns(25)), "the distance is kept exactly");
        source.take(Some);
        assert_eq!(ask(&source, 90), Released::Now(ns(90)));
    }

    /// The engine may have decided something after the call: the distance counts from the arrival as it decided.
    #[test]
    fn the_distance_counts_from_the_arrival_that_was_decided() {
        let source = source();
        assert_eq!(ask(&source, 20), Released::Now(ns(20)));
        assert!(source.is_waiting());
        source.take(|at| Some(at + Duration::from_ns(3)));
        assert!(!source.is_waiting());
        source.take(|_| panic!("it was taken"));
        assert_eq!(ask(&source, 31), Released::Delayed(ns(33)));
    }

    #[test]
    fn calls_outside_of_the_run_release_nothing() {
        let source = source();
        assert_eq!(source.release(), Released::NotRunning, "it has not begun");
        source.start_at(0);
        assert!(matches!(source.release(), Released::Now(_)));
        assert_eq!(source.release(), Released::Refused);
        assert_eq!(source.counts(), CallCounts { calls: 2, delayed: 0, refused: 1 });
        source.take(|_| None);
        assert_eq!(source.release(), Released::NotRunning, "no job arrives any more");
        source.close();
        assert_eq!(source.release(), Released::NotRunning);
        assert_eq!(source.counts().calls, 2, "calls outside of the run do not count");
        assert_eq!(EventSource::default().release(), Released::NotRunning, "it is in no run");
    }

    /// Four threads call as often as they can: the arrivals keep their distance, and each call has one answer.
    #[test]
    fn calls_of_many_threads_keep_their_distance() {
        let task = Task::implicit(Work::from_ns(1), Duration::from_us(20));
        let (source, over) = (EventSource::default(), AtomicBool::new(false));
        source.prepare(&task, &Arc::default());
        source.start_at(sys::monotonic_ns());
        let (mut arrivals, mut released) = (Vec::new(), 0);
        std::thread::scope(|scope| {
            let call = || {
                let (mut calls, mut released) = (0_u64, 0_usize);
                while !over.load(SeqCst) {
                    calls += 1;
                    released += usize::from(source.release() != Released::Refused);
                }
                (calls, released)
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(call)).collect();
            while arrivals.len() < 200 {
                source.take(|at| {
                    arrivals.push(at);
                    Some(at)
                });
            }
            over.store(true, SeqCst);
            let all: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            released += all.iter().map(|(_, released)| released).sum::<usize>();
            let counts = source.counts();
            assert_eq!(counts.calls, all.iter().map(|(calls, _)| calls).sum::<u64>());
            assert_eq!(counts.calls - counts.refused, released as u64);
        });
        assert!(arrivals.windows(2).all(|pair| pair[1] - pair[0] >= Duration::from_us(20)));
        assert_eq!(released, arrivals.len() + usize::from(source.is_waiting()));
    }

    #[test]
    fn a_bell_that_rang_before_is_heard_and_the_end_wakes() {
        let (bell, over, mut heard) = (Bell::default(), AtomicBool::new(false), 0);
        bell.ring();
        bell.ring();
        assert!(bell.wait(&mut heard, &over), "twice is once");
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| while bell.wait(&mut heard, &over) {});
            sys::sleep_until(sys::monotonic_ns() + 5_000_000);
            over.store(true, SeqCst);
            bell.ring();
            sleeper.join().unwrap();
        });
    }
}
