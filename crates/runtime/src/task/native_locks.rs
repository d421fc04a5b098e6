//! The spin locks that a task's thread holds, and its records of them, where a scheduler in the kernel decides.

use crate::backend::native::spin_locks::SpinLocks;
use crate::machine::clock::Clock;
use crate::record::lock_records::{LockEvent, LockRecord};
use crate::record::log::Writer;
use schedlab_model::ResourceId;
use schedlab_objects::Ticket;

/// A mutex that a thread holds.
struct Held {
    mutex: usize,
    ticket: Ticket,
    /// Number of requests that the thread has made for resources of the mutex and not given back.
    depth: u32,
}

/// The locks of one thread. Those that it holds are given back when this value goes away.
pub(crate) struct OwnLocks<'a> {
    locks: &'a SpinLocks,
    clock: &'a Clock,
    held: Vec<Held>,
    log: Writer<LockRecord>,
}

impl<'a> OwnLocks<'a> {
    /// No locks yet, of a thread that holds at most `most` at a time.
    pub(crate) fn new(
        locks: &'a SpinLocks,
        clock: &'a Clock,
        log: Writer<LockRecord>,
        most: usize,
    ) -> OwnLocks<'a> {
        OwnLocks { locks, clock, held: Vec::with_capacity(most), log }
    }

    /// Asks for a resource and spins until the thread holds it. `job` is the number of the job that does so.
    pub(crate) fn lock(&mut self, resource: ResourceId, job: u32, is_over: impl Fn() -> bool) {
        let mutex = self.locks.mutex_of(resource);
        let from = self.clock.now();
        if let Some(held) = self.held.iter_mut().find(|held| held.mutex == mutex) {
            held.depth += 1;
            self.log.push(LockRecord { job, resource, what: LockEvent::Asked { from, to: from } });
            self.log.push(LockRecord { job, resource, what: LockEvent::Acquired(from) });
            return;
        }
        let ticket = self.locks.ask(mutex);
        let to = self.clock.now();
        self.log.push(LockRecord { job, resource, what: LockEvent::Asked { from, to } });
        self.locks.wait(mutex, ticket, is_over);
        let at = self.clock.now();
        self.log.push(LockRecord { job, resource, what: LockEvent::Acquired(at) });
        self.held.push(Held { mutex, ticket, depth: 1 });
    }

    /// Gives a resource back that the thread holds. `is_outside`: it is in no section any more, of any kind.
    pub(crate) fn unlock(&mut self, resource: ResourceId, job: u32, is_outside: bool) {
        let mutex = self.locks.mutex_of(resource);
        let Some(place) = self.held.iter().position(|held| held.mutex == mutex) else { return };
        // Before the next holder can read the clock.
        let at = self.clock.now();
        self.held[place].depth -= 1;
        if self.held[place].depth == 0 {
            let Held { ticket, .. } = self.held.remove(place);
            // SAFETY: `lock` drew the ticket from this mutex and waited; it is not held any more.
            unsafe { self.locks.leave(mutex, ticket) };
        }
        self.log.push(LockRecord { job, resource, what: LockEvent::Released { at, is_outside } });
    }
}

impl Drop for OwnLocks<'_> {
    /// Lets other threads go on if the code of this one has ended in a section.
    fn drop(&mut self) {
        for Held { mutex, ticket, .. } in self.held.drain(..) {
            // SAFETY: as in `unlock`.
            unsafe { self.locks.leave(mutex, ticket) };
        }
    }
}

#[cfg(test)]
mod tests;
