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
//! exclude each other on one processor alone. So does whoever has waited for long enough while others went on again and again.

use crate::machine::sys;
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
    /// It executes: alone, since then, or, if that is zero, since the end of the run and beside others.
    Inside { since: u64 },
    /// It waits; who has the smaller number came first.
    Waits { stand: Stand, number: u64 },
    /// It has returned.
    Gone { since: u64 },
}

/// What a waiting thread has to find free.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    All,
    Wanted,
    WantedResource,
}

const ASKED: [Asked; 3] = [Asked::All, Asked::Wanted, Asked::WantedResource];

#[derive(Debug)]
struct State {
    /// By resource.
    units: Vec<u32>,
    /// By task.
    places: Vec<Place>,
    /// By task: how long it has executed alone, in all.
    used: Vec<u64>,
    processors: usize,
    /// When all threads were let go, or one of them came to wait for the first time, or to its end.
    start: u64,
    /// When somebody last came to wait, or to his end: whose turn it is has it from then on.
    handed: u64,
    /// How often threads began to wait.
    waits: u64,
    /// Nobody goes on any more.
    closed: bool,
}

impl State {
    fn new(tasks: usize, processors: usize, resources: &[Resource]) -> Self {
        State {
            units: resources.iter().map(|resource| resource.units).collect(),
            places: (0..tasks).map(|_| Place::Inside { since: 0 }).collect(),
            used: vec![0; tasks],
            processors,
            start: 0,
            handed: 0,
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
                let same = stand.held.iter().filter(|(held, _)| *held == section);
                same.fold(0u32, |sum, (_, units)| sum.saturating_add(*units))
            }
            _ => 0u32,
        };
        let held = self.places.iter().enumerate().map(held).fold(0u32, u32::saturating_add);
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
        let first = |asked: Asked| {
            let waiting = self.places.iter().enumerate().filter_map(|(at, place)| match place {
                Place::Waits { stand, number } => {
                    let asked = asked.max(self.asked_after(self.waits - number));
                    self.passes(at, stand, asked).then_some((*number, at))
                }
                _ => None,
            });
            waiting.min().map(|(_, at)| TaskId(at as u32))
        };
        ASKED.into_iter().find_map(first)
    }

    /// What is asked of a thread when others have come to wait so often since: less after each round of all.
    fn asked_after(&self, waits: u64) -> Asked {
        ASKED[(waits as usize / self.places.len()).min(ASKED.len() - 1)]
    }

    /// How long it has executed alone.
    fn executed(&self, task: usize, now: u64) -> u64 {
        match self.places[task] {
            Place::Inside { since } if since > 0 => self.used[task] + now.saturating_sub(since),
            _ => self.used[task],
        }
    }

    fn come_out(&mut self, task: TaskId, to: Place, now: u64) {
        self.used[task.index()] = self.executed(task.index(), now);
        if matches!(self.places[task.index()], Place::Inside { since: 0 }) {
            self.start = self.start.max(now);
        }
        self.places[task.index()] = to;
        self.handed = now;
    }

    fn begin_to_wait(&mut self, task: TaskId, stand: Stand, now: u64) {
        self.waits += 1;
        let number = self.waits;
        self.come_out(task, Place::Waits { stand, number }, now);
    }

    fn go_on(&mut self, task: TaskId) {
        self.places[task.index()] = Place::Inside { since: self.handed.max(1) };
    }

    /// True if nobody gets on: somebody executes for longer than `grace`, or all wait for each other.
    fn is_stuck(&self, now: u64, grace: u64) -> bool {
        let places = || self.places.iter().enumerate();
        let together = places().filter(|(_, place)| matches!(place, Place::Inside { since: 0 })).count();
        if together > 0 {
            let rounds = together.div_ceil(self.processors) as u64;
            return now.saturating_sub(self.start) > grace.saturating_mul(rounds);
        }
        if let Some((alone, _)) = places().find(|(_, place)| matches!(place, Place::Inside { .. })) {
            return self.executed(alone, now) > grace;
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
    /// Of so many tasks, whose threads execute on so many processors.
    pub fn new(tasks: usize, processors: usize, resources: &[Resource]) -> Self {
        Endgame { state: Mutex::new(State::new(tasks, processors, resources)), changed: Condvar::new() }
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
        state.go_on(task);
    }

    /// The thread of `task`, which is in our code, has returned.
    pub fn go(&self, task: TaskId) {
        let now = sys::monotonic_ns();
        self.state().come_out(task, Place::Gone { since: now }, now);
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
mod tests;
