//! What threads take without asking: seen by whoever decides before it decides anything.
//!
//! A thread that executes may enter a non-preemptive section, or take a mutex that is free, by writing so into memory. Whoever
//! decides (one at a time, under a lock) says that it decides, then looks what the executing threads have claimed, and marks
//! what it has seen as heard. A thread writes first and looks second whether somebody decides, so that one of the two sees the
//! other (E. W. Dijkstra's account of Dekker's algorithm, 1965): if somebody decides, the thread withdraws its claim, unless
//! it was heard, and asks. What was heard ends by saying so; all else ends in memory alone. So a decision never misses a section, and a
//! section that nobody noticed costs four atomic operations.
//!
//! The idea of a flag in the thread's own memory is that of block-or-not-2008, section 3 (non-preemptive sections).

use super::padded::Padded;
use super::sync::AtomicU32;
use alloc::boxed::Box;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// A thread's claim: none.
const NONE: u32 = 0;
/// A thread's claim: a non-preemptive section. Larger ones, less [`FIRST`], are resources.
const SECTION: u32 = 1;
const FIRST: u32 = 2;
/// Whoever decides has heard of it.
const HEARD: u32 = 1 << 31;
/// A mutex of which whoever decides knows more than one thread could say.
const ASKED: u32 = HEARD - 1;

/// What a thread has claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is in a non-preemptive section.
    Section,
    /// It holds this resource.
    Resource(u32),
}

/// The claims of some threads on some mutexes.
#[derive(Debug)]
pub struct Claims {
    /// Not zero while somebody decides.
    deciding: Padded<AtomicU32>,
    /// By thread.
    claimed: Box<[Padded<AtomicU32>]>,
    /// By mutex: zero if it is free, else its holder's number plus one, or [`ASKED`].
    mutexes: Box<[Padded<AtomicU32>]>,
}

impl Claims {
    /// No claims, of so many threads on so many mutexes.
    pub fn new(threads: usize, mutexes: usize) -> Self {
        assert!(threads < ASKED as usize - 1, "a thread's number fits");
        let words = |count| (0..count).map(|_| Padded(AtomicU32::new(NONE))).collect();
        Claims { deciding: Padded(AtomicU32::new(0)), claimed: words(threads), mutexes: words(mutexes) }
    }

    fn nobody_decides(&self) -> bool {
        self.deciding.0.load(SeqCst) == 0
    }

    /// `thread`, which has no claim, enters a non-preemptive section. `may` says whether it may execute. False if it has to ask.
    #[inline]
    pub fn enter(&self, thread: usize, may: impl Fn() -> bool) -> bool {
        let claimed = &self.claimed[thread].0;
        claimed.swap(SECTION, SeqCst);
        if self.nobody_decides() && may() {
            return true;
        }
        // If it was heard meanwhile, then it is in the section.
        claimed.compare_exchange(SECTION, NONE, SeqCst, Relaxed).is_err()
    }

    /// `thread` leaves the section of [`Claims::enter`]. False if that was heard, and it has to say so.
    #[inline]
    pub fn exit(&self, thread: usize) -> bool {
        let claimed = &self.claimed[thread].0;
        if claimed.compare_exchange(SECTION, NONE, SeqCst, Relaxed).is_ok() {
            return true;
        }
        claimed.store(NONE, Release);
        false
    }

    /// `thread`, which has no claim, takes `resource`, which is part of `mutex`, if that is free. `may` as for [`Claims::enter`].
    /// False if it has to ask.
    #[inline]
    pub fn take(&self, thread: usize, resource: u32, mutex: usize, may: impl Fn() -> bool) -> bool {
        let (claimed, holder) = (&self.claimed[thread].0, &self.mutexes[mutex].0);
        let mine = thread as u32 + 1;
        claimed.store(FIRST + resource, SeqCst);
        if holder.compare_exchange(0, mine, SeqCst, Relaxed).is_ok() {
            // A thread that may not execute is not looked at, and may lose the mutex to one that asks.
            if self.nobody_decides() && may() && holder.load(SeqCst) & !HEARD == mine {
                return true;
            }
            let withdrawn = holder.compare_exchange(mine, 0, SeqCst, Relaxed);
            if withdrawn == Err(mine | HEARD) {
                return true;
            }
        }
        claimed.store(NONE, Release);
        false
    }

    /// `thread` gives back what it took by [`Claims::take`]. False if that was heard, and it has to say so.
    #[inline]
    pub fn give(&self, thread: usize, mutex: usize) -> bool {
        let given = self.mutexes[mutex].0.compare_exchange(thread as u32 + 1, 0, SeqCst, Relaxed).is_ok();
        self.claimed[thread].0.store(NONE, Release);
        given
    }

    /// Somebody decides from now on. One at a time: under a lock.
    pub fn begin(&self) {
        self.deciding.0.swap(1, SeqCst);
    }

    /// Nobody decides any more.
    pub fn end(&self) {
        self.deciding.0.store(0, SeqCst);
    }

    /// What `thread`, which executes, has claimed without having been heard: it is heard now. `mutex_of` says of which mutex a resource
    /// is part. Whoever decides asks this of every thread that executes, before it decides.
    pub fn hear(&self, thread: usize, mutex_of: impl Fn(u32) -> Option<usize>) -> Option<Claim> {
        let claimed = &self.claimed[thread].0;
        match claimed.load(SeqCst) {
            NONE => None,
            SECTION => {
                let heard = claimed.compare_exchange(SECTION, SECTION | HEARD, SeqCst, Relaxed);
                heard.ok().map(|_| Claim::Section)
            }
            claim => {
                let resource = claim.checked_sub(FIRST).filter(|_| claim & HEARD == 0)?;
                let (holder, mine) = (&self.mutexes[mutex_of(resource)?].0, thread as u32 + 1);
                let heard = holder.compare_exchange(mine, mine | HEARD, SeqCst, Relaxed);
                heard.ok().map(|_| Claim::Resource(resource))
            }
        }
    }

    /// Whoever decides knows of somebody who wants or holds the mutex: nobody takes it without asking from now on.
    pub fn close(&self, mutex: usize) {
        self.mutexes[mutex].0.swap(ASKED, SeqCst);
    }

    /// Whoever decides knows of nobody who wants or holds the mutex any more.
    pub fn open(&self, mutex: usize) {
        self.mutexes[mutex].0.store(0, Release);
    }

    /// Whether somebody holds the mutex or wants it.
    pub fn is_closed(&self, mutex: usize) -> bool {
        self.mutexes[mutex].0.load(Acquire) != 0
    }
}
