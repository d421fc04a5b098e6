//! Sections once a run is over: an ordinary lock with a time-out.
//!
//! No engine says any more who may hold what, and all threads execute. Those in sections come to the ends of these. A
//! section that begins from then on waits until no other thread is in one. A thread that is in a section and asks for
//! a nested one waits until no other thread holds that. A thread that was not heard of since the end may be in any.
//!
//! The run's own thread keeps the time ([`Shutdown::is_stuck`]). Once it has closed the lock, those that wait never go on:
//! so threads that wait for each other do not keep the run from its end.

use crate::machine::sys;
use schedlab_model::{ResourceId, TaskId};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Where others must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exclusion {
    NonPreemptive,
    On(ResourceId),
}

/// What is known of a task's thread since the end.
#[derive(Debug)]
enum Known {
    /// It executes, and may be in sections that it began before.
    Nothing,
    /// It executes, and is in these.
    Executes(Vec<Exclusion>),
    /// It waits for another section, and is in these.
    Waits(Vec<Exclusion>),
    Returned,
}

/// Times are the monotonic clock's, in nanoseconds.
#[derive(Debug)]
struct State {
    /// By task.
    threads: Vec<Known>,
    processors: usize,
    /// When all threads were let go.
    began: u64,
    /// When a thread was last heard of.
    heard: u64,
    /// No section begins any more.
    closed: bool,
}

impl State {
    fn may_begin(&self, task: TaskId, held: &[Exclusion], wanted: Exclusion) -> bool {
        let is_apart = |known: &Known| match known {
            Known::Nothing => false,
            Known::Executes(theirs) | Known::Waits(theirs) if held.is_empty() => theirs.is_empty(),
            Known::Executes(theirs) | Known::Waits(theirs) => !theirs.contains(&wanted),
            Known::Returned => true,
        };
        let (before, after) = self.threads.split_at(task.index());
        let mut others = before.iter().chain(&after[1..]);
        !self.closed && (held.contains(&wanted) || others.all(is_apart))
    }

    fn hear(&mut self, task: TaskId, known: Known, now: u64) {
        self.threads[task.index()] = known;
        self.heard = now;
    }

    /// True if no thread was heard of for `grace`, or for as often that as those that execute share each processor; or
    /// if threads go on for that long each, one after the other.
    fn is_stuck(&self, now: u64, grace: u64) -> bool {
        let executes = |known: &&Known| matches!(known, Known::Nothing | Known::Executes(_));
        let sharing = self.threads.iter().filter(executes).count().div_ceil(self.processors).max(1);
        let is_longer =
            |since: u64, count: usize| now.saturating_sub(since) > grace.saturating_mul(count as u64);
        is_longer(self.heard, sharing) || is_longer(self.began, self.threads.len())
    }
}

/// The lock, and the threads of a run at its end.
#[derive(Debug)]
pub(crate) struct Shutdown {
    state: Mutex<State>,
    changed: Condvar,
}

/// The tasks whose threads were left when time was up.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    pub executing: Vec<TaskId>,
    pub waiting: Vec<TaskId>,
}

impl Shutdown {
    /// Of so many tasks, whose threads execute on so many processors.
    pub(crate) fn new(tasks: usize, processors: usize) -> Self {
        let threads = (0..tasks).map(|_| Known::Nothing).collect();
        let state = State { threads, processors, began: 0, heard: 0, closed: false };
        Shutdown { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics in here")
    }

    fn hear(&self, task: TaskId, known: Known) -> MutexGuard<'_, State> {
        let mut state = self.state();
        state.hear(task, known, sys::monotonic_ns());
        self.changed.notify_all();
        state
    }

    /// All threads are let go now.
    pub(crate) fn start(&self) {
        let mut state = self.state();
        state.began = sys::monotonic_ns();
        state.heard = state.began;
    }

    /// The thread of `task`, which is in our code and in the sections `held`, begins `wanted` once it may.
    pub(crate) fn begin(&self, task: TaskId, mut held: Vec<Exclusion>, wanted: Exclusion) {
        let mut state = self.hear(task, Known::Waits(held.clone()));
        while !state.may_begin(task, &held, wanted) {
            state = self.changed.wait(state).expect("no thread panics in here");
        }
        held.push(wanted);
        state.hear(task, Known::Executes(held), sys::monotonic_ns());
    }

    /// The thread of `task`, which is in our code, is in the sections `held`, and in no other any more.
    pub(crate) fn stays_in(&self, task: TaskId, held: Vec<Exclusion>) {
        drop(self.hear(task, Known::Executes(held)));
    }

    /// The thread of `task`, which is in our code, has returned.
    pub(crate) fn has_returned(&self, task: TaskId) {
        drop(self.hear(task, Known::Returned));
    }

    /// True if the time is up: no thread got on for `grace`, or all together took that for each task.
    pub(crate) fn is_stuck(&self, grace: Duration) -> bool {
        self.state().is_stuck(sys::monotonic_ns(), sys::ns(grace))
    }

    /// No section begins from now on.
    pub(crate) fn close(&self) -> Left {
        let mut state = self.state();
        state.closed = true;
        let mut left = Left::default();
        for (task, known) in (0..).map(TaskId).zip(&state.threads) {
            match known {
                Known::Nothing | Known::Executes(_) => left.executing.push(task),
                Known::Waits(_) => left.waiting.push(task),
                Known::Returned => {}
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::{Relaxed, SeqCst};

    const NP: Exclusion = Exclusion::NonPreemptive;

    fn on(resource: u32) -> Exclusion {
        Exclusion::On(ResourceId(resource))
    }

    /// Threads that are known so, on two processors.
    fn state(threads: Vec<Known>) -> State {
        State { threads, processors: 2, began: 1_000, heard: 1_000, closed: false }
    }

    #[test]
    fn an_outermost_section_waits_for_all_others_and_a_nested_one_for_its_own() {
        let begins = |other: Known, held: &[Exclusion], wanted| {
            state(vec![Known::Waits(held.to_vec()), other]).may_begin(TaskId(0), held, wanted)
        };
        for (held, expected) in
            [(vec![], [false, true, false, false]), (vec![on(7)], [false, true, true, false])]
        {
            let others = [
                Known::Nothing,
                Known::Executes(vec![]),
                Known::Waits(vec![on(1), NP]),
                Known::Executes(vec![on(1), on(0)]),
            ];
            assert_eq!(others.map(|other| begins(other, &held, on(0))), expected, "in {held:?}");
        }
        assert!(begins(Known::Returned, &[], NP));
        assert!(begins(Known::Waits(vec![NP]), &[NP], NP), "it is in one");
        let mut closed = state(vec![Known::Waits(vec![]), Known::Returned]);
        closed.closed = true;
        assert!(!closed.may_begin(TaskId(0), &[], NP));
    }

    #[test]
    fn time_is_up_when_no_thread_is_heard_of_or_all_took_too_long() {
        let inside = || Known::Executes(vec![on(0)]);
        let waits = || Known::Waits(vec![]);
        // Three of five share two processors.
        let mut five = state(vec![Known::Nothing, inside(), inside(), waits(), Known::Returned]);
        assert!(!five.is_stuck(2_000, 500) && five.is_stuck(2_001, 500));
        five.hear(TaskId(1), Known::Executes(vec![]), 1_900);
        assert!(!five.is_stuck(2_900, 500) && five.is_stuck(2_901, 500));
        five.hear(TaskId(1), inside(), 3_400);
        assert!(!five.is_stuck(3_500, 500) && five.is_stuck(3_501, 500), "five times 500 after the end");
        let each_other = state(vec![Known::Waits(vec![on(0)]), Known::Waits(vec![on(1)])]);
        assert!(!each_other.is_stuck(1_500, 500) && each_other.is_stuck(1_501, 500));
    }

    #[test]
    fn threads_that_are_left_are_named() {
        let shutdown = Shutdown::new(3, 2);
        shutdown.start();
        shutdown.has_returned(TaskId(0));
        drop(shutdown.hear(TaskId(1), Known::Waits(vec![on(0)])));
        assert!(!shutdown.is_stuck(Duration::from_secs(60)));
        assert_eq!(shutdown.close(), Left { executing: vec![TaskId(2)], waiting: vec![TaskId(1)] });
    }

    /// The first is in a section at first; none that begins later meets it, or another.
    #[test]
    fn sections_after_the_end_exclude_each_other() {
        const TASKS: usize = 6;
        const ROUNDS: u64 = 50;
        let shutdown = Shutdown::new(TASKS, 2);
        // The thread in the section from before the end adds 100.
        let (inside, met, begun) = (AtomicU64::new(100), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for task in (0..TASKS as u32).map(TaskId) {
                let (shutdown, inside, met, begun) = (&shutdown, &inside, &met, &begun);
                scope.spawn(move || {
                    if task == TaskId(0) {
                        for nested in [1, 2] {
                            (0..20_000).for_each(|_| std::hint::spin_loop());
                            shutdown.begin(task, vec![on(0)], on(nested));
                        }
                        inside.fetch_sub(100, SeqCst);
                        shutdown.stays_in(task, vec![]);
                    }
                    for _ in 0..ROUNDS {
                        shutdown.begin(task, vec![], on(0));
                        met.fetch_add(inside.fetch_add(1, SeqCst), Relaxed);
                        (0..500).for_each(|_| std::hint::spin_loop());
                        inside.fetch_sub(1, SeqCst);
                        begun.fetch_add(1, Relaxed);
                        shutdown.stays_in(task, vec![]);
                    }
                    shutdown.has_returned(task);
                });
            }
        });
        assert_eq!((met.into_inner(), begun.into_inner()), (0, ROUNDS * TASKS as u64));
    }
}
