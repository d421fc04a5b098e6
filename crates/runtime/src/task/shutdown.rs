//! Sections once a run is over: an ordinary lock.
//!
//! No engine decides any more which thread may hold what, and all threads execute. Threads in sections come to the ends
//! of these. A section that begins from then on waits until no other thread is in one. A thread that has not called the
//! runtime since the end counts as being in one. Once the run's own thread has closed the lock, threads that wait never
//! go on: so threads that wait for each other do not keep the run from its end.

use schedlab_model::TaskId;
use std::sync::{Condvar, Mutex, MutexGuard};

/// The state of a task's thread since the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// The thread is in a section, or may be.
    Inside,
    Outside,
    /// The thread waits for a section, perhaps within another one.
    Waits {
        inside: bool,
    },
}

#[derive(Debug)]
struct State {
    /// By task: the state of its thread.
    threads: Vec<Known>,
    /// True if no section begins any more.
    closed: bool,
}

/// The lock, and the threads of a run at its end.
#[derive(Debug)]
pub(crate) struct Shutdown {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shutdown {
    /// The lock of a run of this many tasks.
    pub(crate) fn new(tasks: usize) -> Self {
        let state = State { threads: vec![Known::Inside; tasks], closed: false };
        Shutdown { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn know(&self, task: TaskId, known: Known) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().expect("no thread panics in here");
        state.threads[task.index()] = known;
        self.changed.notify_all();
        state
    }

    /// Begins a section of the thread of `task`, once it may. The thread is in the runtime's code, and in a section
    /// already if it `is_inside`.
    pub(crate) fn begin(&self, task: TaskId, is_inside: bool) {
        let mut state = self.know(task, Known::Waits { inside: is_inside });
        let is_apart = |known: &Known| matches!(known, Known::Outside | Known::Waits { inside: false });
        let is_alone = |state: &State| {
            let (before, after) = state.threads.split_at(task.index());
            before.iter().chain(&after[1..]).all(is_apart)
        };
        while state.closed || !is_alone(&state) {
            state = self.changed.wait(state).expect("no thread panics in here");
        }
        state.threads[task.index()] = Known::Inside;
    }

    /// Notes that the thread of `task`, which is in the runtime's code, is in no section.
    pub(crate) fn leave(&self, task: TaskId) {
        drop(self.know(task, Known::Outside));
    }

    /// Closes the lock: no section begins from now on. Returns the tasks whose threads wait for one.
    pub(crate) fn close(&self) -> Vec<TaskId> {
        let mut state = self.state.lock().expect("no thread panics in here");
        state.closed = true;
        let waits = |known: &Known| matches!(known, Known::Waits { .. });
        (0..)
            .map(TaskId)
            .zip(&state.threads)
            .filter(|(_, known)| waits(known))
            .map(|(task, _)| task)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::sys;
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::{Relaxed, SeqCst};
    use std::sync::Arc;

    /// Threads that wait are named. One thread is in a section, and two wait for another section within their own: none
    /// lets the fourth one in, nor does the closed lock.
    #[test]
    fn threads_that_wait_are_named() {
        let shutdown = Arc::new(Shutdown::new(4));
        for (task, is_inside) in [(1, true), (2, false), (3, true)] {
            let shutdown = Arc::clone(&shutdown);
            // They wait until the process ends.
            std::thread::spawn(move || shutdown.begin(TaskId(task), is_inside));
        }
        let waits = |task: usize| matches!(shutdown.state.lock().unwrap().threads[task], Known::Waits { .. });
        while !(1..=3).all(waits) {
            std::thread::yield_now();
        }
        shutdown.leave(TaskId(0));
        sys::sleep_until(sys::monotonic_ns() + 20_000_000);
        assert_eq!(shutdown.close(), [1, 2, 3].map(TaskId), "each waits for the other's outer section");
        [1, 3].into_iter().for_each(|task| shutdown.leave(TaskId(task)));
        sys::sleep_until(sys::monotonic_ns() + 20_000_000);
        assert!(waits(2), "it is closed");
    }

    /// The first is in a section at first; none that begins later meets it, or another.
    #[test]
    fn sections_after_the_end_exclude_each_other() {
        const TASKS: usize = 6;
        const ROUNDS: u64 = 50;
        let shutdown = Shutdown::new(TASKS);
        // The thread in the section from before the end adds 100.
        let (inside, met, begun) = (AtomicU64::new(100), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for task in (0..TASKS as u32).map(TaskId) {
                let (shutdown, inside, met, begun) = (&shutdown, &inside, &met, &begun);
                scope.spawn(move || {
                    if task == TaskId(0) {
                        for _ in 0..2 {
                            (0..20_000).for_each(|_| std::hint::spin_loop());
                            shutdown.begin(task, true);
                        }
                        inside.fetch_sub(100, SeqCst);
                    }
                    shutdown.leave(task);
                    for _ in 0..ROUNDS {
                        shutdown.begin(task, false);
                        met.fetch_add(inside.fetch_add(1, SeqCst), Relaxed);
                        (0..500).for_each(|_| std::hint::spin_loop());
                        inside.fetch_sub(1, SeqCst);
                        begun.fetch_add(1, Relaxed);
                        shutdown.leave(task);
                    }
                });
            }
        });
        assert_eq!((met.into_inner(), begun.into_inner()), (0, ROUNDS * TASKS as u64));
    }
}
