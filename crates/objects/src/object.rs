//! The nine objects: a buffer, a queue or a heap, each locked, lock-free or wait-free.

use super::buffer::{LockFreeBuffer, LockedBuffer, WaitFreeBuffer};
use super::heap::Heap;
use super::large::{LockFree, WaitFree};
use super::locked::Locked;
use super::queue::{LockFreeQueue, Queue};
use super::robust::{DeadTask, RobustLock, Surroundings};
use super::sequential::{Answer, Request, Sequential, USUAL};
use super::ticket::TicketLock;
use super::words::Words;
use core::fmt;

pub use schedlab_model::{
    ObjectKind as Kind, Scheme, MOST_OBJECT_SIZE as MOST_SIZE, MOST_OBJECT_TASKS as MOST_TASKS,
};

/// An object, and for whom it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What it is.
    pub kind: Kind,
    /// How it is shared.
    pub scheme: Scheme,
    /// Words of a buffer; the most values of a queue or heap.
    pub size: usize,
    /// How many tasks use it.
    pub tasks: usize,
    /// Words of a block, a power of two from 2 to [`MOST_BLOCK`], where the object is made by a universal construction.
    pub block: usize,
    /// How many others an attempt helps, where that is wait-free.
    pub help: usize,
}

/// The most words of a block: a power of two that has room for all values of the largest object.
pub const MOST_BLOCK: usize = MOST_SIZE.next_power_of_two();

/// Why there is no such object: what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadShape {
    /// A size of zero, or above [`MOST_SIZE`].
    Size(usize),
    /// No tasks, or more than [`MOST_TASKS`].
    Tasks(usize),
    /// A block whose words are no power of two, or one, or more than [`MOST_BLOCK`].
    Block(usize),
    /// Help for none, or for more than there are tasks.
    Help {
        /// For how many.
        help: usize,
        /// How many there are.
        tasks: usize,
    },
}

/// A number as a C program wrote it: one that became too large for any was negative.
#[derive(Clone, Copy)]
pub(crate) struct Given(pub usize);

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0 as isize).fmt(f)
    }
}

impl fmt::Display for BadShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            BadShape::Size(size) => write!(f, "size {}: allowed are 1 to {MOST_SIZE}", Given(size)),
            BadShape::Tasks(tasks) => write!(f, "tasks {}: allowed are 1 to {MOST_TASKS}", Given(tasks)),
            BadShape::Block(block) => {
                write!(f, "block {}: allowed are powers of two from 2 to {MOST_BLOCK} words", Given(block))
            }
            BadShape::Help { help, tasks } => {
                write!(f, "help {}: allowed are 1 to {tasks}, as many as there are tasks", Given(help))
            }
        }
    }
}

impl Shape {
    /// An object with the usual blocks and help.
    pub fn new(kind: Kind, scheme: Scheme, size: usize, tasks: usize) -> Self {
        // A version lists all blocks, and an operation copies a few: about as many words each, where another task has
        // stored between.
        let block = match kind {
            Kind::Buffer | Kind::Queue => 16,
            Kind::Heap => USUAL,
        };
        Shape { kind, scheme, size, tasks, block, help: 1 }
    }

    /// Whether there is such an object.
    pub fn check(&self) -> Result<(), BadShape> {
        let Shape { size, tasks, block, help, .. } = *self;
        if !(1..=MOST_SIZE).contains(&size) {
            return Err(BadShape::Size(size));
        }
        if !(1..=MOST_TASKS).contains(&tasks) {
            return Err(BadShape::Tasks(tasks));
        }
        if !(2..=MOST_BLOCK).contains(&block) || !block.is_power_of_two() {
            return Err(BadShape::Block(block));
        }
        (1..=tasks).contains(&help).then_some(()).ok_or(BadShape::Help { help, tasks })
    }

    /// Words of a block of queues and heaps: where none is copied, as many as the compiler knows best.
    fn block(&self) -> usize {
        match self.scheme {
            Scheme::Locked => USUAL,
            Scheme::LockFree | Scheme::WaitFree => self.block,
        }
    }

    fn queue(&self) -> Queue {
        Queue { capacity: self.size, block: self.block() }
    }

    fn heap(&self) -> Heap {
        Heap { capacity: self.size, block: self.block() }
    }

    /// How many words of memory it needs, beside a ticket lock for a locked one.
    pub fn words(&self) -> usize {
        let Shape { kind, scheme, size, tasks, help, .. } = *self;
        let lock = RobustLock::words(tasks);
        match (kind, scheme) {
            (Kind::Buffer, Scheme::Locked) => lock + size,
            (Kind::Buffer, Scheme::LockFree) => LockFreeBuffer::words(size, tasks),
            (Kind::Buffer, Scheme::WaitFree) => WaitFreeBuffer::words(size, tasks),
            (Kind::Queue, Scheme::Locked) => lock + self.queue().words(),
            (Kind::Queue, Scheme::LockFree) => LockFreeQueue::words(LockFreeQueue::nodes(size, tasks), tasks),
            (Kind::Queue, Scheme::WaitFree) => WaitFree::words(&self.queue(), help, tasks),
            (Kind::Heap, Scheme::Locked) => lock + self.heap().words(),
            (Kind::Heap, Scheme::LockFree) => LockFree::words(&self.heap(), tasks),
            (Kind::Heap, Scheme::WaitFree) => WaitFree::words(&self.heap(), help, tasks),
        }
    }

    /// Makes the object, empty, or a buffer of zeros, in words that are zero.
    pub fn set_up(&self, words: Words<'_>) {
        let Shape { kind, scheme, size, tasks, help, .. } = *self;
        match (kind, scheme) {
            (Kind::Buffer | Kind::Queue | Kind::Heap, Scheme::Locked) | (Kind::Buffer, Scheme::WaitFree) => {}
            (Kind::Buffer, Scheme::LockFree) => LockFreeBuffer::set_up(words),
            (Kind::Queue, Scheme::LockFree) => {
                LockFreeQueue::set_up(words, LockFreeQueue::nodes(size, tasks), tasks)
            }
            (Kind::Queue, Scheme::WaitFree) => WaitFree::set_up(words, &self.queue(), help, tasks),
            (Kind::Heap, Scheme::LockFree) => LockFree::set_up(words, &self.heap(), tasks),
            (Kind::Heap, Scheme::WaitFree) => WaitFree::set_up(words, &self.heap(), help, tasks),
        }
    }

    /// Accesses to shared words that an operation makes at most, where that is bounded.
    pub fn steps(&self) -> Option<usize> {
        let Shape { kind, scheme, size, tasks, help, .. } = *self;
        match (kind, scheme) {
            (_, Scheme::Locked | Scheme::LockFree) => None,
            (Kind::Buffer, Scheme::WaitFree) => {
                Some(WaitFreeBuffer::read_steps(size).max(WaitFreeBuffer::write_steps(size, tasks)))
            }
            (Kind::Queue, Scheme::WaitFree) => Some(WaitFree::steps(&self.queue(), help, tasks)),
            (Kind::Heap, Scheme::WaitFree) => Some(WaitFree::steps(&self.heap(), help, tasks)),
        }
    }

    /// Attempts that an operation makes at most, where that is bounded.
    pub fn most_attempts(&self) -> Option<u64> {
        match (self.kind, self.scheme) {
            (_, Scheme::Locked) | (Kind::Buffer, Scheme::WaitFree) => Some(1),
            (_, Scheme::LockFree) => None,
            (_, Scheme::WaitFree) => Some(WaitFree::<Queue>::most_attempts(self.help, self.tasks)),
        }
    }

    fn lock<'m>(&self, lock: &'m TicketLock, words: Words<'m>, me: usize) -> (RobustLock<'m>, Words<'m>) {
        let first = RobustLock::words(self.tasks);
        (RobustLock::new(lock, words, self.tasks, me), words.part(first, words.count() - first))
    }

    /// The access of task `me` to the buffer in `words`; the lock is for a locked one.
    pub fn buffer<'m>(&self, lock: &'m TicketLock, words: Words<'m>, me: usize) -> BufferUser<'m> {
        let words = words.part(0, self.words());
        match self.scheme {
            Scheme::Locked => {
                let (lock, words) = self.lock(lock, words, me);
                BufferUser::Locked(LockedBuffer::new(lock, words))
            }
            Scheme::LockFree => BufferUser::LockFree(LockFreeBuffer::new(words, self.size, self.tasks, me)),
            Scheme::WaitFree => BufferUser::WaitFree(WaitFreeBuffer::new(words, self.size, self.tasks, me)),
        }
    }

    /// The access of task `me` to the queue or heap in `words`; the lock is for a locked one.
    ///
    /// # Panics
    ///
    /// If it is a buffer.
    pub fn container<'m>(&self, lock: &'m TicketLock, words: Words<'m>, me: usize) -> ContainerUser<'m> {
        let Shape { kind, scheme, size, tasks, help, .. } = *self;
        let (queue, heap) = (self.queue(), self.heap());
        match (kind, scheme) {
            (Kind::Buffer, _) => panic!("a buffer is read and written"),
            (Kind::Queue, Scheme::Locked) => {
                let (lock, words) = self.lock(lock, words, me);
                ContainerUser::LockedQueue(Locked::new(lock, words, queue))
            }
            (Kind::Heap, Scheme::Locked) => {
                let (lock, words) = self.lock(lock, words, me);
                ContainerUser::LockedHeap(Locked::new(lock, words, heap))
            }
            (Kind::Queue, Scheme::LockFree) => {
                ContainerUser::LockFreeQueue(LockFreeQueue::new(words, size, tasks, me))
            }
            (Kind::Heap, Scheme::LockFree) => {
                ContainerUser::LockFreeHeap(LockFree::new(words, heap, tasks, me))
            }
            (Kind::Queue, Scheme::WaitFree) => {
                ContainerUser::WaitFreeQueue(WaitFree::new(words, queue, help, tasks, me))
            }
            (Kind::Heap, Scheme::WaitFree) => {
                ContainerUser::WaitFreeHeap(WaitFree::new(words, heap, help, tasks, me))
            }
        }
    }
}

/// A task's access to a buffer.
#[derive(Debug)]
pub enum BufferUser<'m> {
    /// Under a lock.
    Locked(LockedBuffer<'m>),
    /// Without.
    LockFree(LockFreeBuffer<'m>),
    /// In bounded steps.
    WaitFree(WaitFreeBuffer<'m>),
}

impl BufferUser<'_> {
    /// Copies the latest value into `into`, which is as long as the buffer.
    #[inline]
    pub fn read(&mut self, into: &mut [u64], around: &impl Surroundings) -> Result<(), DeadTask> {
        match self {
            BufferUser::Locked(buffer) => return buffer.read(into, around),
            BufferUser::LockFree(buffer) => buffer.read(into),
            BufferUser::WaitFree(buffer) => buffer.read(into),
        }
        Ok(())
    }

    /// Makes `value`, which is as long as the buffer, the latest.
    #[inline]
    pub fn write(&mut self, value: &[u64], around: &impl Surroundings) -> Result<(), DeadTask> {
        match self {
            BufferUser::Locked(buffer) => return buffer.write(value, around),
            BufferUser::LockFree(buffer) => buffer.write(value),
            BufferUser::WaitFree(buffer) => buffer.write(value),
        }
        Ok(())
    }

    /// How often the last operation tried.
    pub fn attempts(&self) -> u64 {
        match self {
            BufferUser::Locked(_) | BufferUser::WaitFree(_) => 1,
            BufferUser::LockFree(buffer) => buffer.attempts(),
        }
    }
}

/// A task's access to a queue or heap.
#[derive(Debug)]
pub enum ContainerUser<'m> {
    /// A queue under a lock.
    LockedQueue(Locked<'m, Queue>),
    /// A heap under a lock.
    LockedHeap(Locked<'m, Heap>),
    /// A queue without.
    LockFreeQueue(LockFreeQueue<'m>),
    /// A heap without.
    LockFreeHeap(LockFree<'m, Heap>),
    /// A queue in bounded steps.
    WaitFreeQueue(WaitFree<'m, Queue>),
    /// A heap in bounded steps.
    WaitFreeHeap(WaitFree<'m, Heap>),
}

impl ContainerUser<'_> {
    /// Executes an operation.
    #[inline]
    pub fn apply(&mut self, request: Request, around: &impl Surroundings) -> Result<Answer, DeadTask> {
        Ok(match (self, request) {
            (ContainerUser::LockedQueue(queue), _) => return queue.apply(request, around),
            (ContainerUser::LockedHeap(heap), _) => return heap.apply(request, around),
            (ContainerUser::LockFreeQueue(queue), Request::Put(value)) => queue.put(value).then_some(value),
            (ContainerUser::LockFreeQueue(queue), Request::Take) => queue.take(),
            (ContainerUser::LockFreeHeap(heap), _) => heap.apply(request),
            (ContainerUser::WaitFreeQueue(queue), _) => queue.apply(request),
            (ContainerUser::WaitFreeHeap(heap), _) => heap.apply(request),
        })
    }

    /// How often the last operation tried.
    pub fn attempts(&self) -> u64 {
        match self {
            ContainerUser::LockedQueue(_) | ContainerUser::LockedHeap(_) => 1,
            ContainerUser::LockFreeQueue(queue) => queue.attempts(),
            ContainerUser::LockFreeHeap(heap) => heap.attempts(),
            ContainerUser::WaitFreeQueue(queue) => queue.attempts(),
            ContainerUser::WaitFreeHeap(heap) => heap.attempts(),
        }
    }
}
