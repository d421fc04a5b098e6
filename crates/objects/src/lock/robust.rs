//! A queue lock whose waiters notice that a task died.
//!
//! The ticket lock grants in the order of requests, so a task that dies while it holds or waits stops all that come
//! after. Each task says in a word of its own that it is inside. One that has waited for long asks whether the others
//! inside live. If one does not, the object is broken for good: what it protected may be half changed, and a dead
//! waiter's turn never ends. All that wait, and all that come later, learn which task died. A dead task does not
//! hang the others; that they could go on, the protocol does not allow.
//!
//! This is the file's own. Robust mutexes of POSIX report a dead holder, too (Linux: I. Molnar and others, 2006), and
//! the next holder repairs what it protects. There the kernel keeps the waiters, so that a dead one is in no other's
//! way. Queue locks whose waiters may leave (M. Scott, *Non-blocking timeout in scalable queue-based spin locks*, PODC
//! 2002) need a node for each waiter.

use super::super::part::Part;
use super::super::sync::{fence, has, spin, LINE};
use super::super::words::Words;
use super::queue_lock::QueueLock;
use super::ticket::TicketLock;
use core::fmt;
use core::sync::atomic::Ordering::Release;

/// The error that a task died while it held the lock or waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadTask {
    /// The number of the task that died.
    pub task: usize,
}

impl fmt::Display for DeadTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {} died while it held the object's lock or waited for it", self.task)
    }
}

/// The questions that a lock asks of its surroundings.
pub trait Surroundings {
    /// True if the task of this number lives.
    fn is_alive(&self, task: usize) -> bool;
    /// Enters a non-preemptive section of the calling task.
    fn enter_non_preemptive(&self) {}
    /// Leaves that non-preemptive section.
    fn leave_non_preemptive(&self) {}
}

/// Surroundings of tasks that cannot die one by one, and need no section: threads of one process that are not
/// preempted.
#[derive(Clone, Copy, Debug)]
pub struct Together;

impl Surroundings for Together {
    fn is_alive(&self, _: usize) -> bool {
        true
    }
}

/// Number of looks of a waiter before it asks whether others live.
const PATIENCE: u32 = 1 << 10;

/// A task's access to a robust lock.
#[derive(Clone, Copy, Debug)]
pub struct RobustLock<'m> {
    lock: &'m TicketLock,
    words: Words<'m>,
    tasks: usize,
    me: usize,
}

impl<'m> RobustLock<'m> {
    /// The number of words that the lock needs beside the ticket lock; all zero is an unlocked one.
    pub const fn words(tasks: usize) -> usize {
        LINE * (tasks + 1)
    }

    /// The access of task `me`.
    pub fn new(lock: &'m TicketLock, words: Words<'m>, tasks: usize, me: usize) -> Self {
        assert!(words.count() >= Self::words(tasks) && me < tasks, "the lock was made for this task");
        RobustLock { lock, words, tasks, me }
    }

    #[inline]
    fn inside(task: usize) -> usize {
        LINE * (1 + task)
    }

    #[inline]
    fn dead(&self) -> Result<(), DeadTask> {
        match self.words.acquire(0) {
            0 => Ok(()),
            task => Err(DeadTask { task: task as usize - 1 }),
        }
    }

    /// Calls `work` in a non-preemptive section, with no other thread within.
    #[inline]
    pub fn with<R>(&self, around: &impl Surroundings, work: impl FnOnce() -> R) -> Result<R, DeadTask> {
        around.enter_non_preemptive();
        let result = self.locked(around, work);
        around.leave_non_preemptive();
        result
    }

    #[inline]
    fn locked<R>(&self, around: &impl Surroundings, work: impl FnOnce() -> R) -> Result<R, DeadTask> {
        self.dead()?;
        // Said before the ticket is drawn: a task that dies between the two is found. Who waits looks again and again.
        self.words.set(Self::inside(self.me), 1);
        fence(Release);
        let ticket = self.lock.enter();
        let mut looks: u32 = 0;
        while !self.lock.is_granted(ticket) {
            spin();
            looks = looks.wrapping_add(1);
            if looks % PATIENCE == 0 && has(Part::AsksForDead) {
                self.look_for_dead(around);
                self.dead()?;
            }
        }
        let result = work();
        // SAFETY: the ticket was drawn from this lock, and is granted.
        unsafe { self.lock.leave(ticket) };
        self.words.release(Self::inside(self.me), 0);
        Ok(result)
    }

    #[cold]
    #[inline(never)]
    fn look_for_dead(&self, around: &impl Surroundings) {
        let others = (0..self.tasks).filter(|task| *task != self.me);
        let is_inside = |task: &usize| self.words.acquire(Self::inside(*task)) != 0;
        if let Some(task) = others.filter(is_inside).find(|task| !around.is_alive(*task)) {
            self.words.release(0, task as u64 + 1);
        }
    }
}
