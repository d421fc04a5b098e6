//! First come, first served: one thread draws several places and sees which is granted. Guards, and what they leave.

use schedlab_objects::{ArrayLock, McsLock, Mutex, Node, QueueLock, TicketLock};
use std::mem::{align_of, size_of};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Of several places drawn one after the other, exactly the first is granted, until it is left.
fn check_order<L: QueueLock>(lock: &L, rounds: usize) {
    for _ in 0..rounds {
        let places: Vec<_> = (0..5).map(|_| lock.enter()).collect();
        assert!(lock.try_enter().is_none(), "an attempt does not overtake");
        for first in 0..places.len() {
            for (index, place) in places.iter().enumerate().skip(first) {
                assert_eq!(lock.is_granted(*place), index == first, "place {index} while {first} holds");
            }
            // SAFETY: it is granted.
            unsafe { lock.leave(places[first]) };
        }
        let place = lock.try_enter().expect("it is free");
        assert!(lock.is_granted(place));
        // SAFETY: it is granted.
        unsafe { lock.leave(place) };
    }
}

#[test]
fn ticket_and_array_locks_grant_in_the_order_of_requests() {
    check_order(&TicketLock::new(), 3);
    check_order(&ArrayLock::<8>::new(), 3);
    // Fewer places than waiters: slower, as exclusive as ever.
    check_order(&ArrayLock::<2>::new(), 3);
    check_order(&ArrayLock::<1>::new(), 3);
}

/// A lock in memory with these numbers, each at the start of 128 bytes.
fn with_numbers<L: QueueLock>(numbers: &[u32]) -> Box<L> {
    assert_eq!(size_of::<L>(), 128 * numbers.len());
    let mut lock = Box::<L>::new_uninit();
    let words = lock.as_mut_ptr().cast::<u32>();
    // SAFETY: all words lie in the lock, which consists of numbers and padding.
    unsafe {
        lock.as_mut_ptr().write_bytes(0, 1);
        numbers.iter().enumerate().for_each(|(index, number)| words.add(32 * index).write(*number));
        lock.assume_init()
    }
}

#[test]
fn numbers_wrap_around() {
    const TURN: u32 = u32::MAX - 2;
    check_order(&*with_numbers::<TicketLock>(&[TURN, TURN]), 2);
    // The turn is at place 1 of 4; the other places granted the turns before.
    check_order(&*with_numbers::<ArrayLock<4>>(&[TURN, TURN - 1, TURN, TURN - 3, TURN - 2]), 2);
}

#[test]
fn the_mcs_lock_grants_in_the_order_of_requests() {
    let lock = McsLock::new();
    let mut nodes: [Node; 4] = Default::default();
    let nodes = nodes.each_mut().map(|node| node as *mut Node);
    for _ in 0..2 {
        // SAFETY: the nodes outlive their places in the queue.
        unsafe {
            let at_once = nodes.map(|node| lock.enter(node));
            assert_eq!(at_once, [true, false, false, false]);
            assert!(!lock.try_enter(&mut Node::new()), "an attempt does not overtake");
            for first in 0..nodes.len() {
                for (index, node) in nodes.iter().enumerate().skip(first.max(1)) {
                    assert_eq!(lock.is_granted(*node), index == first, "node {index} while {first} holds");
                }
                lock.leave(nodes[first]);
            }
        }
    }
}

#[test]
fn a_guard_releases_when_it_is_dropped_and_when_a_panic_drops_it() {
    let mutex = Mutex::<TicketLock, _>::new(1);
    let guard = mutex.lock();
    assert!(mutex.try_lock().is_none());
    assert_eq!(format!("{mutex:?}"), "Mutex(<locked>)");
    drop(guard);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        *mutex.lock() += 1;
        let _guard = mutex.lock();
        panic!("inside");
    }));
    assert!(panicked.is_err());
    assert_eq!(*mutex.try_lock().expect("it was released"), 2);
    assert_eq!(format!("{mutex:?}"), "Mutex(2)");
    assert_eq!(mutex.into_inner(), 2);
}

#[test]
fn an_mcs_lock_is_left_also_when_its_holder_panics() {
    let lock = McsLock::new();
    let panicked = catch_unwind(AssertUnwindSafe(|| lock.with(|| panic!("inside"))));
    assert!(panicked.is_err());
    assert_eq!(lock.with(|| 3), 3);
}

#[test]
fn locks_lie_in_memory_as_documented() {
    assert_eq!((size_of::<TicketLock>(), align_of::<TicketLock>()), (256, 128));
    assert_eq!((size_of::<ArrayLock<4>>(), align_of::<ArrayLock<4>>()), (5 * 128, 128));
    assert_eq!(size_of::<McsLock>(), size_of::<usize>());
    assert_eq!((size_of::<Node>(), align_of::<Node>()), (128, 128));
}
