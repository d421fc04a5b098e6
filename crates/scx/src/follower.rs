//! A scheduler in the kernel that executes what it is told to.

use crate::adopted::Owners;
use crate::called::Called;
use crate::loaded::Loaded;
use crate::mapped::{Shared, AT_GATE, INSIDE};
use crate::object::{load, map, FOLLOW};
use crate::{LoadRefusal, Settings, MOST_PROCESSORS, MOST_TASKS};
use std::io;
use std::ops::Deref;
use std::sync::atomic::Ordering::SeqCst;

/// Finds out whether this machine lets a scheduler in, by letting one in for a moment. While it is there, it schedules
/// all ordinary threads, in the order in which they become ready.
pub fn probe() -> Result<(), LoadRefusal> {
    Follower::load(&Settings::of(0)).map(drop)
}

/// The scheduler that follows links, in the kernel as long as this value is there.
///
/// [`Follower::adopt`] gives a thread an index; from then on it executes only while it is linked to a processor. All
/// other threads of the machine that are of no real-time class have the other processors, the time that linked threads
/// leave, and a reserve.
#[derive(Debug)]
pub struct Follower {
    loaded: Loaded,
    shared: Shared,
    owners: Owners,
    relink: Called,
}

impl Follower {
    /// Loads the scheduler and lets it schedule. Takes some tenths of a second where processors are emulated.
    pub fn load(settings: &Settings) -> Result<Self, LoadRefusal> {
        let object = load(&FOLLOW, settings, |_, _| ())?;
        let shared = Shared::new(|name| map(&object, name))?;
        let owners = Owners::of(&object)?;
        let relink = Called::of(&object, "relink")?;
        let loaded = Loaded::attach(object, FOLLOW.name)?;
        Ok(Follower { loaded, shared, owners, relink })
    }

    /// Gives the thread an index, from 1 to [`MOST_TASKS`]: it executes only where that is linked, as soon as it is
    /// scheduled anew.
    pub fn adopt(&self, thread: libc::pid_t, index: u32) -> io::Result<()> {
        self.owners.adopt(thread, index)
    }

    /// Takes the thread's index away: it is scheduled as those outside of the scenario, as soon as it is scheduled
    /// anew.
    pub fn release(&self, thread: libc::pid_t) -> io::Result<()> {
        self.owners.release(thread)
    }

    /// Links processors to indices; index 0 takes a link away. Afterwards each of these processors executes its linked
    /// thread as soon as that is ready. Neither waits nor allocates, so a handler of a signal may call it. Two calls at
    /// a time must not name the same processor.
    pub fn relink(&self, links: impl IntoIterator<Item = (u32, u32)>) {
        let mut processors: u64 = 0;
        for (processor, index) in links {
            assert!(
                processor < MOST_PROCESSORS && index <= MOST_TASKS,
                "processor {processor}, index {index}"
            );
            self.shared.wish(processor, index);
            processors |= 1 << processor;
        }
        if processors != 0 {
            self.relink.call(processors);
        }
    }

    /// The thread of `index`, which calls this, is not stopped from now on, whatever its link. If it sleeps in the
    /// kernel, it goes on afterwards on the processor where it was.
    pub fn enter_section(&self, index: u32) {
        self.shared.place(index).section.store(INSIDE, SeqCst);
    }

    /// The thread of `index`, which calls this and is in a section, is about to sleep until it is linked. It is not
    /// stopped before; once it sleeps, it follows its link again.
    pub fn wait_at_gate(&self, index: u32) {
        self.shared.place(index).section.store(AT_GATE, SeqCst);
    }

    /// The thread of `index`, which calls this, follows its link again; gives up the processor at once if its link has
    /// gone meanwhile.
    pub fn leave_section(&self, index: u32) {
        let place = self.shared.place(index);
        place.section.store(0, SeqCst);
        if place.kept.swap(0, SeqCst) != 0 {
            std::thread::yield_now();
        }
    }
}

impl Deref for Follower {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.loaded
    }
}
