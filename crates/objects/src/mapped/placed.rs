//! An object in memory that processes map: what it is, whose it is, and its words.
//!
//! Everything is found from the beginning by numbers of words, so that each process may map it at another address. The
//! first word says that it is made. Each task's number belongs to one process at a time. A process that is killed keeps
//! its number: what it held there is not given out again, and the others go on without it.

use crate::lock::ticket::TicketLock;
use crate::object::alone::Alone;
use crate::object::{BadShape, BufferUser, ContainerUser, Given, Kind, Scheme, Shape};
use crate::padded::Padded;
use crate::sync::{Word, LINE};
use crate::words::Words;
use core::fmt;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Says that an object is made: all but the last bits of the first word.
const MADE: u64 = 0x7363_6865_646f_0000;
/// The layout of an object, in the last bits of the first word: a new layout has a new number.
const LAYOUT: u64 = 6;
const LAYOUTS: u64 = 0xffff;
/// Number of words of the head: made, kind and scheme, size, tasks, block, help.
const HEAD: usize = LINE;
/// Number of words of the lock.
const LOCK: usize = size_of::<TicketLock>() / size_of::<Word>();
/// Alignment of the object's beginning, in bytes.
const ALIGN: usize = align_of::<Padded<u8>>();

/// Why there is no access to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAccess {
    /// No object was made there.
    NotMade,
    /// Another version made the object, in the layout of this number.
    OtherLayout(u64),
    /// There is less memory than the object needs.
    TooSmall,
    /// No such object can be made.
    Shape(BadShape),
    /// The object was made for fewer tasks.
    NoSuchTask {
        /// The number of the task that was asked for.
        task: usize,
        /// The number of tasks for which the object was made.
        tasks: usize,
    },
    /// Another process has this task's number.
    Taken(usize),
}

impl fmt::Display for NoAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAccess::NotMade => f.write_str("no buffer, queue or heap was made there"),
            NoAccess::OtherLayout(number) => write!(
                f,
                "another version of schedlab made it, in layout {number}; this one knows layout {LAYOUT}: use one \
                 version in all processes"
            ),
            NoAccess::TooSmall => f.write_str("the memory is smaller than what was made there"),
            NoAccess::Shape(why) => write!(f, "{why}"),
            NoAccess::NoSuchTask { task, tasks } => {
                write!(f, "task {}: it was made for tasks 0 to {}", Given(*task), tasks - 1)
            }
            NoAccess::Taken(task) => write!(
                f,
                "task {task}: another process has this number, or has died with it; take a number of its own"
            ),
        }
    }
}

/// An object in the memory where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'m> {
    words: Words<'m>,
    lock: &'m TicketLock,
    shape: Shape,
}

impl<'m> Placed<'m> {
    /// The number of bytes that an object of this shape needs, wherever they begin.
    pub fn bytes(shape: &Shape) -> usize {
        ALIGN + size_of::<Word>() * Self::count(shape)
    }

    fn count(shape: &Shape) -> usize {
        HEAD + LOCK + LINE * shape.tasks + shape.words()
    }

    /// The words from `base` on, and the lock among them.
    ///
    /// # Safety
    ///
    /// As for [`Placed::create`], for `count` words.
    unsafe fn at(base: *mut u8, count: usize) -> (Words<'m>, &'m TicketLock) {
        let base = base.map_addr(|address| address.next_multiple_of(ALIGN));
        // SAFETY: as the caller says; words and lock are atomics, for which all bytes are valid, and aligned.
        unsafe {
            let words = core::slice::from_raw_parts(base.cast::<Word>(), count);
            (Words::new(words), &*base.cast::<Word>().add(HEAD).cast::<TicketLock>())
        }
    }

    /// Makes an object.
    ///
    /// # Safety
    ///
    /// [`Placed::bytes`] bytes from `base` on are zero, readable and writable for `'m`, and reached through objects
    /// placed there only.
    pub unsafe fn create(base: *mut u8, shape: Shape) -> Result<Self, NoAccess> {
        shape.check().map_err(NoAccess::Shape)?;
        // SAFETY: as the caller says.
        let (words, lock) = unsafe { Self::at(base, Self::count(&shape)) };
        let placed = Placed { words, lock, shape };
        shape.set_up(placed.body());
        let Shape { kind, scheme, size, tasks, block, help } = shape;
        let which = Kind::ALL.iter().position(|known| *known == kind).unwrap_or(0) * Scheme::ALL.len()
            + Scheme::ALL.iter().position(|known| *known == scheme).unwrap_or(0);
        for (index, value) in [which, size, tasks, block, help].into_iter().enumerate() {
            words.set(1 + index, value as u64);
        }
        words.release(0, MADE | LAYOUT);
        Ok(placed)
    }

    /// The object that was made there, in at most `length` bytes.
    ///
    /// # Safety
    ///
    /// `length` bytes from `base` on are readable and writable for `'m`; an object was made there, or they are zero.
    pub unsafe fn open(base: *mut u8, length: usize) -> Result<Self, NoAccess> {
        if length < ALIGN + HEAD * size_of::<Word>() {
            return Err(NoAccess::TooSmall);
        }
        // SAFETY: as the caller says, the head is there.
        let (head, _) = unsafe { Self::at(base, HEAD) };
        match head.acquire(0) {
            first if first == MADE | LAYOUT => {}
            first if first & !LAYOUTS == MADE => return Err(NoAccess::OtherLayout(first & LAYOUTS)),
            _ => return Err(NoAccess::NotMade),
        }
        let [which, size, tasks, block, help] = core::array::from_fn(|index| head.get(1 + index) as usize);
        let kind = *Kind::ALL.get(which / Scheme::ALL.len()).ok_or(NoAccess::NotMade)?;
        let shape = Shape { kind, scheme: Scheme::ALL[which % Scheme::ALL.len()], size, tasks, block, help };
        shape.check().map_err(NoAccess::Shape)?;
        if length < Self::bytes(&shape) {
            return Err(NoAccess::TooSmall);
        }
        // SAFETY: as the caller says; there is room.
        let (words, lock) = unsafe { Self::at(base, Self::count(&shape)) };
        Ok(Placed { words, lock, shape })
    }

    /// The shape of the object.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    fn owner_word(&self, task: usize) -> Result<&'m Word, NoAccess> {
        let tasks = self.shape.tasks;
        let is_one = task < tasks;
        is_one.then(|| self.words.at(HEAD + LOCK + LINE * task)).ok_or(NoAccess::NoSuchTask { task, tasks })
    }

    fn body(&self) -> Words<'m> {
        let first = HEAD + LOCK + LINE * self.shape.tasks;
        self.words.part(first, self.words.count() - first)
    }

    /// Takes the number `task` for `owner`, which is not zero: one process or thread, until it leaves.
    pub fn join(&self, task: usize, owner: u64) -> Result<(), NoAccess> {
        let taken = self.owner_word(task)?.compare_exchange(0, owner, AcqRel, Relaxed);
        taken.map(|_| ()).map_err(|_| NoAccess::Taken(task))
    }

    /// Gives the number of a task back. No operation of this task is under way.
    pub fn leave(&self, task: usize) {
        if let Ok(word) = self.owner_word(task) {
            word.store(0, Release);
        }
    }

    /// The owner of the number `task`; zero if the number is free.
    pub fn owner(&self, task: usize) -> u64 {
        self.owner_word(task).map_or(0, |word| word.load(Acquire))
    }

    /// The access of task `me`, which has joined, to this buffer.
    ///
    /// # Panics
    ///
    /// If the object is no buffer, or not for this task.
    pub fn buffer(&self, me: usize) -> BufferUser<'m> {
        assert!(self.shape.kind == Kind::Buffer, "it is a buffer");
        self.shape.buffer(self.lock, self.body(), me)
    }

    /// The locked object without its lock, for one task that has it for itself.
    ///
    /// # Panics
    ///
    /// If the object is not locked.
    pub fn alone(&self) -> Alone<'m> {
        self.shape.alone(self.lock, self.body())
    }

    /// The access of task `me`, which has joined, to this queue or heap.
    ///
    /// # Panics
    ///
    /// If the object is a buffer, or not for this task.
    pub fn container(&self, me: usize) -> ContainerUser<'m> {
        self.shape.container(self.lock, self.body(), me)
    }
}
