//! The objects: a buffer, a queue or a heap, each locked, lock-free or wait-free.

pub(crate) mod alone;
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
use alone::Alone;
use buffer::{LockFreeBuffer, LockedBuffer, WaitFreeBuffer};
use core::fmt;
use heap::Heap;
use large::{LockFree, WaitFree};
use locked::Locked;
use queue::{LockFreeQueue, Queue};
use sequential::{Answer, Container, Request, USUAL};
use shared::{locked, Access, Made, Room};

pub use schedlab_model::{
    ObjectKind as Kind, Scheme, MOST_OBJECT_SIZE as MOST_SIZE, MOST_OBJECT_TASKS as MOST_TASKS,
};

/// The shape of an object: what it is, how it is shared, and for how many tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The kind of the object: a buffer, a queue or a heap.
    pub kind: Kind,
    /// The scheme by which tasks share the object.
    pub scheme: Scheme,
    /// Number of words of a buffer; largest number of values of a queue or heap.
    pub size: usize,
    /// Number of tasks that use the object.
    pub tasks: usize,
    /// Number of words of a block, a power of two from 2 to [`MOST_BLOCK`], where the object is made by a universal
    /// construction.
    pub block: usize,
    /// Number of other tasks that an attempt helps, where the object is wait-free.
    pub help: usize,
}

/// The largest number of words of a block: a power of two that has room for all values of the largest object.
pub const MOST_BLOCK: usize = MOST_SIZE.next_power_of_two();

/// The error that there is no object of a shape, with what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadShape {
    /// The size is zero, or above [`MOST_SIZE`].
    Size(usize),
    /// There are no tasks, or more than [`MOST_TASKS`].
    Tasks(usize),
    /// The number of words of a block is one, or no power of two, or more than [`MOST_BLOCK`].
    Block(usize),
    /// An attempt is to help no task, or more than there are.
    Help {
        /// Number of tasks that an attempt was to help.
        help: usize,
        /// Number of tasks that there are.
        tasks: usize,
    },
}

/// A number as a C program wrote it: a negative one became larger than any allowed one.
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
    /// The shape of an object with the usual blocks and help.
    pub fn new(kind: Kind, scheme: Scheme, size: usize, tasks: usize) -> Self {
        Shape { kind, scheme, size, tasks, block: usual_block(kind), help: 1 }
    }

    /// Checks that there is an object of this shape.
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

    /// The number of words of memory that the object needs, beside a ticket lock for a locked one.
    pub fn words(&self) -> usize {
        (ContainerUser::making(self.kind, self.scheme).words)(self.room())
    }

    /// Makes an empty object, or a buffer of zeros, in words that are zero.
    pub fn set_up(&self, words: Words<'_>) {
        (ContainerUser::making(self.kind, self.scheme).set_up)(self.room(), words);
    }

    /// The largest number of accesses to shared words that an operation makes, where that is bounded.
    pub fn steps(&self) -> Option<usize> {
        (ContainerUser::making(self.kind, self.scheme).steps)(self.room())
    }

    /// The largest number of attempts that an operation makes, where that is bounded.
    pub fn most_attempts(&self) -> Option<u64> {
        (ContainerUser::making(self.kind, self.scheme).most_attempts)(self.room())
    }

    /// The access of task `me` to the buffer in `words`; the lock is used by a locked one.
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

    /// The locked object in `words` without its lock, for one task that has it for itself.
    ///
    /// # Panics
    ///
    /// If the object is not locked.
    pub fn alone<'m>(&self, lock: &'m TicketLock, words: Words<'m>) -> Alone<'m> {
        assert!(
            self.scheme == Scheme::Locked,
            "only a locked object lies in memory as one task alone would use it"
        );
        let (_, words) = locked(self.room(), lock, words.part(0, self.words()), 0);
        match self.kind {
            Kind::Buffer => Alone::Buffer(words),
            Kind::Queue => Alone::Queue(Queue::new(self.size, USUAL), words),
            Kind::Heap => Alone::Heap(Heap::new(self.size, USUAL), words),
        }
    }

    /// The access of task `me` to the queue or heap in `words`; the lock is used by a locked one.
    ///
    /// # Panics
    ///
    /// If the object is a buffer.
    pub fn container<'m>(&self, lock: &'m TicketLock, words: Words<'m>, me: usize) -> ContainerUser<'m> {
        access(self.kind, self.scheme, self.room(), lock, words, me)
    }
}

/// The access of one task to a buffer.
#[derive(Debug)]
pub enum BufferUser<'m> {
    /// The access under a lock.
    Locked(LockedBuffer<'m>),
    /// The access without locks.
    LockFree(LockFreeBuffer<'m>),
    /// The access in a bounded number of steps.
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

    /// The number of attempts that the last operation made.
    pub fn attempts(&self) -> u64 {
        match self {
            BufferUser::Locked(_) | BufferUser::WaitFree(_) => 1,
            BufferUser::LockFree(buffer) => buffer.attempts(),
        }
    }
}

/// The functions of [`Made`] for one kind and scheme of objects.
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

/// Defines the access to queues and heaps: by kind, the object in sequence, then the object under each scheme.
macro_rules! containers {
    ($(
        $kind:ident: $one:ty, $locked:ident($under_lock:ty), $free:ident($lock_free:ty), $wait:ident($wait_free:ty);
    )+) => {
        /// The access of one task to a queue or heap.
        #[derive(Debug)]
        pub enum ContainerUser<'m> {
            $(
                /// The access under a lock.
                $locked($under_lock),
                /// The access without locks.
                $free($lock_free),
                /// The access in a bounded number of steps.
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

            /// The number of attempts that the last operation made.
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

        /// The number of words of a block with which operations take the least time.
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
