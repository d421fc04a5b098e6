//! Keeps sections apart once a run is over.
//!
//! From then on no engine says who may hold what, and all threads execute. Those in sections come to their ends; one that would begin another
//! waits until every other thread has returned or waits as well. So those that go on do so one after the other, each alone. One may wait
//! within a section, for a nested one: then nobody goes on that could need what it holds before leaving what it holds itself. Whoever does
//! go on can come to the end of its sections, and if there is an order in which all can, it is found (the banker's rule: E. W. Dijkstra,
//! *Cooperating sequential processes*, 1965). Protocols that prevent deadlocks leave one.

use schedlab_model::{ResourceId, TaskId};
use std::sync::{Condvar, Mutex, MutexGuard};

/// Where others must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    NonPreemptive,
    On(ResourceId),
}

/// What a thread that waits is in, and what it may begin before it has left that: what it waits for, at least.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stand {
    pub held: Vec<Section>,
    pub needs: Vec<Section>,
}

/// A task's thread, after the end of its run.
#[derive(Debug)]
enum Place {
    /// It executes.
    Inside,
    Waits(Stand),
    /// It has returned.
    Gone,
}

#[derive(Debug)]
struct State {
    /// By task.
    places: Vec<Place>,
    /// By task: whether it has ever waited or gone, from when on it only goes on alone.
    came_out: Vec<bool>,
    /// Nobody goes on any more.
    closed: bool,
}

impl State {
    /// True if the thread, which waits, may go on.
    fn may(&self, task: TaskId) -> bool {
        let Place::Waits(mine) = &self.places[task.index()] else { return false };
        let mut others = self.places.iter().enumerate().filter(|(at, _)| *at != task.index());
        !self.closed
            && others.all(|(_, place)| match place {
                Place::Inside => false,
                Place::Waits(stand) => !mine.needs.iter().any(|need| stand.held.contains(need)),
                Place::Gone => true,
            })
    }

    fn come_out(&mut self, task: TaskId, to: Place) {
        self.places[task.index()] = to;
        self.came_out[task.index()] = true;
    }
}

/// The threads of a run, at its end.
#[derive(Debug)]
pub(crate) struct Endgame {
    state: Mutex<State>,
    changed: Condvar,
}

impl Endgame {
    /// Of so many tasks, whose threads execute.
    pub fn new(tasks: usize) -> Self {
        let places = (0..tasks).map(|_| Place::Inside).collect();
        let state = State { places, came_out: vec![false; tasks], closed: false };
        Endgame { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics in here")
    }

    /// The thread of `task`, which is in our code, would begin a section: it waits until it may.
    pub fn begin(&self, task: TaskId, stand: Stand) {
        let mut state = self.state();
        state.come_out(task, Place::Waits(stand));
        self.changed.notify_all();
        while !state.may(task) {
            state = self.changed.wait(state).expect("nobody panics in here");
        }
        state.places[task.index()] = Place::Inside;
    }

    /// The thread of `task`, which is in our code, has returned.
    pub fn go(&self, task: TaskId) {
        self.state().come_out(task, Place::Gone);
        self.changed.notify_all();
    }

    /// How many threads have begun to wait, and how many have gone: as long as that grows, the others' turns come.
    pub fn progress(&self) -> usize {
        let state = self.state();
        let gone = state.places.iter().filter(|place| matches!(place, Place::Gone));
        gone.count() + state.came_out.iter().filter(|came| **came).count()
    }

    /// Nobody goes on from now on. Says whose threads kept the others from it: they execute, or all wait for each other.
    pub fn close(&self) -> Vec<TaskId> {
        let mut state = self.state();
        state.closed = true;
        let those = |inside: bool| {
            let found = state.places.iter().enumerate().filter(|(_, place)| match place {
                Place::Inside => inside,
                Place::Waits(_) => !inside,
                Place::Gone => false,
            });
            found.map(|(at, _)| TaskId(at as u32)).collect()
        };
        let inside: Vec<TaskId> = those(true);
        if inside.is_empty() {
            those(false)
        } else {
            inside
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::{Relaxed, SeqCst};

    const fn on(resource: u32) -> Section {
        Section::On(ResourceId(resource))
    }

    fn stand(held: &[Section], needs: &[Section]) -> Stand {
        Stand { held: held.to_vec(), needs: needs.to_vec() }
    }

    fn waiting(stands: &[Stand]) -> State {
        let places = stands.iter().cloned().map(Place::Waits).collect();
        State { places, came_out: vec![true; stands.len()], closed: false }
    }

    /// Those who may go on.
    fn ready(state: &State) -> Vec<usize> {
        (0..state.places.len()).filter(|at| state.may(TaskId(*at as u32))).collect()
    }

    #[test]
    fn nobody_goes_on_beside_one_that_executes() {
        let mut state = waiting(&[stand(&[], &[on(0)]), stand(&[], &[on(1)])]);
        assert_eq!(ready(&state), [0, 1]);
        state.places[1] = Place::Inside;
        assert_eq!(ready(&state), [0; 0]);
        state.places[1] = Place::Gone;
        assert_eq!(ready(&state), [0]);
        state.closed = true;
        assert_eq!(ready(&state), [0; 0]);
    }

    /// Under the priority ceiling protocol: the second, more urgent, preempted the first within its section on 0, which may ask for 1 and 2
    /// there. Were the first let into 1, which is free, each would come to wait for the other.
    #[test]
    fn whoever_can_come_to_its_end_goes_first() {
        let mut state =
            waiting(&[stand(&[on(0)], &[on(1), on(2)]), stand(&[on(2)], &[on(1)]), stand(&[], &[on(0)])]);
        assert_eq!(ready(&state), [1]);
        state.places[1] = Place::Gone;
        assert_eq!(ready(&state), [0]);
        state.places[0] = Place::Gone;
        assert_eq!(ready(&state), [2]);
    }

    #[test]
    fn a_non_preemptive_section_is_one_that_others_wait_for() {
        let np = Section::NonPreemptive;
        let state = waiting(&[stand(&[np], &[on(0)]), stand(&[], &[np])]);
        assert_eq!(ready(&state), [0]);
    }

    /// Whoever keeps the others from going on is named, not they.
    #[test]
    fn those_inside_are_named_and_else_those_that_wait_for_each_other() {
        let game = Endgame::new(3);
        game.go(TaskId(0));
        game.state().come_out(TaskId(1), Place::Waits(stand(&[], &[on(0)])));
        assert_eq!((game.progress(), game.close()), (3, vec![TaskId(2)]));
        game.go(TaskId(2));
        assert_eq!(game.close(), [TaskId(1)]);
        game.go(TaskId(1));
        assert_eq!((game.progress(), game.close()), (6, vec![]));
    }

    /// Whoever begins one section after the other for ever does not get on.
    #[test]
    fn turns_are_no_progress() {
        let game = Endgame::new(1);
        for _ in 0..10 {
            game.begin(TaskId(0), stand(&[], &[on(0)]));
        }
        assert_eq!((game.progress(), game.close()), (1, vec![TaskId(0)]));
    }

    /// Some are in sections at first and go on there beside the others; none that begins later meets another.
    #[test]
    fn sections_after_the_end_exclude_each_other() {
        const TASKS: usize = 6;
        let game = Endgame::new(TASKS);
        // Who holds 0 from before the end adds 100.
        let (inside, met, begun) = (AtomicU64::new(100), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for task in (0..TASKS as u32).map(TaskId) {
                let (game, inside, met, begun) = (&game, &inside, &met, &begun);
                scope.spawn(move || {
                    for round in 0..50 {
                        if task == TaskId(0) && round < 2 {
                            // It goes on within, and then waits there for a nested one.
                            (0..20_000).for_each(|_| std::hint::spin_loop());
                            game.begin(task, stand(&[on(0)], &[on(1)]));
                            continue;
                        }
                        if task == TaskId(0) && round == 2 {
                            inside.fetch_sub(100, SeqCst);
                        }
                        game.begin(task, stand(&[], &[on(0), on(1)]));
                        met.fetch_add(inside.fetch_add(1, SeqCst), Relaxed);
                        (0..500).for_each(|_| std::hint::spin_loop());
                        inside.fetch_sub(1, SeqCst);
                        begun.fetch_add(1, Relaxed);
                    }
                    game.go(task);
                });
            }
        });
        assert_eq!((met.into_inner(), begun.into_inner()), (0, 50 * TASKS as u64 - 2));
    }
}
