//! Protocols some of whose effects are lost: what tests must notice.

use schedlab_lock::{Effect, Effects, LockProtocol, Reply, Section, Turn};
use schedlab_model::{Event, JobId, ResourceId, TaskId};

/// Whether the protocol hears an event, and the engine an effect.
pub trait Filter: Send {
    /// True if the protocol is told of `event`.
    fn hears(&self, _event: Event) -> bool {
        true
    }

    /// True if the engine carries `effect` out.
    fn keeps(&mut self, effect: &Effect) -> bool;
}

impl<F: FnMut(&Effect) -> bool + Send> Filter for F {
    fn keeps(&mut self, effect: &Effect) -> bool {
        self(effect)
    }
}

/// A protocol behind a filter.
pub struct Filtered<L, F>(pub L, pub F);

impl<L, F: Filter> Filtered<L, F> {
    fn filter<T>(&mut self, turn: &mut Turn<'_>, ask: impl FnOnce(&mut L, &mut Turn<'_>) -> T) -> T {
        let mut all = Effects::default();
        let answer = ask(&mut self.0, &mut Turn { now: turn.now, jobs: turn.jobs, out: &mut all });
        for effect in all.as_slice().iter().filter(|effect| self.1.keeps(effect)) {
            turn.out.push(*effect);
        }
        answer
    }
}

impl<L: LockProtocol, F: Filter> LockProtocol for Filtered<L, F> {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Reply {
        self.filter(turn, |locks, turn| locks.request(section, turn))
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        self.filter(turn, |locks, turn| locks.release(section, turn));
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        if self.1.hears(event) {
            self.filter(turn, |locks, turn| locks.note(event, turn));
        }
    }

    fn commit(&mut self, job: JobId, resource: ResourceId) -> bool {
        self.0.commit(job, resource)
    }

    fn server_of(&self, resource: ResourceId) -> Option<TaskId> {
        self.0.server_of(resource)
    }
}
