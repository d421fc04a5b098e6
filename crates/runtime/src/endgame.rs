//! Keeps sections apart once a run is over.
//!
//! From then on no engine says who may hold what, and all threads execute. Those in sections come to their ends; one that would begin another
//! waits until every other thread has returned or waits as well. So those that go on do so one after the other, each alone, in the order
//! in which they came to wait, until they begin one more.
//!
//! One may wait within a section, for a nested one. Then those go first that find free whatever they may ask for before they have left what
//! they hold (the banker's rule: E. W. Dijkstra, *Cooperating sequential processes*, 1965); if there is an order in which all come to their
//! ends, that is one. If none is like that (programs do not say in which order sections follow each other, nor where non-preemptive ones
//! begin), those go that find free what they wait for; and at last those that only wait for the end of non-preemptive sections, which
//! exclude each other on one processor alone.

use crate::sys;
use schedlab_model::{Resource, ResourceId, TaskId};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Where others must not be, or not too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    NonPreemptive,
    On(ResourceId),
}

/// A section, and how many units of it.
pub(crate) type Share = (Section, u32);

/// What a thread that waits is in, and what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stand {
    /// What it holds.
    pub held: Vec<Share>,
    /// What it will hold of what it waits for.
    pub wants: Share,
    /// What it may come to hold of this and that before it has left what it holds.
    pub needs: Vec<Share>,
}

/// A task's thread, after the end of its run. Times are the monotonic clock's, in nanoseconds.
#[derive(Debug)]
enum Place {
    /// It executes, for as long as this.
    Inside { since: u64 },
    /// It waits; who has the smaller number came first.
    Waits { stand: Stand, number: u64 },
    /// It has returned.
    Gone { since: u64 },
}

/// What a waiting thread has to find free.
#[derive(Clone, Copy)]
enum Asked {
    All,
    Wanted,
    WantedResource,
}

#[derive(Debug)]
struct State {
    /// By resource.
    units: Vec<u32>,
    /// By task.
    places: Vec<Place>,
    /// By task: how long it has executed alone, in all.
    used: Vec<u64>,
    /// When all threads were let go.
    start: u64,
    /// How often threads began to wait.
    waits: u64,
    /// Nobody goes on any more.
    closed: bool,
}

impl State {
    fn new(tasks: usize, resources: &[Resource]) -> Self {
        State {
            units: resources.iter().map(|resource| resource.units).collect(),
            places: (0..tasks).map(|_| Place::Inside { since: 0 }).collect(),
            used: vec![0; tasks],
            start: 0,
            waits: 0,
            closed: false,
        }
    }

    /// How many may be in a section.
    fn room(&self, section: Section) -> u32 {
        match section {
            Section::NonPreemptive => 1,
            Section::On(resource) => self.units.get(resource.index()).copied().unwrap_or(1),
        }
    }

    /// True if those that wait beside `task` leave it its share.
    fn leaves(&self, task: usize, (section, units): Share) -> bool {
        let held = |(at, place): (usize, &Place)| match place {
            Place::Waits { stand, .. } if at != task => {
                stand.held.iter().filter(|(held, _)| *held == section).map(|(_, units)| units).sum()
            }
            _ => 0u32,
        };
        let held: u32 = self.places.iter().enumerate().map(held).sum();
        held.saturating_add(units) <= self.room(section)
    }

    fn passes(&self, task: usize, stand: &Stand, asked: Asked) -> bool {
        match asked {
            Asked::All => stand.needs.iter().all(|share| self.leaves(task, *share)),
            Asked::Wanted => self.leaves(task, stand.wants),
            Asked::WantedResource => {
                stand.wants.0 == Section::NonPreemptive || self.leaves(task, stand.wants)
            }
        }
    }

    /// Whose turn it is: nobody's while somebody executes.
    fn next(&self) -> Option<TaskId> {
        let is_inside = |place: &Place| matches!(place, Place::Inside { .. });
        if self.closed || self.places.iter().any(is_inside) {
            return None;
        }
        let first = |asked| {
            let waiting = self.places.iter().enumerate().filter_map(|(at, place)| match place {
                Place::Waits { stand, number } => self.passes(at, stand, asked).then_some((*number, at)),
                _ => None,
            });
            waiting.min().map(|(_, at)| TaskId(at as u32))
        };
        [Asked::All, Asked::Wanted, Asked::WantedResource].into_iter().find_map(first)
    }

    /// How long it has executed: at first beside others, and then in all its turns.
    fn executed(&self, task: usize, now: u64) -> u64 {
        match self.places[task] {
            Place::Inside { since } => self.used[task] + now.saturating_sub(since.max(self.start)),
            _ => self.used[task],
        }
    }

    fn begin_to_wait(&mut self, task: TaskId, stand: Stand, now: u64) {
        let is_first = matches!(self.places[task.index()], Place::Inside { since: 0 });
        self.used[task.index()] = if is_first { 0 } else { self.executed(task.index(), now) };
        self.waits += 1;
        self.places[task.index()] = Place::Waits { stand, number: self.waits };
    }

    /// True if nobody gets on: somebody executes for longer than `grace`, or all wait for each other.
    fn is_stuck(&self, now: u64, grace: u64) -> bool {
        let places = || self.places.iter().enumerate();
        let mut inside = places().filter(|(_, place)| matches!(place, Place::Inside { .. })).peekable();
        if inside.peek().is_some() {
            return inside.any(|(at, _)| self.executed(at, now) > grace);
        }
        let last = places().filter_map(|(_, place)| match place {
            Place::Gone { since } => Some(*since),
            _ => None,
        });
        let waits = places().any(|(_, place)| matches!(place, Place::Waits { .. }));
        // A thread that has returned is not finished at once.
        if waits {
            self.next().is_none()
        } else {
            now.saturating_sub(last.max().unwrap_or(0)) > grace
        }
    }
}

/// The threads of a run, at its end.
#[derive(Debug)]
pub(crate) struct Endgame {
    state: Mutex<State>,
    changed: Condvar,
}

/// Who was left when nobody got on any more.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    pub inside: Vec<TaskId>,
    pub waiting: Vec<TaskId>,
}

impl Endgame {
    /// Of so many tasks, whose threads execute.
    pub fn new(tasks: usize, resources: &[Resource]) -> Self {
        Endgame { state: Mutex::new(State::new(tasks, resources)), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics in here")
    }

    /// All threads are let go now.
    pub fn start(&self) {
        self.state().start = sys::monotonic_ns();
    }

    /// The thread of `task`, which is in our code, would begin a section: it waits until it may.
    pub fn begin(&self, task: TaskId, stand: Stand) {
        let mut state = self.state();
        state.begin_to_wait(task, stand, sys::monotonic_ns());
        self.changed.notify_all();
        while state.next() != Some(task) {
            state = self.changed.wait(state).expect("nobody panics in here");
        }
        state.places[task.index()] = Place::Inside { since: sys::monotonic_ns() };
    }

    /// The thread of `task`, which is in our code, has returned.
    pub fn go(&self, task: TaskId) {
        self.state().places[task.index()] = Place::Gone { since: sys::monotonic_ns() };
        self.changed.notify_all();
    }

    /// True if nobody gets on: somebody executes for longer than `grace`, or all wait for each other.
    pub fn is_stuck(&self, grace: Duration) -> bool {
        self.state().is_stuck(sys::monotonic_ns(), sys::ns(grace))
    }

    /// Nobody goes on from now on.
    pub fn close(&self) -> Left {
        let mut state = self.state();
        state.closed = true;
        let mut left = Left::default();
        for (task, place) in (0..).map(TaskId).zip(&state.places) {
            match place {
                Place::Inside { .. } => left.inside.push(task),
                Place::Waits { .. } => left.waiting.push(task),
                Place::Gone { .. } => {}
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

    const NP: Section = Section::NonPreemptive;

    const fn on(resource: u32) -> Section {
        Section::On(ResourceId(resource))
    }

    /// One unit of each; what it wants, it needs.
    fn stand(held: &[Section], wants: Section, needs: &[Section]) -> Stand {
        let one = |section: &Section| (*section, 1);
        let needs = needs.iter().map(one).chain([(wants, 1)]).collect();
        Stand { held: held.iter().map(one).collect(), wants: (wants, 1), needs }
    }

    /// They began to wait in this order. There are 3 units of resource 9.
    fn waiting(stands: &[Stand]) -> State {
        let units = |at| Resource { units: if at == 9 { 3 } else { 1 } };
        let mut state = State::new(stands.len(), &(0..10).map(units).collect::<Vec<_>>());
        for (task, stand) in (0..).map(TaskId).zip(stands) {
            state.begin_to_wait(task, stand.clone(), 10);
        }
        state
    }

    /// In which order they go on, if each then comes to its end.
    fn order(mut state: State) -> Vec<u32> {
        let mut order = Vec::new();
        while let Some(task) = state.next() {
            order.push(task.0);
            state.places[task.index()] = Place::Gone { since: 0 };
        }
        order
    }

    #[test]
    fn nobody_goes_on_beside_one_that_executes() {
        let mut state = waiting(&[stand(&[], on(0), &[]), stand(&[], on(1), &[])]);
        assert_eq!(state.next(), Some(TaskId(0)));
        state.places[1] = Place::Inside { since: 20 };
        assert_eq!(state.next(), None);
        state.places[1] = Place::Gone { since: 30 };
        assert_eq!(state.next(), Some(TaskId(0)));
        state.closed = true;
        assert_eq!(state.next(), None);
    }

    /// Whoever begins one section after the other lets the others go on in between.
    #[test]
    fn turns_are_in_the_order_of_waiting() {
        let one = stand(&[], on(0), &[]);
        let mut state = waiting(&[one.clone(), one.clone(), one.clone()]);
        let mut turns = Vec::new();
        for _ in 0..6 {
            let task = state.next().unwrap();
            turns.push(task.0);
            state.places[task.index()] = Place::Inside { since: 20 };
            state.begin_to_wait(task, one.clone(), 30);
        }
        assert_eq!(turns, [0, 1, 2, 0, 1, 2]);
    }

    /// Under the priority ceiling protocol: the second, more urgent, preempted the first within its section on 0, which may ask for 1 and 2
    /// there. Were the first let into 1, which is free, each would come to wait for the other.
    #[test]
    fn whoever_can_come_to_its_end_goes_first() {
        let low = stand(&[on(0)], on(1), &[on(2)]);
        let state = waiting(&[low, stand(&[], on(0), &[]), stand(&[on(2)], on(1), &[])]);
        assert_eq!(order(state), [2, 0, 1]);
    }

    /// The first has left its section on 1, which the second holds, but nobody knows that it does not come back to it.
    #[test]
    fn what_is_asked_for_later_is_not_held_against_anybody_if_all_would_wait() {
        let state = waiting(&[stand(&[on(0), on(2)], on(3), &[on(1)]), stand(&[on(1)], on(2), &[])]);
        assert_eq!(order(state), [0, 1]);
    }

    #[test]
    fn non_preemptive_sections_exclude_each_other_where_they_can() {
        assert_eq!(order(waiting(&[stand(&[], NP, &[]), stand(&[NP], on(0), &[])])), [1, 0]);
        // On two processors: each would wait for the other.
        assert_eq!(order(waiting(&[stand(&[on(0)], NP, &[]), stand(&[NP], on(0), &[])])), [0, 1]);
    }

    #[test]
    fn a_resource_has_units() {
        let some = |held, wants| Stand {
            held: vec![(on(9), held)],
            wants: (on(9), wants),
            needs: vec![(on(9), wants)],
        };
        // One and two of three are held; only the second's third unit is there when the first is gone, and the first's second never before.
        assert_eq!(order(waiting(&[some(1, 2), some(2, 3)])), [0; 0]);
        assert_eq!(order(waiting(&[some(1, 2), some(1, 2)])), [0, 1]);
        assert_eq!(order(waiting(&[some(1, 3), some(1, 2)])), [1, 0]);
    }

    #[test]
    fn whoever_executes_for_too_long_is_found() {
        let one = stand(&[], on(0), &[]);
        let mut state = State::new(2, &[]);
        state.start = 1_000;
        assert!(!state.is_stuck(1_500, 500) && state.is_stuck(1_501, 500), "since they were let go");
        state.begin_to_wait(TaskId(0), one.clone(), 1_400);
        state.begin_to_wait(TaskId(1), one.clone(), 1_450);
        assert!(!state.is_stuck(9_000, 500), "its turn comes");
        // Its turns count together, without what it waits.
        for from in [2_000, 3_000] {
            state.places[0] = Place::Inside { since: from };
            assert!(!state.is_stuck(from + 250, 500));
            state.begin_to_wait(TaskId(0), one.clone(), from + 250);
        }
        state.places[0] = Place::Inside { since: 4_000 };
        assert!(!state.is_stuck(4_000, 500) && state.is_stuck(4_001, 500));
        state.places[0] = Place::Gone { since: 4_001 };
        state.places[1] = Place::Gone { since: 5_000 };
        assert!(!state.is_stuck(5_500, 500) && state.is_stuck(5_501, 500), "its thread does not finish");
    }

    #[test]
    fn those_that_wait_for_each_other_are_found() {
        let state = waiting(&[stand(&[on(0)], on(1), &[]), stand(&[on(1)], on(0), &[])]);
        assert!(state.next().is_none() && state.is_stuck(10, 500));
    }

    #[test]
    fn who_is_left_is_said() {
        let game = Endgame::new(3, &[]);
        game.start();
        game.go(TaskId(0));
        game.state().begin_to_wait(TaskId(1), stand(&[], on(0), &[]), 1);
        assert!(!game.is_stuck(Duration::from_secs(60)));
        assert_eq!(game.close(), Left { inside: vec![TaskId(2)], waiting: vec![TaskId(1)] });
    }

    /// The first is in a section at first, and goes on there beside the others; none that begins later meets it, or another.
    #[test]
    fn sections_after_the_end_exclude_each_other() {
        const TASKS: usize = 6;
        const ROUNDS: u64 = 50;
        let game = Endgame::new(TASKS, &[]);
        // Who holds 0 from before the end adds 100.
        let (inside, met, begun) = (AtomicU64::new(100), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for task in (0..TASKS as u32).map(TaskId) {
                let (game, inside, met, begun) = (&game, &inside, &met, &begun);
                scope.spawn(move || {
                    if task == TaskId(0) {
                        for _ in 0..2 {
                            (0..20_000).for_each(|_| std::hint::spin_loop());
                            game.begin(task, stand(&[on(0)], on(1), &[]));
                        }
                        inside.fetch_sub(100, SeqCst);
                    }
                    for _ in 0..ROUNDS {
                        game.begin(task, stand(&[], on(0), &[on(1)]));
                        met.fetch_add(inside.fetch_add(1, SeqCst), Relaxed);
                        (0..500).for_each(|_| std::hint::spin_loop());
                        inside.fetch_sub(1, SeqCst);
                        begun.fetch_add(1, Relaxed);
                    }
                    game.go(task);
                });
            }
        });
        assert_eq!((met.into_inner(), begun.into_inner()), (0, ROUNDS * TASKS as u64));
    }
}
