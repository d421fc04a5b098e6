//! No ring of a processor's bell is forgotten, and no thread decides within its own decision: a bell rings between any
//! two steps of a thread, and of the handlers that interrupt it.
//!
//! A handler interrupts its own thread alone, so one thread is enough, without a model of memory. Every place for up to
//! three rings is tried.

#[path = "../src/waiting"]
mod waiting {
    pub(crate) mod whereabouts;
}

use std::cell::Cell;
use std::rc::Rc;
use waiting::whereabouts::Whereabouts;

/// The machine's atomics; before each access a bell may ring.
mod sync {
    use core::sync::atomic::Ordering;

    #[derive(Debug, Default)]
    pub(crate) struct AtomicU32(core::sync::atomic::AtomicU32);

    impl AtomicU32 {
        pub(crate) fn load(&self, ordering: Ordering) -> u32 {
            super::step();
            self.0.load(ordering)
        }

        pub(crate) fn store(&self, value: u32, ordering: Ordering) {
            super::step();
            self.0.store(value, ordering);
        }

        pub(crate) fn swap(&self, value: u32, ordering: Ordering) -> u32 {
            super::step();
            self.0.swap(value, ordering)
        }
    }
}

/// A task's thread, its gate and what it knows of the time.
struct Thread {
    whereabouts: Whereabouts,
    steps: Cell<u32>,
    /// Before which steps the bell rings, and how often it has rung.
    rings: [u32; 3],
    rung: Cell<usize>,
    /// What the bell has rung for was not told of.
    is_due: Cell<bool>,
    decides: Cell<bool>,
    /// Decisions that the thread has made in a handler.
    told: Cell<u32>,
    is_shut: Cell<bool>,
    /// Another thread has shut the gate while the thread was in a handler.
    was_stopped: Cell<bool>,
}

thread_local! {
    static THREAD: Cell<Option<Rc<Thread>>> = const { Cell::new(None) };
}

/// Between two steps of the thread.
fn step() {
    let Some(thread) = THREAD.take() else { return };
    THREAD.set(Some(Rc::clone(&thread)));
    let step = thread.steps.get();
    thread.steps.set(step + 1);
    if thread.rings.get(thread.rung.get()) == Some(&step) {
        thread.rung.set(thread.rung.get() + 1);
        thread.is_due.set(true);
        thread.be_interrupted();
    }
}

impl Thread {
    /// The bell's handler, as the runtime's.
    fn be_interrupted(&self) {
        self.whereabouts.ring(|| self.visit(), || self.tell());
    }

    fn visit(&self) {
        let visit = || {
            self.whereabouts.take_ring();
            self.tell();
            self.park();
            if !self.was_stopped.replace(true) {
                // The thread that does so sends no signal: this one is in the runtime's code.
                self.is_shut.set(true);
            }
        };
        self.whereabouts.visit(visit, || !self.is_shut.get());
    }

    fn park(&self) {
        while self.is_shut.get() {
            self.whereabouts.wait(|| self.sleep());
            if self.whereabouts.take_ring() {
                self.tell();
            }
        }
    }

    /// Until another thread opens the gate.
    fn sleep(&self) {
        for _ in 0..2 {
            step();
            assert!(!self.is_due.get(), "it sleeps, and something is due");
        }
        self.is_shut.set(false);
    }

    /// The first decision about the time has the thread stopped.
    fn tell(&self) {
        self.decide(|| {
            self.is_due.set(false);
            self.told.set(self.told.get() + 1);
            if self.told.get() == 1 {
                self.is_shut.set(true);
            }
        });
    }

    fn decide(&self, decision: impl FnOnce()) {
        assert!(!self.decides.replace(true), "it decides within its own decision");
        step();
        decision();
        step();
        self.decides.set(false);
    }

    /// In the task's code.
    fn execute(&self) {
        step();
        assert!(!self.is_due.get() && !self.is_shut.get(), "it executes, and ought to tell, or to wait");
    }

    /// A job asks for something that it does not get at once.
    fn be_a_job(&self) {
        self.execute();
        self.whereabouts.set_inside(true);
        self.decide(|| self.is_shut.set(true));
        loop {
            self.park();
            self.whereabouts.set_inside(false);
            let noted = self.whereabouts.take_ring();
            if !noted && !self.is_shut.get() {
                break;
            }
            self.whereabouts.set_inside(true);
            if noted {
                self.tell();
            }
        }
        self.execute();
    }
}

/// How many steps it takes if the bell rings before these; and how often it rings.
fn interrupted_before(rings: [u32; 3]) -> (u32, usize) {
    let thread = Rc::new(Thread {
        whereabouts: Whereabouts::default(),
        steps: Cell::new(0),
        rings,
        rung: Cell::new(0),
        is_due: Cell::new(false),
        decides: Cell::new(false),
        told: Cell::new(0),
        is_shut: Cell::new(false),
        was_stopped: Cell::new(false),
    });
    THREAD.set(Some(Rc::clone(&thread)));
    thread.be_a_job();
    THREAD.set(None);
    let is_told = !thread.is_due.get() && !thread.whereabouts.has_rung();
    assert!(is_told && thread.whereabouts.is_outside(), "{rings:?}");
    (thread.steps.get(), thread.rung.get())
}

#[test]
fn every_ring_is_heard_wherever_the_thread_is() {
    const NEVER: u32 = u32::MAX;
    let (alone, _) = interrupted_before([NEVER; 3]);
    let mut tried = 0;
    for first in 0..alone {
        let (with_one, _) = interrupted_before([first, NEVER, NEVER]);
        for second in first + 1..with_one {
            let (with_two, _) = interrupted_before([first, second, NEVER]);
            for third in second + 1..with_two {
                let (_, rung) = interrupted_before([first, second, third]);
                assert_eq!(rung, 3);
                tried += 1;
            }
        }
    }
    println!("{alone} steps, {tried} ways of three rings");
    assert!(alone > 10 && tried > 3_000, "{alone} steps, {tried} ways");
}
