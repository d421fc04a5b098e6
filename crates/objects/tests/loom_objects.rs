//! Every operation of the nine objects under loom, which explores what the memory model allows, too.

extern crate alloc;

#[path = "explored/left_out.rs"]
mod left_out;
#[path = "explored/linear.rs"]
#[allow(dead_code, reason = "loom knows no order in time")]
mod linear;
#[macro_use]
#[path = "explored/loom_sync.rs"]
mod sync;
#[path = "explored/sources.rs"]
#[allow(dead_code, reason = "not every test uses all of them")]
mod sources;
#[path = "explored/trial.rs"]
mod trial;

mod api {
    pub(crate) use crate::sources::{
        BufferUser, ContainerUser, Kind, Request, Scheme, Shape, TicketLock, Together, Words,
    };
    pub(crate) use crate::sync::Word;

    /// Loom counts no steps.
    pub(crate) fn steps() -> usize {
        0
    }
}

use left_out::{found_by, is_missed, Finder};
use linear::{is_sequential, Operation};
use loom::sync::Arc;
use loom::thread;
use sources::{Kind, Part, Scheme, Shape};
use trial::Trial;

/// The operations of a task: `true` for write or put.
type Does = &'static [bool];
const PUT: Does = &[true];
const TAKE: Does = &[false];

/// The tasks do this, one of them in the caller's thread; what each saw is as one task alone would have seen it.
fn system(shape: Shape, does: &'static [Does]) {
    let trial = Arc::new(Trial::new(shape));
    let spawn = |me: usize| {
        let trial = Arc::clone(&trial);
        thread::spawn(move || trial.work(me, does[me].iter().copied()))
    };
    let others: Vec<_> = (1..does.len()).map(spawn).collect();
    let mut seen = vec![trial.work(0, does[0].iter().copied())];
    seen.extend(others.into_iter().map(|thread| thread.join().expect("it ends")));
    let seen: Vec<Vec<Operation>> =
        seen.iter().map(|task| task.iter().map(|entry| entry.operation).collect()).collect();
    assert!(is_sequential(&seen, &trial.model()), "{shape:?}: {seen:?}");
}

/// Every interleaving.
const ALL: Option<usize> = None;

/// All executions that have at most so many preemptions.
fn explore(shape: Shape, preemptions: Option<usize>, does: &'static [Does]) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || system(shape, does));
}

fn small(kind: Kind, scheme: Scheme, tasks: usize) -> Shape {
    let size = if kind == Kind::Buffer { 2 } else { 1 };
    Shape { block: 2, ..Shape::new(kind, scheme, size, tasks) }
}

/// Two tasks that write and read in different orders.
const CROSSED: &[Does] = &[&[true, false], &[false, true]];
const TWICE: &[Does] = &[&[true, true], &[false, false]];

#[test]
fn locked_objects() {
    for kind in Kind::ALL {
        explore(small(kind, Scheme::Locked, 2), ALL, CROSSED);
    }
}

#[test]
fn the_lock_free_buffer() {
    let shape = small(Kind::Buffer, Scheme::LockFree, 2);
    explore(shape, ALL, CROSSED);
    explore(shape, ALL, TWICE);
    explore(small(Kind::Buffer, Scheme::LockFree, 3), ALL, &[PUT, PUT, TAKE]);
}

#[test]
fn the_wait_free_buffer() {
    let shape = small(Kind::Buffer, Scheme::WaitFree, 2);
    explore(shape, ALL, CROSSED);
    explore(shape, ALL, TWICE);
    explore(small(Kind::Buffer, Scheme::WaitFree, 3), ALL, &[PUT, PUT, TAKE]);
}

#[test]
fn the_lock_free_queue() {
    let shape = small(Kind::Queue, Scheme::LockFree, 2);
    explore(shape, ALL, CROSSED);
    explore(shape, ALL, TWICE);
    explore(small(Kind::Queue, Scheme::LockFree, 3), Some(3), &[PUT, PUT, TAKE]);
}

#[test]
fn the_lock_free_heap() {
    let shape = small(Kind::Heap, Scheme::LockFree, 2);
    explore(shape, Some(3), CROSSED);
    explore(shape, ALL, TWICE);
}

#[test]
fn the_wait_free_queue_and_heap() {
    for kind in [Kind::Queue, Kind::Heap] {
        explore(small(kind, Scheme::WaitFree, 2), Some(2), CROSSED);
        explore(small(kind, Scheme::WaitFree, 2), Some(2), TWICE);
    }
}

/// A writer whose slots come round while a reader chooses one.
const THRICE: &[Does] = &[&[true, true, true, true], TAKE];

/// A writer whose slot comes round, one that settles, and a reader.
const SETTLED: &[Does] = &[&[true, true], PUT, TAKE];

/// The object in which an ordering is needed, and the operations of tasks that show it.
fn needed_in(part: Part) -> (Kind, Scheme, &'static [Does]) {
    match part {
        Part::PublishedSlot | Part::EnteredReader => (Kind::Buffer, Scheme::LockFree, TWICE),
        Part::ReaderFence | Part::WriterFence | Part::SettledReader | Part::AgreedSlot => {
            (Kind::Buffer, Scheme::WaitFree, THRICE)
        }
        Part::SettlerFence => (Kind::Buffer, Scheme::WaitFree, SETTLED),
        Part::LinkedNode | Part::CountedPointer | Part::SeenInQueue | Part::SwungHead => {
            (Kind::Queue, Scheme::LockFree, &[PUT, TAKE])
        }
        Part::PublishedVersion
        | Part::ValidatedRead
        | Part::LastVersion
        | Part::OwnVersion
        | Part::CopiedBlock => (Kind::Heap, Scheme::LockFree, TWICE),
        Part::Help | Part::HelpTurns | Part::OnceOnly => (Kind::Queue, Scheme::WaitFree, TWICE),
        Part::PassedTurn | Part::AsksForDead => (Kind::Queue, Scheme::Locked, CROSSED),
    }
}

#[test]
fn no_ordering_can_be_weaker() {
    for part in found_by(Finder::Orders) {
        let (kind, scheme, does) = needed_in(part);
        // So many preemptions show each; one less does not show all.
        let explore = || explore(small(kind, scheme, does.len()), Some(does.len() + 1), does);
        // With all parts it holds.
        explore();
        assert!(is_missed(part, explore), "nothing found that {part:?} is left out");
    }
}
