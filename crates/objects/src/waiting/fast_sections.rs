//! What threads take without asking: seen by the deciding thread before it decides anything.
//!
//! A thread that executes may enter a non-preemptive section, or take a mutex that is free, by writing so into memory.
//! The thread that decides (one at a time, under a lock) says that it decides, then looks what the executing threads
//! have words, and marks what it has seen as noticed. A thread writes first and looks second whether somebody decides,
//! so that one of the two sees the other (E. W. Dijkstra's account of Dekker's algorithm, 1965): if somebody decides,
//! the thread withdraws its found, unless it was noticed, and asks. What was noticed ends by saying so; all else ends
//! in memory alone. So a decision never misses a section, and a section that went unnoticed costs one atomic exchange,
//! at its beginning, and none where all execute on one processor.
//!
//! A thread that has paid for [`ENOUGH`] exchanges is *biased*: its sections begin with plain writes from then on,
//! until the deciding thread *revokes* it ([`FastSections::revoke`]) and makes all processors finish what they have
//! begun, once for all biased threads. That barrier costs about as much as the exchanges did, so that both together
//! cost at most twice what the better of the two ways would have (the argument for snooping caches of A. Karlin, M.
//! Manasse, L. Rudolph and D. Sleator 1988).
//!
//! Its end writes first and looks second, too, but nothing keeps the processor from looking first. Instead the deciding
//! thread, if it has met a section, makes all processors finish what they have begun (a [`FastSections::notice`]'s
//! `barrier`), and looks again: either it now sees the end, or the thread will see that it was noticed. Decisions
//! seldom meet a section, sections often end.
//!
//! The idea of a flag in the thread's own memory is that of block-or-not-2008, section 3 (non-preemptive sections);
//! that of a barrier on the rare side alone is that of asymmetric fences (D. Dice, H. Huang and M. Yang 2001).

use super::super::padded::Padded;
use super::super::sync::{announce, light_barrier, AtomicU32, ENOUGH};
use alloc::boxed::Box;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// No mutex is words; no section has been noticed of.
const NONE: u32 = 0;
/// A words resource's number is larger by this.
const FIRST: u32 = 1;
/// The deciding thread has noticed of it.
const NOTICED: u32 = 1 << 31;
/// A mutex of which the deciding thread knows more than one thread could say.
const ASKED: u32 = NOTICED - 1;

/// What a thread has words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastSection {
    /// It is in a non-preemptive section.
    NonPreemptive,
    /// It holds this resource.
    Resource(u32),
}

/// What came of entering a section without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The thread is in it. [`FastSections::exit`] says whether somebody has noticed of it.
    Entered,
    /// The thread is in it, and has to say that it leaves: it was noticed at once.
    Noticed,
    /// The thread has to ask.
    Refused,
}

/// One thread's words.
#[derive(Debug)]
struct ThreadWords {
    /// How often it has entered and left sections: an odd number within one. Only the thread writes it.
    section: AtomicU32,
    /// How many sections began with an exchange since the thread was last revoked. It writes less than [`ENOUGH`] only,
    /// others zero instead of that only.
    bias: AtomicU32,
    /// The section of which the deciding thread has noticed, by that number.
    noticed: AtomicU32,
    /// A resource that it takes, or has taken, plus [`FIRST`].
    resource: AtomicU32,
}

/// The fast_sections of some threads on some mutexes.
#[derive(Debug)]
pub struct FastSections {
    alone: bool,
    /// Not zero while somebody decides.
    deciding: Padded<AtomicU32>,
    /// By thread.
    words: Box<[Padded<ThreadWords>]>,
    /// By mutex: zero if it is free, else its holder's number plus one, or [`ASKED`].
    mutexes: Box<[Padded<AtomicU32>]>,
}

impl FastSections {
    /// No fast_sections, of so many threads on so many mutexes. `alone`: all of them, and the deciding one, execute on
    /// one processor, which sees what it writes itself.
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

    /// `thread`, which has no found, enters a non-preemptive section. `may` says whether it may execute.
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

    /// `thread` leaves the section that it entered by [`FastSections::enter`]. False if that was noticed, and it has to
    /// say so.
    #[inline]
    pub fn exit(&self, thread: usize) -> bool {
        let ThreadWords { section, noticed, .. } = &self.words[thread].0;
        let within = section.load(Relaxed);
        section.store(within.wrapping_add(1), Release);
        light_barrier();
        // The deciding thread may have found that the section was over, and take its word back.
        noticed.load(Relaxed) != within || noticed.swap(NONE, AcqRel) != within
    }

    /// `thread`, which has no found, takes `resource`, which is part of `mutex`, if that is free. `may` as for
    /// [`FastSections::enter`]. False if it has to ask.
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

    /// `thread` gives back what it took by [`FastSections::take`]. False if that was noticed, and it has to say so.
    #[inline]
    pub fn give(&self, thread: usize, mutex: usize) -> bool {
        let given = self.mutexes[mutex].0.compare_exchange(thread as u32 + 1, 0, SeqCst, Relaxed).is_ok();
        self.words[thread].0.resource.store(NONE, Release);
        given
    }

    /// Somebody decides from now on. One at a time: under a lock.
    pub fn begin(&self) {
        announce(&self.deciding.0, 1);
    }

    /// No thread decides any more.
    pub fn end(&self) {
        self.deciding.0.store(0, SeqCst);
    }

    /// True if `thread`, which executes, may have begun a section by a plain write, which need not be to be seen yet:
    /// the caller makes a barrier, as for [`FastSections::notice`], between this and that. The deciding thread asks this
    /// of every thread that it is going to hear.
    pub fn revoke(&self, thread: usize) -> bool {
        let bias = &self.words[thread].0.bias;
        let revoked = !self.alone && bias.load(SeqCst) >= ENOUGH;
        if revoked {
            bias.store(0, SeqCst);
        }
        revoked
    }

    /// What `thread`, which executes, has words without having been noticed: it is noticed now. `mutex_of` says of
    /// which mutex a resource is part. The deciding thread asks this of every thread that executes and that the
    /// decision may concern, before it decides. After `barrier`, all processors that execute such threads have seen
    /// what the caller wrote before it, and all that they wrote before is to be seen.
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

    /// The deciding thread knows of one that wants or holds the mutex: none takes it without asking from now on.
    pub fn close(&self, mutex: usize) {
        self.mutexes[mutex].0.swap(ASKED, SeqCst);
    }

    /// The deciding thread knows of none that wants or holds the mutex any more.
    pub fn open(&self, mutex: usize) {
        self.mutexes[mutex].0.store(0, Release);
    }

    /// Whether a thread decides at this moment.
    #[inline]
    pub fn is_deciding(&self) -> bool {
        self.deciding.0.load(SeqCst) != 0
    }

    /// Whether a thread holds the mutex or wants it.
    pub fn is_closed(&self, mutex: usize) -> bool {
        self.mutexes[mutex].0.load(Acquire) != 0
    }
}
