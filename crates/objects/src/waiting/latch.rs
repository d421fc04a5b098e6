//! A latch: one thread sleeps there until others let it pass, and they may wake it before they do.
//!
//! A latch holds a word: zero while it is shut, else what the thread may do. The thread that opens it has to wake a
//! thread that sleeps there: a system call. If it is known beforehand who goes next, and only not yet when, the thread
//! can be woken *early*: while the latch is shut. It then is ready when the latch is opened, which is a plain
//! write.
//!
//! That a thread was woken early stands in the word, so it is true as long as none may rely on less: a thread that
//! looks too early takes the word back before it sleeps again, and then has to be woken once more. A word that
//! says so therefore means that the thread is going to look at it by itself. As for any futex, a thread says that
//! it sleeps before the kernel compares the word, and others change the word before they look whether it sleeps.

use super::super::sync::{announce, AtomicU32};
use core::sync::atomic::Ordering::{Relaxed, SeqCst};

/// The word of a shut latch.
const SHUT: u32 = 0;
/// The word of a shut latch whose thread was woken early, and is on its way to look.
const EARLY: u32 = u32::MAX - 1;

/// A word that lets one thread pass. Besides that thread, one thread at a time changes the word, under a lock.
#[derive(Debug)]
pub struct Latch {
    word: AtomicU32,
    /// Not zero while the thread sleeps, or is about to.
    asleep: AtomicU32,
}

impl Latch {
    /// A shut latch.
    pub fn shut() -> Self {
        Latch { word: AtomicU32::new(SHUT), asleep: AtomicU32::new(0) }
    }

    /// The word of what the thread may do; zero for nothing. The load is in one order with all that is sequentially
    /// consistent: the thread writes where it is, then looks here; a thread that signals it changes the word first, and
    /// looks where the other is second.
    #[inline]
    pub fn word(&self) -> u32 {
        visible(self.word.load(SeqCst))
    }

    /// Lets the thread do `word`, zero for nothing, from now on. Calls `wake` if the thread sleeps and may go on.
    /// Returns what the thread was allowed before.
    pub fn set(&self, word: u32, wake: impl FnOnce(&AtomicU32)) -> u32 {
        assert!(word != EARLY, "a word of the latch's own");
        let before = announce(&self.word, word);
        if word != SHUT && before == SHUT && self.is_sleeping() {
            wake(&self.word);
        }
        visible(before)
    }

    /// Wakes the thread, by `wake`, if it sleeps: the latch is about to be opened, which then needs no `wake`.
    pub fn wake_early(&self, wake: impl FnOnce(&AtomicU32)) {
        if self.word.load(Relaxed) == SHUT {
            announce(&self.word, EARLY);
            if self.is_sleeping() {
                wake(&self.word);
            }
        }
    }

    /// Lets the calling thread sleep by `wait`, unless it may go on. `wait` returns once the thread is woken, or at any
    /// time, and at once if the word is not the one that it is given.
    pub fn sleep(&self, wait: impl FnOnce(&AtomicU32, u32)) {
        // It came too early: the thread that opens the latch has to wake it again.
        let _ = self.word.compare_exchange(EARLY, SHUT, SeqCst, Relaxed);
        announce(&self.asleep, 1);
        wait(&self.word, SHUT);
        self.asleep.store(0, SeqCst);
    }

    /// True if the thread sleeps, or is about to, and was not woken early.
    pub fn is_asleep(&self) -> bool {
        self.is_sleeping() && self.word.load(SeqCst) == SHUT
    }

    fn is_sleeping(&self) -> bool {
        self.asleep.load(SeqCst) != 0
    }
}

fn visible(word: u32) -> u32 {
    if word == EARLY {
        SHUT
    } else {
        word
    }
}
