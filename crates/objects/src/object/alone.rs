//! A locked object without its lock: what a task executes within its section. Measurements time it, so that the lock is
//! charged apart, as block-or-not-2008 does.

use super::super::words::Words;
use super::heap::Heap;
use super::queue::Queue;
use super::sequential::{Answer, Exclusive, Request, Sequential, USUAL};

/// The access to an object that one task has for itself.
#[derive(Debug)]
pub enum Alone<'m> {
    /// The words of a buffer.
    Buffer(Words<'m>),
    /// A queue, and its words.
    Queue(Queue, Words<'m>),
    /// A heap, and its words.
    Heap(Heap, Words<'m>),
}

impl Alone<'_> {
    /// Copies the value of a buffer into `into`, which is as long.
    ///
    /// # Panics
    ///
    /// If the object is no buffer.
    #[inline]
    pub fn read(&mut self, into: &mut [u64]) {
        self.buffer().get_all(into);
    }

    /// Writes the value of a buffer, which is as long.
    ///
    /// # Panics
    ///
    /// If the object is no buffer.
    #[inline]
    pub fn write(&mut self, value: &[u64]) {
        self.buffer().set_all(value);
    }

    /// Executes an operation on a queue or heap.
    ///
    /// # Panics
    ///
    /// If the object is a buffer.
    #[inline]
    pub fn apply(&mut self, request: Request) -> Answer {
        let done = match self {
            Alone::Buffer(_) => panic!("a buffer is read and written"),
            Alone::Queue(queue, words) => queue.apply(request, &mut Exclusive::<{ USUAL }>(*words)),
            Alone::Heap(heap, words) => heap.apply(request, &mut Exclusive::<{ USUAL }>(*words)),
        };
        done.expect("no other task changes the object")
    }

    fn buffer(&self) -> &Words<'_> {
        match self {
            Alone::Buffer(words) => words,
            Alone::Queue(..) | Alone::Heap(..) => panic!("values are put into a queue or heap, and taken"),
        }
    }
}
