//! The nine objects under random schedules: every history is linearizable, and the wait-free ones keep their bounds on
//! steps.
//!
//! Each part of the objects is needed: without it, some schedule shows a wrong history, a panic or too many steps.

extern crate alloc;

mod inner {
    pub(crate) use shuttle::sync::atomic::AtomicU64 as Inner;
    pub(crate) use shuttle::thread_local;
}
#[path = "explored/counted.rs"]
mod counted;
#[path = "explored/left_out.rs"]
mod left_out;
#[path = "explored/linear.rs"]
#[allow(dead_code, reason = "only loom judges by the order of each task alone")]
mod linear;
#[macro_use]
#[path = "explored/shuttle_sync.rs"]
mod sync;
#[path = "explored/sources.rs"]
#[allow(dead_code, reason = "not every test uses all of them")]
mod sources;
#[path = "explored/trial.rs"]
mod trial;

mod api {
    pub(crate) use crate::counted::{steps, Word};
    pub(crate) use crate::sources::{
        BufferUser, ContainerUser, Kind, Request, Scheme, Shape, TicketLock, Together, Words,
    };
}

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use left_out::{found_by, is_missed, Finder};
use linear::{is_linearizable, retries_are_explained, Entry, Model, Operation};
use shuttle::rand::{thread_rng, Rng};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::Arc;
use shuttle::{thread, Config, MaxSteps, Runner};
use sources::{
    Answer, DeadTask, Kind, LockFree, LockFreeQueue, Memory, Part, Request, RobustLock, Scheme, Sequential,
    Shape, Stale, Surroundings, TicketLock, WaitFree, Words,
};
use std::collections::VecDeque;
use trial::Trial;

const OPERATIONS: usize = 4;

/// Tasks operate on an object of this shape, as chance has it; the history has to be linearizable.
fn system(shape: Shape) {
    let trial = Arc::new(Trial::new(shape));
    let spawn = |me| {
        let trial = Arc::clone(&trial);
        thread::spawn(move || {
            let does: Vec<bool> = (0..OPERATIONS).map(|_| thread_rng().gen_range(0..5) < 3).collect();
            trial.work(me, does)
        })
    };
    let threads: Vec<_> = (0..shape.tasks).map(spawn).collect();
    let history: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect();
    assert!(retries_are_explained(&history, trial.fails()), "{shape:?}: {history:?}");
    assert!(is_linearizable(history.clone(), trial.model()), "{shape:?}: {history:?}");
}

fn explore(shape: Shape, schedules: usize) {
    shuttle::check_random(move || system(shape), schedules);
    shuttle::check_pct(move || system(shape), schedules, 3);
}

/// Small, so that it is full and empty now and then, and its blocks are shared.
fn small(kind: Kind, scheme: Scheme, tasks: usize) -> Shape {
    Shape { block: 2, ..Shape::new(kind, scheme, 3, tasks) }
}

fn explore_scheme(scheme: Scheme, schedules: usize) {
    for kind in Kind::ALL {
        explore(small(kind, scheme, 3), schedules);
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    linear::check_the_checker();
}

#[test]
fn locked_objects_are_linearizable() {
    explore_scheme(Scheme::Locked, 100);
}

#[test]
fn lock_free_objects_are_linearizable() {
    explore_scheme(Scheme::LockFree, 300);
    explore(small(Kind::Heap, Scheme::LockFree, 2), 100);
    // Usual blocks, which are copied in another way than those of other sizes.
    explore(Shape::new(Kind::Heap, Scheme::LockFree, 9, 3), 100);
}

#[test]
fn wait_free_objects_are_linearizable_in_bounded_steps() {
    explore_scheme(Scheme::WaitFree, 300);
}

/// More tasks, of which an attempt helps two.
#[test]
fn more_help_makes_fewer_attempts() {
    explore(Shape { help: 2, ..small(Kind::Queue, Scheme::WaitFree, 4) }, 100);
    explore(Shape { help: 2, ..small(Kind::Heap, Scheme::WaitFree, 4) }, 100);
}

/// Tasks hand values over through two nodes, of which one is the dummy: each node is used again at once. A put may find
/// the other task's node in hand, and the queue full with fewer values: that has no effect, and does not count.
fn hand_over_two_nodes() {
    let words: Vec<counted::Word> = (0..LockFreeQueue::words(2, 3)).map(|_| counted::Word::new(0)).collect();
    LockFreeQueue::set_up(Words::new(&words), 2, 3);
    let shared = Arc::new((words, AtomicU64::new(0)));
    let spawn = |me: u64| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let (words, clock) = &*shared;
            let mut queue = LockFreeQueue::new(Words::new(words), 1, 3, me as usize);
            let mut history = Vec::new();
            for turn in 0..2 * OPERATIONS as u64 {
                let begin = clock.fetch_add(1, Ordering::SeqCst);
                let operation = if turn % 2 == me % 2 {
                    Operation::Put(turn << 8 | me, queue.put(turn << 8 | me))
                } else {
                    Operation::Take(queue.take())
                };
                let end = clock.fetch_add(1, Ordering::SeqCst);
                history.push(Entry { operation, begin, end, attempts: queue.attempts() });
            }
            history
        })
    };
    let threads: Vec<_> = (0..3).map(spawn).collect();
    let all = threads.into_iter().flat_map(|thread| thread.join().expect("it ends"));
    let history: Vec<_> = all.filter(|entry| !matches!(entry.operation, Operation::Put(_, false))).collect();
    assert!(is_linearizable(history.clone(), Model::Queue(VecDeque::new(), 1)), "{history:?}");
}

/// The largest number of attempts of one put that a put of another task fails, over many schedules.
fn most_failed(kind: Kind) -> u64 {
    let most = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&most);
    let race = move || {
        let trial = Arc::new(Trial::new(small(kind, Scheme::LockFree, 2)));
        let other = Arc::clone(&trial);
        let other = thread::spawn(move || other.work(1, [true]));
        let mine = trial.work(0, [true]);
        other.join().expect("it ends");
        seen.fetch_max(mine[0].attempts as usize - 1, Ordering::SeqCst);
    };
    Runner::new(RandomScheduler::new_from_seed(1, 5_000), Config::new()).run(race);
    most.load(Ordering::SeqCst) as u64
}

/// A put fails two: the free node and the link. Michael and Scott's, whose number analyses take, swings the tail, too.
/// A version of a heap fails one.
#[test]
fn one_operation_fails_so_many_attempts_of_another() {
    for (kind, most) in [(Kind::Queue, 2), (Kind::Heap, 1)] {
        assert_eq!(most_failed(kind), most, "{kind:?}");
        assert!(most <= u64::from(kind.fails()), "{kind:?}");
    }
}

#[test]
fn two_nodes_are_used_again_and_again() {
    shuttle::check_random(hand_over_two_nodes, 500);
    shuttle::check_pct(hand_over_two_nodes, 500, 3);
    // One task has to use a node twice while another one stands still.
    let schedules = PctScheduler::new_from_seed(1, 3, 20_000);
    let without = || {
        Runner::new(schedules, Config::new()).run(hand_over_two_nodes);
    };
    assert!(is_missed(Part::CountedPointer, without), "nothing found that pointers are not counted");
}

/// Words, these ones, that are equal whenever one task alone looks.
#[derive(Clone, Copy)]
struct Alike(&'static [usize]);

/// The words of two neighbouring blocks.
const TWINS: Alike = Alike(&[0, 1]);
/// Blocks whose numbers differ by what an attempt's marks cannot distinguish.
const FAR: Alike = Alike(&[1, 65, 129]);

impl Sequential for Alike {
    fn words(&self) -> usize {
        self.0[self.0.len() - 1] + 1
    }

    fn block(&self) -> usize {
        1
    }

    fn written_blocks(&self) -> usize {
        self.0.len()
    }

    fn accesses(&self) -> usize {
        5 * self.0.len() + 2
    }

    fn apply<'m, M: Memory<'m>>(&self, _: Request, memory: &mut M) -> Result<Answer, Stale> {
        let word = |memory: &M, index: usize| {
            let value = memory.look(index).acquire(0);
            memory.validate().map(|()| value)
        };
        let one = word(memory, self.0[0])?;
        for index in self.0 {
            assert_eq!(one, word(memory, *index)?, "words of two versions");
        }
        for index in self.0 {
            memory.hold(*index, memory.look(*index)).release(0, one + 1);
        }
        Ok(Some(one))
    }
}

/// Three tasks count in blocks of one word. If they help each other, an attempt executes two operations on the same
/// blocks.
fn count(alike: Alike, helps: bool) {
    let count = if helps { WaitFree::words(&alike, 1, 3) } else { LockFree::words(&alike, 3) };
    let words: Vec<counted::Word> = (0..count).map(|_| counted::Word::new(0)).collect();
    if helps {
        WaitFree::set_up(Words::new(&words), &alike, 1, 3);
    } else {
        LockFree::set_up(Words::new(&words), &alike, 3);
    }
    let words = Arc::new(words);
    let spawn = |me| {
        let words = Arc::clone(&words);
        thread::spawn(move || {
            let words = Words::new(&words);
            let mut apply: Box<dyn FnMut() -> Answer + '_> = if helps {
                let mut user = WaitFree::new(words, alike, 1, 3, me);
                Box::new(move || user.apply(Request::Take))
            } else {
                let mut user = LockFree::new(words, alike, 3, me);
                Box::new(move || user.apply(Request::Take))
            };
            (0..OPERATIONS).map(|_| apply().expect("a count")).collect::<Vec<_>>()
        })
    };
    let threads: Vec<_> = (0..3).map(spawn).collect();
    let mut counts: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect();
    counts.sort_unstable();
    assert_eq!(counts, (0..3 * OPERATIONS as u64).collect::<Vec<_>>());
}

#[test]
fn far_blocks_are_told_apart() {
    shuttle::check_random(|| count(FAR, true), 100);
    shuttle::check_pct(|| count(FAR, true), 100, 3);
}

#[test]
fn no_sequential_object_finds_words_by_those_of_another_version() {
    shuttle::check_random(|| count(TWINS, false), 300);
    let schedules = PctScheduler::new_from_seed(1, 3, 20_000);
    let without = || {
        Runner::new(schedules, Config::new()).run(|| count(TWINS, false));
    };
    assert!(found_by(Finder::TwoVersions).eq([Part::ValidatedRead]));
    assert!(is_missed(Part::ValidatedRead, without), "nothing found that reads are not validated");
}

/// Surroundings in which task 0 is dead.
struct FirstIsDead;

impl Surroundings for FirstIsDead {
    fn is_alive(&self, task: usize) -> bool {
        task != 0
    }
}

/// Task 0 does nothing any more while it holds the lock, until the others are done.
fn wait_for_the_dead() {
    let words: Vec<counted::Word> = (0..RobustLock::words(3)).map(|_| counted::Word::new(0)).collect();
    let shared = Arc::new((TicketLock::new(), words, AtomicU64::new(0)));
    let spawn = |me| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let (lock, words, done) = &*shared;
            let lock = RobustLock::new(lock, Words::new(words), 3, me);
            while me > 0 && done.load(Ordering::SeqCst) == 0 {
                thread::yield_now();
            }
            let hold = || {
                done.fetch_add(1, Ordering::SeqCst);
                while done.load(Ordering::SeqCst) < 3 {
                    thread::yield_now();
                }
            };
            if me == 0 {
                return lock.with(&FirstIsDead, hold);
            }
            let result = lock.with(&FirstIsDead, || ());
            done.fetch_add(1, Ordering::SeqCst);
            result
        })
    };
    let threads: Vec<_> = (0..3).map(spawn).collect();
    let results: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("it ends")).collect();
    assert_eq!(results[1..], [Err(DeadTask { task: 0 }); 2]);
}

#[test]
fn waiters_are_told_of_a_dead_holder() {
    shuttle::check_random(wait_for_the_dead, 20);
    let without = || {
        let schedules = RandomScheduler::new_from_seed(1, 1);
        let mut config = Config::new();
        config.max_steps = MaxSteps::FailAfter(100_000);
        Runner::new(schedules, config).run(wait_for_the_dead);
    };
    assert!(found_by(Finder::DeadHolder).eq([Part::AsksForDead]));
    assert!(is_missed(Part::AsksForDead, without), "nothing found that waiters do not ask");
}

/// The object in which a part is needed.
fn needed_in(part: Part) -> Shape {
    let (kind, scheme, tasks) = match part {
        Part::EnteredReader | Part::PublishedSlot => (Kind::Buffer, Scheme::LockFree, 3),
        Part::SettledReader
        | Part::AgreedSlot
        | Part::ReaderFence
        | Part::WriterFence
        | Part::SettlerFence => (Kind::Buffer, Scheme::WaitFree, 3),
        Part::CountedPointer | Part::SeenInQueue | Part::SwungHead | Part::LinkedNode => {
            (Kind::Queue, Scheme::LockFree, 3)
        }
        Part::CopiedBlock | Part::ValidatedRead | Part::PublishedVersion => (Kind::Heap, Scheme::LockFree, 3),
        // So few tasks that one often stores twice, one after the other.
        Part::LastVersion | Part::OwnVersion => (Kind::Heap, Scheme::LockFree, 2),
        Part::Help | Part::HelpTurns | Part::OnceOnly => (Kind::Queue, Scheme::WaitFree, 3),
        Part::PassedTurn | Part::AsksForDead => (Kind::Queue, Scheme::Locked, 3),
    };
    small(kind, scheme, tasks)
}

#[test]
fn no_part_can_be_left_out() {
    for part in found_by(Finder::Schedules) {
        let shape = needed_in(part);
        // From fixed seeds, so that it is found each time.
        let random = || {
            let schedules = RandomScheduler::new_from_seed(1, 5_000);
            Runner::new(schedules, Config::new()).run(move || system(shape));
            let schedules = PctScheduler::new_from_seed(1, 3, 5_000);
            Runner::new(schedules, Config::new()).run(move || system(shape));
        };
        assert!(is_missed(part, random), "nothing found that {part:?} is left out");
    }
}
