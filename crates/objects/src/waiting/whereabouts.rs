//! Where a task's thread is when a bell rings for whichever thread executes, and what its handler does there.
//!
//! A handler interrupts its own thread alone, between any two of its steps. In the task's code the thread decides at
//! once. In the runtime's code it must not, and notes the ring. At its gate it waits for others: it decides, and waits
//! on. No ring is forgotten: the thread looks at the note after it has said where it is. So a ring before that is
//! noted, and one after it is heard there. The note needs no order with other threads.

use super::super::sync::AtomicU32;
use core::sync::atomic::Ordering::{Relaxed, SeqCst};

/// In its task's code.
const OUTSIDE: u32 = 0;
/// In the runtime's code.
const INSIDE: u32 = 1;
/// In the runtime's code, at its gate: neither at an engine nor within an allocation.
const WAITS: u32 = 2;

/// Where one thread is: in its task's code, to begin with.
#[derive(Debug, Default)]
pub struct Whereabouts {
    place: AtomicU32,
    /// Not zero: a bell rang where the thread could not tell.
    rang: AtomicU32,
}

impl Whereabouts {
    /// The thread is in the runtime's code from now on (`true`), or leaves it.
    #[inline]
    pub fn set_inside(&self, inside: bool) {
        self.place.store(if inside { INSIDE } else { OUTSIDE }, SeqCst);
    }

    /// True if the thread is in its task's code: only a signal makes it look at its gate.
    #[inline]
    pub fn is_outside(&self) -> bool {
        self.place.load(SeqCst) == OUTSIDE
    }

    /// True if a ring was noted.
    #[inline]
    pub fn has_rung(&self) -> bool {
        self.rang.load(Relaxed) != 0
    }

    /// The same, once.
    #[inline]
    pub fn take_ring(&self) -> bool {
        self.has_rung() && self.rang.swap(0, Relaxed) != 0
    }

    /// The thread, in the runtime's code, sleeps at its gate by `sleep`, unless a ring was noted.
    pub fn wait(&self, sleep: impl FnOnce()) {
        self.place.store(WAITS, SeqCst);
        // A bell that rings from here on is heard at once.
        if !self.has_rung() {
            sleep();
        }
        self.place.store(INSIDE, SeqCst);
    }

    /// The bell's handler. In its task's code the thread pays a `visit`; at its gate it tells `beside` what it waits
    /// for, which stays as it is.
    pub fn ring(&self, visit: impl FnOnce(), mut beside: impl FnMut()) {
        match self.place.load(Relaxed) {
            OUTSIDE => visit(),
            WAITS => loop {
                self.place.store(INSIDE, SeqCst);
                beside();
                self.place.store(WAITS, SeqCst);
                if !self.take_ring() {
                    break;
                }
            },
            _ => self.rang.store(1, Relaxed),
        }
    }

    /// A handler that interrupts its task's code: the thread is in the runtime's code for each `visit`, which tells of
    /// what is noted, until it `may_go`.
    pub fn visit(&self, mut visit: impl FnMut(), may_go: impl Fn() -> bool) {
        loop {
            self.set_inside(true);
            visit();
            self.set_inside(false);
            // None signals a thread in the runtime's code. A bell that rings from here on is heard by a handler within
            // this one.
            if may_go() && !self.has_rung() {
                break;
            }
        }
    }
}
