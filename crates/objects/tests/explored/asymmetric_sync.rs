//! Loom's atomics with a barrier that one thread makes for another, as an interrupt of that one's processor.
//!
//! Loom knows none. Here the thread that is to be interrupted looks before and after each of its reads, and where the
//! sources have a light barrier, whether it was asked; if it sees that, it makes its fence and says so. A thread that
//! asks waits for that. A look orders nothing by itself.

use core::ops::Deref;
use core::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use loom::sync::atomic::fence;
use loom::sync::Notify;

type Word = loom::sync::atomic::AtomicU32;

/// Number of exchanges before a thread is biased: so small that both ways are explored.
pub(crate) const ENOUGH: u32 = 1;

loom::lazy_static! {
    /// Number of barriers that were asked for, and of those for which the other thread has made its fence.
    static ref ASKED: Word = Word::new(0);
    static ref ANSWERED: Word = Word::new(0);
    /// The other thread has answered. To yield instead would let that one go on to its end.
    static ref ANSWER: Notify = Notify::new();
}

/// The thread has ended: nothing of it is left to be seen.
const ENDED: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct AtomicU32(Word);

impl AtomicU32 {
    pub fn new(value: u32) -> Self {
        AtomicU32(Word::new(value))
    }

    pub fn load(&self, ordering: Ordering) -> u32 {
        light_barrier();
        let value = self.0.load(ordering);
        light_barrier();
        value
    }
}

impl Deref for AtomicU32 {
    type Target = Word;

    fn deref(&self) -> &Word {
        &self.0
    }
}

/// An interrupt may come here.
pub(crate) fn light_barrier() {
    let asked = ASKED.load(Relaxed);
    if asked > ANSWERED.load(Relaxed) {
        fence(SeqCst);
        answer(asked);
    }
}

/// Interrupts the other thread.
pub(crate) fn barrier() {
    fence(SeqCst);
    let asked = ASKED.fetch_add(1, Release) + 1;
    while ANSWERED.load(Acquire) < asked {
        ANSWER.wait();
    }
    fence(SeqCst);
}

/// The thread that can be interrupted ends.
pub(crate) fn end() {
    answer(ENDED);
}

fn answer(asked: u32) {
    ANSWERED.store(asked, Release);
    ANSWER.notify();
}

/// Loom takes sequential consistency of anything but fences for less than it is.
pub(crate) fn announce(word: &AtomicU32, value: u32) -> u32 {
    let before = word.swap(value, SeqCst);
    fence(SeqCst);
    before
}
