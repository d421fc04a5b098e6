//! Common alternatives to the objects: arc-swap for a buffer, crossbeam's bounded queue, and a mutex of parking_lot
//! around the same sequential work for each of the three.

use super::operations::{time, turns, Operations, VALUES, WORDS};
use crate::values::samples::Samples;
use arc_swap::ArcSwap;
use crossbeam_queue::ArrayQueue;
use parking_lot::Mutex;
use schedlab_objects::{Kind, Request};
use std::collections::{BinaryHeap, VecDeque};
use std::hint::black_box;
use std::sync::Arc;

/// A mutex of parking_lot.
const MUTEX: &str = "parking_lot";

/// Returns the alternative to an object of this kind that is made for the purpose, if there is one.
pub(super) fn named(kind: Kind) -> &'static str {
    match kind {
        Kind::Buffer => "arc-swap",
        Kind::Queue => "crossbeam",
        Kind::Heap => MUTEX,
    }
}

/// Measures the time of each operation, by alternative.
pub(super) fn peers(kind: Kind, operations: &Operations) -> Vec<(&'static str, Samples)> {
    match kind {
        Kind::Buffer => {
            vec![(named(kind), swapped(operations.count())), (MUTEX, locked_buffer(operations.count()))]
        }
        Kind::Queue => vec![(named(kind), bounded(operations)), (MUTEX, locked_queue(operations))],
        Kind::Heap => vec![(MUTEX, locked_heap(operations))],
    }
}

fn swapped(count: usize) -> Samples {
    let shared = ArcSwap::from_pointee([0_u64; WORDS]);
    let mut value = [0; WORDS];
    time(turns(count), |writes| {
        if writes {
            shared.store(Arc::new(black_box(value)));
        } else {
            value = black_box(**shared.load());
        }
    })
}

fn locked_buffer(count: usize) -> Samples {
    let shared = Mutex::new([0_u64; WORDS]);
    let mut value = [0; WORDS];
    time(turns(count), |writes| {
        if writes {
            *shared.lock() = black_box(value);
        } else {
            value = black_box(*shared.lock());
        }
    })
}

fn bounded(operations: &Operations) -> Samples {
    let queue = ArrayQueue::new(VALUES);
    operations.time(|request| match request {
        Request::Put(value) => drop(black_box(queue.push(value))),
        Request::Take => drop(black_box(queue.pop())),
    })
}

fn locked_queue(operations: &Operations) -> Samples {
    let queue = Mutex::new(VecDeque::with_capacity(VALUES));
    operations.time(|request| {
        let mut queue = queue.lock();
        match request {
            Request::Put(value) if queue.len() < VALUES => queue.push_back(value),
            Request::Put(_) => (),
            Request::Take => drop(black_box(queue.pop_front())),
        }
    })
}

fn locked_heap(operations: &Operations) -> Samples {
    let heap = Mutex::new(BinaryHeap::with_capacity(VALUES));
    operations.time(|request| {
        let mut heap = heap.lock();
        match request {
            Request::Put(value) if heap.len() < VALUES => heap.push(value),
            Request::Put(_) => (),
            Request::Take => drop(black_box(heap.pop())),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_peer_and_a_mutex() {
        for kind in Kind::ALL {
            let found = peers(kind, &Operations::draw(200));
            let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
            assert_eq!((names[0], *names.last().unwrap()), (named(kind), MUTEX));
            assert!(found.iter().all(|(_, samples)| samples.values().len() == 200), "{kind:?}");
        }
    }
}
