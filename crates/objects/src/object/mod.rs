//! The objects: a buffer, a queue or a heap, each locked, lock-free or wait-free.

mod buffer;
mod heap;
pub(crate) mod large;
mod locked;
pub(crate) mod queue;
pub(crate) mod sequential;
mod shared;

use super::lock::robust::{DeadTask, Surroundings};
use super::lock::ticket::TicketLock;
use super::words::Words;
use buffer::{LockFreeBuffer, LockedBuffer, WaitFreeBuffer};
use core::fmt;
use heap::Heap;
use large::{LockFree, WaitFree};
use locked::Locked;
use queue::{LockFreeQueue, Queue};
use sequential::{Answer, Container, Request};
use shared::{locked, Access, Made, Room};

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
        Shape { kind, scheme, size, tasks, block: usual_block(kind), help: 1 }
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

    fn room(&self) -> Room {
        let Shape { size, tasks, block, help, .. } = *self;
        Room { size, tasks, block, help }
    }

    /// How many words of memory it needs, beside a ticket lock for a locked one.
    pub fn words(&self) -> usize {
        (ContainerUser::making(self.kind, self.scheme).words)(self.room())
    }

    /// Makes the object, empty, or a buffer of zeros, in words that are zero.
    pub fn set_up(&self, words: Words<'_>) {
        (ContainerUser::making(self.kind, self.scheme).set_up)(self.room(), words);
    }

    /// Accesses to shared words that an operation makes at most, where that is bounded.
    pub fn steps(&self) -> Option<usize> {
        (ContainerUser::making(self.kind, self.scheme).steps)(self.room())
    }

    /// Attempts that an operation makes at most, where that is bounded.
    pub fn most_attempts(&self) -> Option<u64> {
        (ContainerUser::making(self.kind, self.scheme).most_attempts)(self.room())
    }

    /// The access of task `me` to the buffer in `words`; the lock is for a locked one.
    pub fn buffer<'m>(&self, lock: &'m TicketLock, words: Words<'m>, me: usize) -> BufferUser<'m> {
        let words = words.part(0, self.words());
        match self.scheme {
            Scheme::Locked => {
                let (lock, words) = locked(self.room(), lock, words, me);
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
        access(self.kind, self.scheme, self.room(), lock, words, me)
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

/// How an object is made, as [`Made`] says.
struct Making {
    words: fn(Room) -> usize,
    set_up: fn(Room, Words<'_>),
    steps: fn(Room) -> Option<usize>,
    most_attempts: fn(Room) -> Option<u64>,
}

impl Making {
    const fn of<M: Made>() -> Self {
        Making { words: M::words, set_up: M::set_up, steps: M::steps, most_attempts: M::most_attempts }
    }
}

/// Defines the access to queues and heaps: by kind what it is in sequence, then what it is under each scheme.
macro_rules! containers {
    ($(
        $kind:ident: $one:ty, $locked:ident($under_lock:ty), $free:ident($lock_free:ty), $wait:ident($wait_free:ty);
    )+) => {
        /// A task's access to a queue or heap.
        #[derive(Debug)]
        pub enum ContainerUser<'m> {
            $(
                /// Under a lock.
                $locked($under_lock),
                /// Without.
                $free($lock_free),
                /// In bounded steps.
                $wait($wait_free),
            )+
        }

        impl<'m> ContainerUser<'m> {
            fn making(kind: Kind, scheme: Scheme) -> Making {
                match (kind, scheme) {
                    (Kind::Buffer, Scheme::Locked) => Making::of::<LockedBuffer>(),
                    (Kind::Buffer, Scheme::LockFree) => Making::of::<LockFreeBuffer>(),
                    (Kind::Buffer, Scheme::WaitFree) => Making::of::<WaitFreeBuffer>(),
                    $(
                        (Kind::$kind, Scheme::Locked) => Making::of::<$under_lock>(),
                        (Kind::$kind, Scheme::LockFree) => Making::of::<$lock_free>(),
                        (Kind::$kind, Scheme::WaitFree) => Making::of::<$wait_free>(),
                    )+
                }
            }

            /// Executes an operation.
            #[inline]
            pub fn apply(&mut self, request: Request, around: &impl Surroundings) -> Result<Answer, DeadTask> {
                match self {
                    $(
                        ContainerUser::$locked(user) => Access::apply(user, request, around),
                        ContainerUser::$free(user) => Access::apply(user, request, around),
                        ContainerUser::$wait(user) => Access::apply(user, request, around),
                    )+
                }
            }

            /// How often the last operation tried.
            pub fn attempts(&self) -> u64 {
                match self {
                    $(
                        ContainerUser::$locked(user) => Access::attempts(user),
                        ContainerUser::$free(user) => Access::attempts(user),
                        ContainerUser::$wait(user) => Access::attempts(user),
                    )+
                }
            }
        }

        fn access<'m>(
            kind: Kind,
            scheme: Scheme,
            room: Room,
            lock: &'m TicketLock,
            words: Words<'m>,
            me: usize,
        ) -> ContainerUser<'m> {
            match (kind, scheme) {
                (Kind::Buffer, _) => panic!("a buffer is read and written"),
                $(
                    (Kind::$kind, Scheme::Locked) => ContainerUser::$locked(Access::new(room, lock, words, me)),
                    (Kind::$kind, Scheme::LockFree) => ContainerUser::$free(Access::new(room, lock, words, me)),
                    (Kind::$kind, Scheme::WaitFree) => ContainerUser::$wait(Access::new(room, lock, words, me)),
                )+
            }
        }

        /// Words of a block that take the least time.
        fn usual_block(kind: Kind) -> usize {
            match kind {
                // A buffer has none.
                Kind::Buffer => 16,
                $(Kind::$kind => <$one>::BLOCK,)+
            }
        }
    };
}

// A new one is one file and one line here. `LockFree` and `WaitFree` make any sequential one so.
containers! {
    Queue: Queue, LockedQueue(Locked<'m, Queue>), LockFreeQueue(LockFreeQueue<'m>), WaitFreeQueue(WaitFree<'m, Queue>);
    Heap: Heap, LockedHeap(Locked<'m, Heap>), LockFreeHeap(LockFree<'m, Heap>), WaitFreeHeap(WaitFree<'m, Heap>);
}
