//! The wait-free construction: a task announces its operation, and tasks that succeed execute some announced ones
//! beside their own.
//!
//! Anderson and Moir 1999. Published: the announcements, the help by turns, and that an attempt may execute several
//! operations if its task has copies for them, so that an operation ends after a number of attempts that falls with the
//! number of copies.
//!
//! **This file's own** is where results are. Each version holds, by task, the result and the number of its last
//! operation that was executed. They are two words, each with the number's end and a half of the result, so that one
//! look at them finds them torn or whole.
//!
//! **Bound.** An attempt fails only if another task stored within it. The first store after the announcement may come
//! of an attempt that did not see it. Each later one began after it, and helped h tasks, in turns. So after 1 + ceil(N
//! / h) failed attempts the operation was executed. Then the task need not link a version to find its result, which
//! others could prevent for ever: it reads the current version's number, then its two words there. Versions that become
//! current since hold its result, since each is made of a current one. Their buffers are written again only by tasks
//! that have seen a later version, so with the same result. This makes 2 + ceil(N / h) attempts at most, each of a
//! fixed number of steps ([`WaitFree::steps`]).
//!
//! **64-bit machines.** That later attempts see the announcement needs an order between two words, so all of these are
//! sequentially consistent: the exchange that announces, a link, the exchange of the version, a look at an
//! announcement. The announcing task has linked a version that the first store replaced, so it had announced before
//! that store. A later attempt has linked what that store made, or what came after, and looks at the announcement then.
//! To exchange the version's word with itself instead would not do: compilers take that for no exchange at all. An
//! announcement is two words, of which the one with the number is written last. A helper that reads the value of a
//! later operation can not store: the earlier one was executed meanwhile, by another store.

use super::super::super::part::Part;
use super::super::super::sync::{has, LINE};
use super::super::super::words::Words;
use super::super::sequential::{Answer, Request, Sequential, Stale, ANY};
use super::draft::{Draft, Layout};
use core::sync::atomic::Ordering::SeqCst;

/// Lowest bit of the operation's number in an announcement's second word; the operation's kind is below.
const NUMBER: u32 = 1;
/// Bits of a result's words: half of the value, then whether there is a value, then the end of the number.
const THERE: u32 = 32;
const TAG: u32 = 33;

/// Number of words from one announcement to the next.
const APART: usize = if LINE > 2 { LINE } else { 2 };

/// The access of one task to a wait-free object.
#[derive(Debug)]
pub struct WaitFree<'m, S> {
    draft: Draft<'m>,
    object: S,
    help: usize,
    me: usize,
    attempts: u64,
}

/// The end of an operation's number.
fn tag(number: u64) -> u64 {
    number << TAG >> TAG
}

/// The two words of a result.
fn coded(answer: Answer, number: u64) -> [u64; 2] {
    let head = tag(number) << TAG | u64::from(answer.is_some()) << THERE;
    let value = answer.unwrap_or(0);
    [head | value & u64::from(u32::MAX), head | value >> 32]
}

/// The result in these words, if they are of the operation with this number.
fn decoded([low, high]: [u64; 2], number: u64) -> Option<Answer> {
    let value = (high & u64::from(u32::MAX)) << 32 | low & u64::from(u32::MAX);
    let is_there = low >> THERE & 1 == 1;
    (low >> TAG == tag(number) && high >> TAG == tag(number)).then_some(is_there.then_some(value))
}

impl<'m, S: Sequential> WaitFree<'m, S> {
    /// A version's words beside its blocks: whose turn it is to be helped, and each task's result.
    fn layout(object: &S, help: usize, tasks: usize) -> Layout {
        Layout::of(object, 1 + 2 * tasks, 1 + help, tasks)
    }

    /// The number of words of memory that the object needs, if an attempt helps `help` others.
    pub fn words(object: &S, help: usize, tasks: usize) -> usize {
        Self::layout(object, help, tasks).words() + APART * tasks
    }

    /// Makes an empty object in words that are zero.
    pub fn set_up(words: Words<'_>, object: &S, help: usize, tasks: usize) {
        Self::layout(object, help, tasks).set_up(words);
    }

    /// The access of task `me` to the object in `words`.
    pub fn new(words: Words<'m>, object: S, help: usize, tasks: usize, me: usize) -> Self {
        assert!(help > 0 && me < tasks, "an attempt helps others, and the object was made for this task");
        let layout = Self::layout(&object, help, tasks);
        assert!(words.count() >= Self::words(&object, help, tasks), "there is room for the object");
        WaitFree { draft: Draft::new(words, layout, me), object, help, me, attempts: 0 }
    }

    /// The largest number of attempts that an operation makes.
    pub const fn most_attempts(help: usize, tasks: usize) -> u64 {
        2 + tasks.div_ceil(help) as u64
    }

    /// The largest number of accesses to shared words that an operation makes.
    pub fn steps(object: &S, help: usize, tasks: usize) -> usize {
        let layout = Self::layout(object, help, tasks);
        // An operation and its result; linking, the own result, by helped task its announcement and result, whose turn
        // it is, storing.
        let operation = layout.steps(object) + 2;
        let attempt = (2 + 2 * layout.width) + 2 + help * (4 + operation) + operation + 3;
        // The announcement before, and a look at last.
        3 + (Self::most_attempts(help, tasks) as usize - 1) * attempt + 3
    }

    /// The number of attempts that the last operation made.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    #[inline]
    fn announcement(&self, task: usize) -> usize {
        self.draft.layout().words() + APART * task
    }

    /// Executes an operation, or finds that another task has done so.
    #[inline(never)]
    pub fn apply(&mut self, request: Request) -> Answer {
        let mine = self.announcement(self.me);
        let number = (self.draft.words().get(mine + 1) >> NUMBER) + 1;
        let (value, which) = match request {
            Request::Put(value) => (value, 0),
            Request::Take => (0, 1),
        };
        self.draft.words().release(mine, value);
        self.draft.words().at(mine + 1).swap(number << NUMBER | which, SeqCst);
        self.attempts = 0;
        while self.attempts + 1 < Self::most_attempts(self.help, self.draft.layout().tasks) {
            self.attempts += 1;
            if let Some(answer) = self.attempt(request, number) {
                return answer;
            }
        }
        self.attempts += 1;
        let current = self.draft.value() + self.draft.layout().blocks;
        self.result(current, self.me, number).expect("so many stores have executed the operation")
    }

    /// The result of `task`'s operation of this number in a version whose other words begin at `more`.
    #[inline]
    fn result(&self, more: usize, task: usize, number: u64) -> Option<Answer> {
        let index = more + 1 + 2 * task;
        decoded([self.draft.words().acquire(index), self.draft.words().acquire(index + 1)], number)
    }

    fn attempt(&mut self, request: Request, number: u64) -> Option<Answer> {
        if !self.draft.begin() {
            return None;
        }
        let (more, tasks) = (self.draft.more(0), self.draft.layout().tasks);
        if let Some(answer) = self.result(more, self.me, number) {
            return Some(answer);
        }
        let turn = self.draft.words().get(more);
        let helped = (0..self.help as u64).map(|later| (turn + later) as usize % tasks);
        let me = self.me;
        for task in helped.filter(|task| *task != me && has(Part::Help)) {
            self.help(task).ok()?;
        }
        let answer = self.execute(me, request, number).ok()?;
        if has(Part::HelpTurns) {
            self.draft.words().release(more, (turn + self.help as u64) % tasks as u64);
        }
        self.draft.store().then_some(answer)
    }

    /// Executes the operation that `task` has announced, unless that was done.
    fn help(&mut self, task: usize) -> Result<(), Stale> {
        let announced = self.draft.words().at(self.announcement(task) + 1).load(SeqCst);
        let number = announced >> NUMBER;
        let is_done = number == 0 || self.result(self.draft.more(0), task, number).is_some();
        if is_done && (has(Part::OnceOnly) || number == 0) {
            return Ok(());
        }
        let request = match announced & 1 {
            0 => Request::Put(self.draft.words().acquire(self.announcement(task))),
            _ => Request::Take,
        };
        self.execute(task, request, number).map(|_| ())
    }

    fn execute(&mut self, task: usize, request: Request, number: u64) -> Result<Answer, Stale> {
        let answer = self.draft.apply::<ANY, false>(&self.object, request)?;
        let index = self.draft.more(1 + 2 * task);
        for (half, word) in coded(answer, number).into_iter().enumerate() {
            self.draft.words().release(index + half, word);
        }
        Ok(answer)
    }
}
