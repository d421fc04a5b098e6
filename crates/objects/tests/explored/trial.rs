//! A trial: one object, some tasks, and the operations that each of them executes and sees.

use crate::api::{
    steps, BufferUser, ContainerUser, Kind, Request, Scheme, Shape, TicketLock, Together, Word, Words,
};
use crate::linear::{Entry, Model, Operation};
use core::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::collections::VecDeque;

/// An object in memory of its own, and a clock.
pub struct Trial {
    pub shape: Shape,
    words: Vec<Word>,
    lock: TicketLock,
    clock: AtomicU64,
}

/// A word of the value that task `of` writes: a value has several, to be read in pieces.
fn value(of: u64, index: usize) -> u64 {
    of.wrapping_mul(2 * index as u64 + 1)
}

/// A task's access.
enum User<'m> {
    Buffer(BufferUser<'m>),
    Container(ContainerUser<'m>),
}

impl Trial {
    pub fn new(shape: Shape) -> Self {
        shape.check().expect("there is such an object");
        let words: Vec<Word> = (0..shape.words()).map(|_| Word::new(0)).collect();
        shape.set_up(Words::new(&words));
        Trial { shape, words, lock: TicketLock::new(), clock: AtomicU64::new(0) }
    }

    /// The object at first.
    pub fn model(&self) -> Model {
        match self.shape.kind {
            Kind::Buffer => Model::Buffer(0),
            Kind::Queue => Model::Queue(VecDeque::new(), self.shape.size),
            Kind::Heap => Model::Heap(Vec::new(), self.shape.size),
        }
    }

    /// The largest number of attempts of an operation that one beside it fails. Where each operation ends by itself,
    /// there is no such number.
    #[allow(dead_code, reason = "loom knows no order in time")]
    pub fn fails(&self) -> u64 {
        match self.shape.scheme {
            Scheme::LockFree => self.shape.kind.fails().into(),
            Scheme::Locked | Scheme::WaitFree => u64::MAX >> 32,
        }
    }

    /// Task `me` does this, in this order, `true` for write or put; what it saw, and when.
    pub fn work(&self, me: usize, does: impl IntoIterator<Item = bool>) -> Vec<Entry> {
        let words = Words::new(&self.words);
        let mut user = match self.shape.kind {
            Kind::Buffer => User::Buffer(self.shape.buffer(&self.lock, words, me)),
            Kind::Queue | Kind::Heap => User::Container(self.shape.container(&self.lock, words, me)),
        };
        let each = |(index, puts): (usize, bool)| {
            let new = ((index as u64 + 1) << 8) + me as u64 + 1;
            let begin = self.clock.fetch_add(1, SeqCst);
            steps();
            let operation = self.operate(&mut user, new, puts);
            let (steps, end) = (steps(), self.clock.fetch_add(1, SeqCst));
            let most = self.shape.steps().unwrap_or(usize::MAX);
            assert!(steps <= most, "{:?}: {steps} steps, {most} are the most", self.shape);
            let attempts = match &user {
                User::Buffer(buffer) => buffer.attempts(),
                User::Container(container) => container.attempts(),
            };
            assert!(
                attempts <= self.shape.most_attempts().unwrap_or(u64::MAX),
                "{:?}: {attempts}",
                self.shape
            );
            Entry { operation, begin, end, attempts }
        };
        does.into_iter().enumerate().map(each).collect()
    }

    fn operate(&self, user: &mut User<'_>, new: u64, puts: bool) -> Operation {
        const ALIVE: &str = "no task dies here";
        match (user, puts) {
            (User::Buffer(buffer), true) => {
                let words: Vec<u64> = (0..self.shape.size).map(|index| value(new, index)).collect();
                buffer.write(&words, &Together).expect(ALIVE);
                Operation::Write(new)
            }
            (User::Buffer(buffer), false) => {
                let mut words = vec![0; self.shape.size];
                buffer.read(&mut words, &Together).expect(ALIVE);
                let is_whole = words.iter().enumerate().all(|(index, word)| *word == value(words[0], index));
                assert!(is_whole, "{:?}: torn: {words:?}", self.shape);
                Operation::Read(words[0])
            }
            (User::Container(container), true) => {
                let put = container.apply(Request::Put(new), &Together).expect(ALIVE);
                Operation::Put(new, put.is_some())
            }
            (User::Container(container), false) => {
                Operation::Take(container.apply(Request::Take, &Together).expect(ALIVE))
            }
        }
    }
}
