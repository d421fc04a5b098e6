//! Sections that threads enter without a call of the engine, and that the deciding thread notices before it decides.
//!
//! A thread that executes may enter a non-preemptive section, or take a mutex that is free, by writing so into memory.
//! The deciding thread (one at a time, under a lock) announces that it decides, then looks for fast sections of the
//! executing threads, and marks those that it sees as noticed. A thread writes first and looks second whether a
//! decision is under way, so that one of the two sees the other (E. W. Dijkstra's account of Dekker's algorithm, 1965):
//! if there is a decision, the thread withdraws its section, unless that was noticed, and asks the engine. A noticed
//! section ends by a report to the engine; all others end in memory alone. So a decision never misses a section, and a
//! section that no decision notices costs one atomic exchange, at its beginning, and none where all threads execute on
//! one processor.
//!
//! A thread that has paid for [`ENOUGH`] exchanges is *biased*: its sections begin with plain writes from then on,
//! until the deciding thread *revokes* the bias ([`FastSections::revoke`]) and makes all processors finish what they
//! have begun, once for all biased threads. That barrier costs about as much as the exchanges did, so that both
//! together cost at most twice what the better of the two ways would have (the argument for snooping caches of A.
//! Karlin, M. Manasse, L. Rudolph and D. Sleator 1988).
//!
//! The end of a section writes first and looks second, too, but nothing keeps the processor from looking first. Instead
//! the deciding thread, if it has met a section, makes all processors finish what they have begun (the `barrier` of
//! [`FastSections::notice`]), and looks again: either it now sees the end, or the thread will see that its section was
//! noticed. Decisions seldom meet a section, sections often end.
//!
//! The idea of a flag in the thread's own memory is that of block-or-not-2008, section 3 (non-preemptive sections);
//! that of a barrier on the rare side alone is that of asymmetric fences (D. Dice, H. Huang and M. Yang 2001).

use super::super::padded::Padded;
use super::super::sync::{announce, light_barrier, AtomicU32, ENOUGH};
use alloc::boxed::Box;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// No resource is taken; no section was noticed.
const NONE: u32 = 0;
/// Added to the number of a resource that is taken.
const FIRST: u32 = 1;
/// Bit of a mutex's word: the deciding thread has noticed its holder.
const NOTICED: u32 = 1 << 31;
/// The mutex is contended: only the engine may grant it.
const ASKED: u32 = NOTICED - 1;

/// A section that a thread has begun without a call of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastSection {
    /// The thread is in a non-preemptive section.
    NonPreemptive,
    /// The thread holds this resource.
    Resource(u32),
}

/// Result of entering a section without a call of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The thread is in the section. [`FastSections::exit`] says whether a decision has noticed it.
    Entered,
    /// The thread is in the section, which was noticed at once: the thread has to report that it leaves.
    Noticed,
    /// The thread is not in the section, and has to ask the engine.
    Refused,
}

/// The words by which one thread announces its sections.
#[derive(Debug)]
struct ThreadWords {
    /// Number of times that the thread has entered or left a section: odd within one. Only the thread writes it.
    section: AtomicU32,
    /// Number of sections that have begun with an exchange since the thread's bias was last revoked. The thread itself
    /// writes it only while it is less than [`ENOUGH`]; other threads only write zero, once it is not.
    bias: AtomicU32,
    /// The section that the deciding thread has noticed, by the number in `section`.
    noticed: AtomicU32,
    /// The resource that the thread takes, or has taken, plus [`FIRST`].
    resource: AtomicU32,
}

/// The fast sections of a number of threads, on a number of mutexes.
#[derive(Debug)]
pub struct FastSections {
    alone: bool,
    /// Not zero while a thread decides.
    deciding: Padded<AtomicU32>,
    /// By thread: its words.
    words: Box<[Padded<ThreadWords>]>,
    /// By mutex: zero if it is free, else its holder's number plus one, or [`ASKED`].
    mutexes: Box<[Padded<AtomicU32>]>,
}

impl FastSections {
    /// Creates the state of this many threads and mutexes, without any section. `alone`: all threads, and the deciding
    /// one, execute on one processor, which sees what it writes itself.
    pub fn new(threads: usize, mutexes: usize, alone: bool) -> Self {
        assert!(threads < ASKED as usize - 1, "a thread's number fits");
        let word = || AtomicU32::new(NONE);
        let bias = || AtomicU32::new(if alone { ENOUGH } else { 0 });
        let words =
            |_| Padded(ThreadWords { section: word(), bias: bias(), noticed: word(), resource: word() });
        FastSections {
            alone,
            deciding: Padded(word()),
            words: (0..threads).map(words).collect(),
            mutexes: (0..mutexes).map(|_| Padded(word())).collect(),
        }
    }

    /// Enters a non-preemptive section for `thread`, which is in no fast section. `may` says whether the thread may
    /// execute.
    #[inline]
    pub fn enter(&self, thread: usize, may: impl Fn() -> bool) -> Entry {
        let ThreadWords { section, bias, .. } = &self.words[thread].0;
        let within = section.load(Relaxed).wrapping_add(1);
        section.store(within, Relaxed);
        light_barrier();
        // Looked at after the write: the thread that takes the bias back makes the barrier after this, and so sees
        // what was written before.
        let biased = bias.load(Acquire);
        if biased < ENOUGH {
            bias.store(biased + 1, Relaxed);
            announce(section, within);
        }
        if !self.is_deciding() && may() {
            return Entry::Entered;
        }
        if self.exit(thread) {
            Entry::Refused
        } else {
            Entry::Noticed
        }
    }

    /// Leaves the section that `thread` entered by [`FastSections::enter`]. False if a decision noticed it: then the
    /// thread has to report that it leaves.
    #[inline]
    pub fn exit(&self, thread: usize) -> bool {
        let ThreadWords { section, noticed, .. } = &self.words[thread].0;
        let within = section.load(Relaxed);
        section.store(within.wrapping_add(1), Release);
        light_barrier();
        // The deciding thread may have found that the section was over, and take its word back.
        noticed.load(Relaxed) != within || noticed.swap(NONE, AcqRel) != within
    }

    /// Takes `resource`, which is part of `mutex`, for `thread`, which is in no fast section, if the mutex is free.
    /// `may` is as for [`FastSections::enter`]. False if the thread has to ask the engine.
    #[inline]
    pub fn take(&self, thread: usize, resource: u32, mutex: usize, may: impl Fn() -> bool) -> bool {
        let (words, holder) = (&self.words[thread].0.resource, &self.mutexes[mutex].0);
        let mine = thread as u32 + 1;
        words.store(FIRST + resource, SeqCst);
        if holder.compare_exchange(0, mine, SeqCst, Relaxed).is_ok() {
            // A thread that may not execute is not looked at, and may lose the mutex to one that asks.
            if !self.is_deciding() && may() && holder.load(SeqCst) & !NOTICED == mine {
                return true;
            }
            let withdrawn = holder.compare_exchange(mine, 0, SeqCst, Relaxed);
            if withdrawn == Err(mine | NOTICED) {
                return true;
            }
        }
        words.store(NONE, Release);
        false
    }

    /// Gives back what `thread` took by [`FastSections::take`]. False if a decision noticed it: then the thread has to
    /// report that it gives it back.
    #[inline]
    pub fn give(&self, thread: usize, mutex: usize) -> bool {
        let given = self.mutexes[mutex].0.compare_exchange(thread as u32 + 1, 0, SeqCst, Relaxed).is_ok();
        self.words[thread].0.resource.store(NONE, Release);
        given
    }

    /// Announces that the caller decides from now on. One thread at a time does, under a lock.
    pub fn begin(&self) {
        announce(&self.deciding.0, 1);
    }

    /// Ends what [`FastSections::begin`] announced.
    pub fn end(&self) {
        self.deciding.0.store(0, SeqCst);
    }

    /// Revokes the bias of `thread`, which executes. True if the thread was biased: then it may have begun a section by
    /// a plain write that is not visible yet, and the caller issues a barrier, as for [`FastSections::notice`], before
    /// it looks. The deciding thread calls this for every thread whose section it is going to look for.
    pub fn revoke(&self, thread: usize) -> bool {
        let bias = &self.words[thread].0.bias;
        let revoked = !self.alone && bias.load(SeqCst) >= ENOUGH;
        if revoked {
            bias.store(0, SeqCst);
        }
        revoked
    }

    /// Returns the fast section of `thread`, which executes, if that was not noticed before, and marks it as noticed.
    /// `mutex_of` says of which mutex a resource is part. The deciding thread calls this for every thread that executes
    /// and that the decision may concern, before it decides. After `barrier`, all processors that execute such threads
    /// have seen what the caller wrote before it, and all that they wrote before is visible.
    pub fn notice(
        &self,
        thread: usize,
        mutex_of: impl Fn(u32) -> Option<usize>,
        barrier: impl Fn(),
    ) -> Option<FastSection> {
        let ThreadWords { section, noticed, resource, .. } = &self.words[thread].0;
        let within = section.load(SeqCst);
        if within % 2 == 1 && noticed.load(Relaxed) != within {
            noticed.store(within, SeqCst);
            barrier();
            // A thread that left it may have seen that it was noticed: then it says that it left.
            let goes_on = section.load(SeqCst) == within;
            let said = goes_on || noticed.compare_exchange(within, NONE, AcqRel, Acquire).is_err();
            return said.then_some(FastSection::NonPreemptive);
        }
        let resource = resource.load(SeqCst).checked_sub(FIRST)?;
        let (holder, mine) = (&self.mutexes[mutex_of(resource)?].0, thread as u32 + 1);
        let noticed = holder.compare_exchange(mine, mine | NOTICED, SeqCst, Relaxed);
        noticed.ok().map(|_| FastSection::Resource(resource))
    }

    /// Closes the mutex, because the deciding thread knows of a thread that wants or holds it: from now on only the
    /// engine grants it.
    pub fn close(&self, mutex: usize) {
        self.mutexes[mutex].0.swap(ASKED, SeqCst);
    }

    /// Opens the mutex for fast sections, because no thread that the deciding thread knows of wants or holds it any
    /// more.
    pub fn open(&self, mutex: usize) {
        self.mutexes[mutex].0.store(0, Release);
    }

    /// True if a thread decides at this moment.
    #[inline]
    pub fn is_deciding(&self) -> bool {
        self.deciding.0.load(SeqCst) != 0
    }

    /// True if a thread holds the mutex or wants it.
    pub fn is_closed(&self, mutex: usize) -> bool {
        self.mutexes[mutex].0.load(Acquire) != 0
    }
}
