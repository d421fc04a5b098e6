//! The queue lock around an engine, of the kind that the run's options choose.
//!
//! Chronos-scalability-2011, section 2, protects the global queue by a ticket lock, and what all processors write by an
//! MCS lock, whose waiters spin on memory of their own. Both grant in the order in which threads asked.

use crate::machine::sys;
use schedlab_model::QueueLock as Choice;
use schedlab_objects::{McsLock, Node, QueueLock, Ticket, TicketLock};
use std::cell::{Cell, UnsafeCell};
use std::hint::spin_loop;

/// A thread's position in the queue of the one engine that it is at.
struct Own {
    node: UnsafeCell<Node>,
    /// True while the thread is in a queue.
    queues: Cell<bool>,
}

thread_local! {
    /// The calling thread's position. The memory stays where it is for as long as the thread lives, and a thread does
    /// not end while it decides.
    static OWN: Own = const { Own { node: UnsafeCell::new(Node::new()), queues: Cell::new(false) } };
}

/// The lock of one domain's engine, wherever that lies.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(crate) enum EngineLock {
    Ticket(TicketLock),
    Mcs(McsLock),
}

impl From<Choice> for EngineLock {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Ticket => EngineLock::Ticket(TicketLock::new()),
            Choice::Mcs => EngineLock::Mcs(McsLock::new()),
        }
    }
}

/// A position in the queue of an [`EngineLock`].
#[derive(Clone, Copy)]
pub(crate) enum QueuePosition {
    Ticket(Ticket),
    /// A thread's own node, and whether there was no other thread before it.
    Node(*mut Node, bool),
}

/// Number of looks for its successor after which a leaving thread sleeps for [`NAP`] nanoseconds.
const LOOKS: u32 = 1_000;
const NAP: u64 = 20_000;

/// The calling thread's node, which was in no queue.
fn queue_up() -> *mut Node {
    OWN.with(|own| {
        assert!(!own.queues.replace(true), "a thread is at one engine at a time");
        own.node.get()
    })
}

fn leave_queue() {
    OWN.with(|own| own.queues.set(false));
}

// SAFETY: both locks grant in the order of places with the ordering that the trait asks for. A node is its thread's
// own, is in one queue at a time (`queue_up`), and neither moves nor goes away before the thread has left the queue.
unsafe impl QueueLock for EngineLock {
    type Position = QueuePosition;

    fn enter(&self) -> QueuePosition {
        match self {
            EngineLock::Ticket(lock) => QueuePosition::Ticket(lock.enter()),
            EngineLock::Mcs(lock) => {
                let node = queue_up();
                // SAFETY: see above.
                QueuePosition::Node(node, unsafe { lock.enter(node) })
            }
        }
    }

    fn try_enter(&self) -> Option<QueuePosition> {
        match self {
            EngineLock::Ticket(lock) => lock.try_enter().map(QueuePosition::Ticket),
            EngineLock::Mcs(lock) => {
                let node = queue_up();
                // SAFETY: see above.
                let entered = unsafe { lock.try_enter(node) };
                if !entered {
                    leave_queue();
                }
                entered.then_some(QueuePosition::Node(node, true))
            }
        }
    }

    fn is_granted(&self, position: QueuePosition) -> bool {
        match (self, position) {
            (EngineLock::Ticket(lock), QueuePosition::Ticket(ticket)) => lock.is_granted(ticket),
            // SAFETY: see above.
            (EngineLock::Mcs(lock), QueuePosition::Node(node, at_once)) => {
                at_once || unsafe { lock.is_granted(node) }
            }
            _ => unreachable!("a position belongs to its lock"),
        }
    }

    /// Ends the thread's turn. A thread that queues up behind a node writes where its own node is a moment later. It
    /// may be a less urgent thread of this very processor, preempted in between: then the leaving thread has to sleep.
    unsafe fn leave(&self, position: QueuePosition) {
        match (self, position) {
            // SAFETY: as the caller says.
            (EngineLock::Ticket(lock), QueuePosition::Ticket(ticket)) => unsafe { lock.leave(ticket) },
            (EngineLock::Mcs(lock), QueuePosition::Node(node, _)) => {
                let mut looks = 0u32;
                let relax = || {
                    looks += 1;
                    if looks % LOOKS == 0 {
                        sys::sleep_until(sys::monotonic_ns() + NAP);
                    } else {
                        spin_loop();
                    }
                };
                // SAFETY: as the caller says.
                unsafe { lock.leave_with(node, relax) };
                leave_queue();
            }
            _ => unreachable!("a position belongs to its lock"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_objects::Mutex;

    const THREADS: u64 = 3;
    const TURNS: u64 = 2_000;

    /// One thread at a time decides, under either lock, and a thread may be at one engine after another.
    #[test]
    fn either_lock_lets_one_decide_at_a_time() {
        for choice in [Choice::Ticket, Choice::Mcs] {
            let engines = [0, 0].map(|_| Mutex::<EngineLock, _>::with(choice.into(), (0u64, 0u64)));
            std::thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| {
                        for turn in 0..TURNS {
                            let engine = &engines[turn as usize % 2];
                            let mut both = match engine.try_lock() {
                                Some(both) => both,
                                None => engine.lock_with(std::thread::yield_now),
                            };
                            both.0 += 1;
                            both.1 = both.0;
                        }
                    });
                }
            });
            for engine in engines {
                assert_eq!(engine.into_inner(), (THREADS * TURNS / 2, THREADS * TURNS / 2), "{choice}");
            }
        }
    }

    #[test]
    fn who_finds_the_engine_busy_may_try_again() {
        for choice in [Choice::Ticket, Choice::Mcs] {
            let engine = Mutex::<EngineLock, _>::with(choice.into(), 0);
            let held = engine.lock();
            std::thread::scope(|scope| {
                let tries = || (0..2).filter(|_| engine.try_lock().is_some()).count();
                assert_eq!(scope.spawn(tries).join().unwrap(), 0);
            });
            drop(held);
            assert!(engine.try_lock().is_some());
        }
    }
}
