//! Is a history linearizable? Are there points, each within its operation, in whose order one task alone would have
//! seen the same?
//!
//! J. Wing and C. Gong, *Testing and verifying concurrent objects*, JPDC 17, 1993: search, one operation after the
//! other of those that began before any left one ended. With the improvement of G. Lowe, *Testing for linearizability*,
//! Concurrency and Computation 29(4), 2017: what was searched is remembered by the operations done and the object's
//! state.

use std::collections::{BTreeSet, VecDeque};

/// An operation of a task, with its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Wrote this value to the buffer.
    Write(u64),
    /// Read the buffer, and found this value.
    Read(u64),
    /// Put a value; whether there was room.
    Put(u64, bool),
    /// Took a value, if there was one.
    Take(Option<u64>),
}

/// An operation, and when it began and ended.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub operation: Operation,
    pub begin: u64,
    pub end: u64,
    /// Number of attempts of the operation.
    pub attempts: u64,
}

/// True if no operation failed more attempts than those beside it explain, each of which fails `most`. No two
/// operations of one task are beside each other.
#[allow(dead_code, reason = "loom knows no order in time")]
pub fn retries_are_explained(history: &[Entry], most: u64) -> bool {
    let beside = |one: &Entry| {
        let overlap = |other: &&Entry| other.begin < one.end && one.begin < other.end;
        history.iter().filter(overlap).count() as u64 - 1
    };
    history.iter().all(|one| one.attempts - 1 <= most * beside(one))
}

/// An object for one task.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Model {
    Buffer(u64),
    /// With its capacity.
    Queue(VecDeque<u64>, usize),
    /// Sorted; with its capacity.
    Heap(Vec<u64>, usize),
}

impl Model {
    /// The object after the operation; nothing if that could not see what it saw.
    fn after(&self, operation: Operation) -> Option<Model> {
        let mut model = self.clone();
        let fits = match (&mut model, operation) {
            (Model::Buffer(value), Operation::Write(new)) => {
                *value = new;
                true
            }
            (Model::Buffer(value), Operation::Read(seen)) => *value == seen,
            (Model::Queue(values, capacity), Operation::Put(value, done)) => {
                let fits = (values.len() < *capacity) == done;
                values.extend(done.then_some(value));
                fits
            }
            (Model::Queue(values, _), Operation::Take(seen)) => values.pop_front() == seen,
            (Model::Heap(values, capacity), Operation::Put(value, done)) => {
                let fits = (values.len() < *capacity) == done;
                values.extend(done.then_some(value));
                values.sort_unstable();
                fits
            }
            (Model::Heap(values, _), Operation::Take(seen)) => values.pop() == seen,
            (Model::Buffer(_), Operation::Put(..) | Operation::Take(_))
            | (Model::Queue(..) | Model::Heap(..), Operation::Write(_) | Operation::Read(_)) => false,
        };
        fits.then_some(model)
    }
}

/// True if the operations, from this state on, have points within them in whose order one task alone would have seen
/// the same.
pub fn is_linearizable(mut history: Vec<Entry>, model: Model) -> bool {
    history.sort_unstable_by_key(|entry| entry.begin);
    let mut seen = BTreeSet::new();
    let mut open = vec![(vec![false; history.len()], model)];
    while let Some((done, model)) = open.pop() {
        let left = || (0..history.len()).filter(|index| !done[*index]);
        let Some(horizon) = left().map(|index| history[index].end).min() else { return true };
        // The last pushed is tried first: the one that began first.
        let next: Vec<usize> = left().take_while(|index| history[*index].begin <= horizon).collect();
        for index in next.into_iter().rev() {
            let Some(after) = model.after(history[index].operation) else { continue };
            let mut done = done.clone();
            done[index] = true;
            if seen.insert((done.clone(), after.clone())) {
                open.push((done, after));
            }
        }
    }
    false
}

/// True if the tasks' operations have an order that keeps each task's own, in which one task alone would have seen the
/// same. This judges what a memory model allows: without synchronization, nothing decides which of two tasks'
/// operations came first.
pub fn is_sequential(tasks: &[Vec<Operation>], model: &Model) -> bool {
    let mut is_done = true;
    for (task, operations) in tasks.iter().enumerate() {
        let Some((first, rest)) = operations.split_first() else { continue };
        is_done = false;
        if let Some(after) = model.after(*first) {
            let mut left = tasks.to_vec();
            left[task] = rest.to_vec();
            if is_sequential(&left, &after) {
                return true;
            }
        }
    }
    is_done
}

/// The checker itself, by hand.
pub fn check_the_checker() {
    let entry = |operation, begin, end| Entry { operation, begin, end, attempts: 1 };
    let buffer = Model::Buffer(0);
    // A read beside a write may see the old or the new value; a read after it the new one only.
    let beside = |seen| vec![entry(Operation::Write(1), 0, 3), entry(Operation::Read(seen), 1, 2)];
    assert!(is_linearizable(beside(0), buffer.clone()) && is_linearizable(beside(1), buffer.clone()));
    assert!(!is_linearizable(beside(2), buffer.clone()));
    let after = vec![entry(Operation::Write(1), 0, 1), entry(Operation::Read(0), 2, 3)];
    assert!(!is_linearizable(after, buffer.clone()));
    // New, then old, in two reads beside one write.
    let back = [(Operation::Write(1), 0, 9), (Operation::Read(1), 1, 2), (Operation::Read(0), 3, 4)];
    let history = |all: &[(Operation, u64, u64)]| all.iter().map(|(o, b, e)| entry(*o, *b, *e)).collect();
    assert!(!is_linearizable(history(&back), buffer));
    let queue = Model::Queue(VecDeque::new(), 1);
    let one = [(Operation::Put(1, true), 0, 1), (Operation::Put(2, false), 2, 3)];
    assert!(is_linearizable(history(&one), queue.clone()));
    let full = [(Operation::Put(1, true), 0, 1), (Operation::Put(2, true), 2, 3)];
    assert!(!is_linearizable(history(&full), queue.clone()));
    let twice =
        [(Operation::Put(1, true), 0, 1), (Operation::Take(Some(1)), 2, 5), (Operation::Take(Some(1)), 3, 4)];
    assert!(!is_linearizable(history(&twice), queue));
    let tried =
        |attempts| [Entry { attempts, ..entry(Operation::Write(1), 0, 3) }, entry(Operation::Read(1), 2, 5)];
    assert!(retries_are_explained(&tried(3), 2) && !retries_are_explained(&tried(4), 2));
    let heap = Model::Heap(Vec::new(), 2);
    let order =
        [(Operation::Put(1, true), 0, 1), (Operation::Put(2, true), 0, 1), (Operation::Take(Some(1)), 2, 3)];
    assert!(!is_linearizable(history(&order), heap));
}
