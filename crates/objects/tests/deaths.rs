//! Tasks that die before any access of an operation leave lock-free and wait-free objects usable: each place where a
//! process can be killed, of one task and of two.

extern crate alloc;

mod inner {
    pub(crate) use core::sync::atomic::AtomicU64 as Inner;
    pub(crate) use std::thread_local;
}
#[path = "explored/counted.rs"]
mod counted;
#[macro_use]
#[path = "explored/std_sync.rs"]
#[allow(dead_code, unused_imports, reason = "the objects need a part of it")]
mod sync;
#[path = "explored/sources.rs"]
#[allow(dead_code, unused_macros, reason = "these tests use the nine objects")]
mod sources;

use sources::{Kind, Request, Scheme, Shape, TicketLock, Together, Words};

const SIZE: usize = 3;
const TASKS: usize = 3;
/// The task that survives.
const ME: usize = TASKS - 1;
/// The number of values that were there before.
const BEFORE: u64 = 10;

/// The steps after which tasks 0 and 1 die, and whether each of them puts or writes then.
#[derive(Clone, Copy, Debug)]
struct Deaths {
    after: [usize; 2],
    puts: [bool; 2],
    /// Number of values that were there before.
    values: u64,
}

struct Memory(Shape, Vec<counted::Word>, TicketLock);

impl Memory {
    fn new(shape: Shape) -> Self {
        let words: Vec<counted::Word> = (0..shape.words()).map(|_| counted::Word::new(0)).collect();
        shape.set_up(Words::new(&words));
        Memory(shape, words, TicketLock::new())
    }

    fn apply(&self, me: usize, request: Request) -> Option<u64> {
        let mut container = self.0.container(&self.2, Words::new(&self.1), me);
        let answer = container.apply(request, &Together).expect("no lock is there");
        let most = self.0.most_attempts().unwrap_or(u64::MAX);
        assert!(container.attempts() <= most, "{:?}: {} attempts", self.0, container.attempts());
        answer
    }

    fn write(&self, me: usize, value: u64) {
        let mut buffer = self.0.buffer(&self.2, Words::new(&self.1), me);
        buffer.write(&[value; SIZE], &Together).expect("no lock is there");
    }

    fn read(&self, me: usize) -> u64 {
        let mut value = [0; SIZE];
        let mut buffer = self.0.buffer(&self.2, Words::new(&self.1), me);
        buffer.read(&mut value, &Together).expect("no lock is there");
        assert_eq!(value, [value[0]; SIZE], "torn");
        value[0]
    }

    /// All values, the first one first. What a dead task has announced may take effect meanwhile.
    fn drain(&self) -> Vec<u64> {
        let takes = (0..SIZE + 2 * TASKS).map(|_| self.apply(ME, Request::Take));
        takes.collect::<Vec<_>>().into_iter().flatten().collect()
    }
}

/// A value that a dead task puts: less urgent than those before.
fn of(task: usize) -> u64 {
    task as u64 + 1
}

/// Which of the two tasks died within their operation.
fn die(memory: &Memory, deaths: Deaths) -> [bool; 2] {
    [0, 1].map(|task| {
        let operate = || match (memory.0.kind, deaths.puts[task]) {
            (Kind::Buffer, true) => memory.write(task, of(task)),
            (Kind::Buffer, false) => drop(memory.read(task)),
            (Kind::Queue | Kind::Heap, true) => drop(memory.apply(task, Request::Put(of(task)))),
            (Kind::Queue | Kind::Heap, false) => drop(memory.apply(task, Request::Take)),
        };
        counted::dying_after(deaths.after[task], operate).is_none()
    })
}

fn buffer_survives(shape: Shape, deaths: Deaths) -> [bool; 2] {
    let memory = Memory::new(shape);
    memory.write(ME, BEFORE);
    let dead = die(&memory, deaths);
    let seen = memory.read(ME);
    let may_be = seen == BEFORE || (0..2).any(|task| deaths.puts[task] && seen == of(task));
    assert!(may_be, "{shape:?} {deaths:?}: {seen}");
    for value in 100..105 {
        memory.write(ME, value);
        assert_eq!(memory.read(ME), value, "{shape:?} {deaths:?}");
    }
    dead
}

fn container_survives(shape: Shape, deaths: Deaths) -> [bool; 2] {
    let memory = Memory::new(shape);
    // One has operated before: a queue's task keeps nodes that it took out, and has none at first.
    assert!(memory.apply(0, Request::Put(of(0))).is_some());
    assert_eq!(memory.apply(0, Request::Take), Some(of(0)));
    let mut before: Vec<u64> = (0..deaths.values).map(|index| BEFORE + index).collect();
    before.iter().for_each(|value| assert!(memory.apply(ME, Request::Put(*value)).is_some()));
    if shape.kind == Kind::Heap {
        before.reverse();
    }
    let dead = die(&memory, deaths);
    let drained = memory.drain();
    // What was there is taken in order, but for what the dead tasks took. They put nothing twice.
    let takes = deaths.puts.iter().filter(|puts| !**puts).count();
    let kept: Vec<u64> = drained.iter().copied().filter(|value| *value >= BEFORE).collect();
    let mut left = before.iter();
    let in_order = kept.iter().all(|value| left.any(|one| one == value));
    let once = |task: usize| drained.iter().filter(|value| **value == of(task)).count();
    let puts_once = (0..2).all(|task| once(task) <= usize::from(deaths.puts[task]));
    let is_whole = before.len() - kept.len() <= takes;
    assert!(in_order && puts_once && is_whole, "{shape:?} {deaths:?}: {drained:?}");
    // It has room for as many as ever.
    let put = |value: &u64| memory.apply(ME, Request::Put(*value)).is_some();
    let mut fits: Vec<u64> = (100..110).take_while(put).collect();
    assert_eq!(fits.len(), SIZE, "{shape:?} {deaths:?}: room");
    if shape.kind == Kind::Heap {
        fits.reverse();
    }
    assert_eq!(memory.drain(), fits, "{shape:?} {deaths:?}");
    dead
}

/// Every pair of places at which the two tasks die, until neither dies within its operation.
fn survives(shape: Shape, puts: [bool; 2], values: u64) -> usize {
    let die_at = |after| {
        let deaths = Deaths { after, puts, values };
        match shape.kind {
            Kind::Buffer => buffer_survives(shape, deaths),
            Kind::Queue | Kind::Heap => container_survives(shape, deaths),
        }
    };
    let mut places = 0;
    for first in 0.. {
        let mut is_first_dead = false;
        for second in 0.. {
            let [one, other] = die_at([first, second]);
            (is_first_dead, places) = (one, places + 1);
            if !other {
                break;
            }
        }
        if !is_first_dead {
            break;
        }
    }
    places
}

/// All tasks of a lock-free queue but one have all spares, take one node more and die before their access `after`. The
/// processes that have their numbers then keep the spares of `more` takes. Whether some task died.
fn hoarders_die(after: usize, more: usize) -> bool {
    let memory = Memory::new(Shape::new(Kind::Queue, Scheme::LockFree, SIZE, TASKS));
    let put = || assert!(memory.apply(ME, Request::Put(7)).is_some(), "room: {after}, {more}");
    let pass = |task| {
        put();
        memory.apply(task, Request::Take);
    };
    let die = |task| {
        (0..sync::SPARES).for_each(|_| pass(task));
        put();
        let is_dead = counted::dying_after(after, || memory.apply(task, Request::Take)).is_none();
        while memory.apply(task, Request::Take).is_some() {}
        is_dead
    };
    let some_died = (0..ME).fold(false, |some, task| some | die(task));
    (0..ME).for_each(|task| (0..more).for_each(|_| pass(task)));
    (0..SIZE).for_each(|_| put());
    some_died
}

/// A death is a panic here: thousands of messages say nothing.
fn deaths_say_nothing() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|why| {
            let said = why.payload().downcast_ref::<&str>();
            if !said.is_some_and(|text| text.contains("dies here")) {
                eprintln!("{why}");
            }
        }));
    });
}

#[test]
fn a_queue_of_tasks_that_died_with_all_spares_is_as_large_as_ever() {
    deaths_say_nothing();
    let dies = |after| (0..=sync::SPARES + 1).fold(false, |some, more| some | hoarders_die(after, more));
    let places = (0..).take_while(|after| dies(*after)).count();
    assert!(places > 10, "{places}");
}

#[test]
fn objects_survive_deaths_at_any_access() {
    deaths_say_nothing();
    for kind in Kind::ALL {
        for scheme in [Scheme::LockFree, Scheme::WaitFree] {
            let shape = Shape { block: 2, ..Shape::new(kind, scheme, SIZE, TASKS) };
            let mut places = 0;
            for puts in [[true, true], [true, false], [false, true], [false, false]] {
                // A buffer always has a value.
                let most = if kind == Kind::Buffer { 0 } else { SIZE as u64 };
                places += (0..=most).map(|values| survives(shape, puts, values)).sum::<usize>();
            }
            println!("{} {}: {places} pairs of places", kind.name(), scheme.name());
            assert!(places > 100);
        }
    }
}
