//! Processors that stand still while one decides for all of them.
//!
//! The deciding thread (one at a time, under a lock) asks a thread of each other processor to stand. Those threads are
//! above all others there, so that no other executes from when they stand until the decision is over. The
//! stop-the-world architecture of chronos-scalability-2011, section 2.

use super::super::padded::Padded;
use super::super::sync::AtomicU32;
use alloc::boxed::Box;
use core::sync::atomic::Ordering::{Acquire, Release};

/// The state of some processors that one of them may stop.
#[derive(Debug)]
pub struct StopTheWorld {
    /// By processor: [`StopTheWorld::GOES`], [`ASKED`], [`STANDS`] or [`CLOSED`].
    words: Box<[Padded<AtomicU32>]>,
}

/// A deciding thread waits for the processor to stand.
const ASKED: u32 = 1;
/// The processor stands still.
const STANDS: u32 = 2;
/// The run is over: no thread will decide any more.
const CLOSED: u32 = 3;

impl StopTheWorld {
    /// The word of a processor that no decision stops: its thread may sleep as long as this stands there.
    pub const GOES: u32 = 0;

    /// Creates the state of this many processors, none of which stands.
    pub fn new(processors: usize) -> Self {
        StopTheWorld { words: (0..processors).map(|_| Padded(AtomicU32::new(Self::GOES))).collect() }
    }

    /// The word of processor `index`, for its thread to sleep at.
    pub fn word(&self, index: usize) -> &AtomicU32 {
        &self.words[index].0
    }

    /// Stops all processors but `mine`, for one decision at a time. `wake` is called for each of them, `relax` as long
    /// as one does not stand.
    pub fn begin(&self, mine: Option<usize>, mut wake: impl FnMut(usize), mut relax: impl FnMut()) {
        let others = || (0..self.words.len()).filter(|index| Some(*index) != mine);
        for index in others() {
            self.word(index).store(ASKED, Release);
            wake(index);
        }
        for index in others() {
            while self.word(index).load(Acquire) != STANDS {
                relax();
            }
        }
    }

    /// Ends [`StopTheWorld::begin`]: all processors go on.
    pub fn end(&self) {
        for word in &self.words {
            word.0.store(Self::GOES, Release);
        }
    }

    /// Ends all decisions, for good.
    pub fn close(&self) {
        for word in &self.words {
            word.0.store(CLOSED, Release);
        }
    }

    /// True if no thread will decide any more.
    pub fn is_closed(&self, index: usize) -> bool {
        self.word(index).load(Acquire) == CLOSED
    }

    /// Stands still for processor `index` if a thread decides, until the decision is over, and calls `relax` meanwhile.
    /// True if there was a decision.
    pub fn stand(&self, index: usize, mut relax: impl FnMut()) -> bool {
        let word = self.word(index);
        if word.load(Acquire) != ASKED {
            return false;
        }
        // No other writes now: the decision waits for this.
        word.store(STANDS, Release);
        while word.load(Acquire) == STANDS {
            relax();
        }
        true
    }
}
