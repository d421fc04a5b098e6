//! The nine objects under real threads: every recorded history is linearizable.

#[path = "explored/linear.rs"]
#[allow(dead_code, reason = "only loom judges by the order of each task alone")]
mod linear;
#[path = "explored/trial.rs"]
mod trial;

mod api {
    pub(crate) use schedlab_objects::{
        BufferUser, ContainerUser, Kind, Request, Scheme, Shape, TicketLock, Together, Words,
    };
    pub(crate) use std::sync::atomic::AtomicU64 as Word;

    /// Steps are counted under shuttle.
    pub(crate) fn steps() -> usize {
        0
    }
}

use linear::{is_linearizable, retries_are_explained};
use schedlab_objects::{
    BadShape, Kind, Request, Scheme, Shape, TicketLock, Together, Words, MOST_BLOCK, MOST_SIZE, MOST_TASKS,
};
use std::collections::{BinaryHeap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Barrier;
use std::thread;
use trial::Trial;

/// Tasks on two processors overlap only if they begin together, and do much.
fn record(shape: Shape, operations: usize, seed: usize) {
    let (trial, begin) = (Trial::new(shape), Barrier::new(shape.tasks));
    let work = |me: usize| {
        begin.wait();
        trial.work(me, (0..operations).map(|turn| (turn * 7 + me * 3 + seed) % 5 < 3))
    };
    let history: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..shape.tasks).map(|me| scope.spawn(move || work(me))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
    });
    assert!(retries_are_explained(&history, trial.fails()), "{shape:?}: {history:?}");
    assert!(is_linearizable(history.clone(), trial.model()), "{shape:?}: {history:?}");
}

fn record_all(rounds: usize, operations: usize) {
    for kind in Kind::ALL {
        for scheme in Scheme::ALL {
            for seed in 0..rounds {
                record(Shape::new(kind, scheme, 1 + seed % 20, 2 + seed % 2), operations, seed);
            }
        }
    }
}

#[test]
fn histories_of_real_threads_are_linearizable() {
    // Miri is a thousand times slower, and looks at each access.
    let (rounds, operations) = if cfg!(miri) { (2, 4) } else { (30, 100) };
    record_all(rounds, operations);
}

#[test]
#[ignore = "a minute of histories: each change runs some, `make soak` these"]
fn many_histories_of_real_threads_are_linearizable() {
    record_all(1_000, 200);
}

#[test]
fn shapes_that_do_not_exist_are_refused() {
    let check = |size, tasks| Shape::new(Kind::Heap, Scheme::WaitFree, size, tasks).check();
    assert_eq!((check(1, 1), check(MOST_SIZE, MOST_TASKS)), (Ok(()), Ok(())));
    for (size, tasks, why) in [
        (0, 1, BadShape::Size(0)),
        (MOST_SIZE + 1, 1, BadShape::Size(MOST_SIZE + 1)),
        (1, 0, BadShape::Tasks(0)),
        (1, MOST_TASKS + 1, BadShape::Tasks(MOST_TASKS + 1)),
    ] {
        assert_eq!(check(size, tasks), Err(why));
    }
    let shape = Shape::new(Kind::Queue, Scheme::WaitFree, 4, 2);
    for block in [0, 1, 3, 2 * MOST_BLOCK, 1 << 63] {
        assert_eq!(Shape { block, ..shape }.check(), Err(BadShape::Block(block)));
    }
    for help in [0, 3] {
        assert_eq!(Shape { help, ..shape }.check(), Err(BadShape::Help { help, tasks: 2 }));
    }
    // What a C program wrote as a negative number is said so.
    assert_eq!(check(usize::MAX, 1).unwrap_err().to_string(), "size -1: allowed are 1 to 60000");
}

/// The largest blocks that are allowed: the numbers of words do not overflow.
#[test]
fn the_largest_blocks_have_room() {
    for kind in [Kind::Queue, Kind::Heap] {
        for scheme in Scheme::ALL {
            let shape = Shape::new(kind, scheme, MOST_SIZE, MOST_TASKS);
            let largest = Shape { block: MOST_BLOCK, help: MOST_TASKS, ..shape };
            assert_eq!(largest.check(), Ok(()));
            assert!(largest.words() > 0 && largest.steps().is_none_or(|steps| steps > 0), "{largest:?}");
        }
    }
    compare(Shape { block: MOST_BLOCK, ..Shape::new(Kind::Heap, Scheme::WaitFree, 40, 2) }, 100);
}

/// One task alone, with blocks of several sizes, takes the largest value, or the one that it put first.
#[test]
fn one_task_finds_what_it_put() {
    let (sizes, operations) =
        if cfg!(miri) { (vec![20], 100) } else { ((1..90).chain([700]).collect(), 5_000) };
    for (size, block) in sizes.into_iter().flat_map(|size| [2, 4, 8, 16].map(|block| (size, block))) {
        for kind in [Kind::Queue, Kind::Heap] {
            for scheme in Scheme::ALL {
                compare(Shape { block, ..Shape::new(kind, scheme, size, 2) }, operations);
            }
        }
    }
}

fn compare(shape: Shape, operations: usize) {
    let (words, lock) = (zeros(&shape), TicketLock::new());
    let mut container = shape.container(&lock, Words::new(&words), 1);
    let (mut queue, mut heap) = (VecDeque::new(), BinaryHeap::new());
    for index in 0..operations {
        // Few values, so that some are equal, zero among them; long runs of puts and of takes.
        let value = (index * index % 37) as u64;
        let request = if index / 100 % 3 < 2 && index % 7 > 0 { Request::Put(value) } else { Request::Take };
        let expected = match (request, shape.kind) {
            (Request::Put(_), _) if queue.len().max(heap.len()) == shape.size => None,
            (Request::Put(value), Kind::Heap) => {
                heap.push(value);
                Some(value)
            }
            (Request::Put(value), _) => {
                queue.push_back(value);
                Some(value)
            }
            (Request::Take, Kind::Heap) => heap.pop(),
            (Request::Take, _) => queue.pop_front(),
        };
        assert_eq!(container.apply(request, &Together), Ok(expected), "{shape:?}: operation {index}");
    }
}

fn zeros(shape: &Shape) -> Vec<AtomicU64> {
    let words: Vec<AtomicU64> = (0..shape.words()).map(|_| AtomicU64::new(0)).collect();
    shape.set_up(Words::new(&words));
    words
}

/// Counts of head and tail are compared, so that the tail must not stay behind for ever, also where no put finds a node
/// behind it.
#[test]
fn the_tail_of_a_queue_is_never_far_behind() {
    let shape = Shape::new(Kind::Queue, Scheme::LockFree, 4, 2);
    let (words, lock) = (zeros(&shape), TicketLock::new());
    let mut queue = shape.container(&lock, Words::new(&words), 0);
    for turn in 0..5_000 {
        assert_eq!(queue.apply(Request::Put(turn), &Together), Ok(Some(turn)));
        assert_eq!(queue.apply(Request::Take, &Together), Ok(Some(turn)));
        // Where the ends are: each has its count above a node's number.
        let [head, tail] = [&words[0], &words[16]].map(|end| end.load(Ordering::Relaxed) >> 16);
        assert!(head == turn + 1 && tail <= head && head - tail <= 1_024, "{tail} behind {head}");
    }
}

/// Two threads at once on a small object: an announcement that is seen too late makes more attempts than the bound.
fn contend(kind: Kind, operations: u64) {
    let shape = Shape::new(kind, Scheme::WaitFree, 8, 2);
    let (words, lock) = (zeros(&shape), TicketLock::new());
    let work = |me| {
        let mut container = shape.container(&lock, Words::new(&words), me);
        for turn in 0..operations {
            let request = if turn % 5 < 3 { Request::Put(turn) } else { Request::Take };
            container.apply(request, &Together).expect("both live");
            assert!(
                Some(container.attempts()) <= shape.most_attempts(),
                "{kind:?}: {}",
                container.attempts()
            );
        }
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| work(1));
        work(0);
        other.join().expect("it ends");
    });
}

#[test]
fn wait_free_operations_end_beside_others() {
    let operations = if cfg!(miri) { 50 } else { 1_500_000 };
    [Kind::Queue, Kind::Heap].into_iter().for_each(|kind| contend(kind, operations));
}

#[test]
#[ignore = "half a minute of operations: each change runs some, `make soak` these"]
fn many_wait_free_operations_end_beside_others() {
    [Kind::Queue, Kind::Heap].into_iter().for_each(|kind| contend(kind, 30_000_000));
}
