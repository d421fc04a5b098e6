//! The lock-free construction: Anderson and Moir 1999. An operation tries until no other one has changed the object
//! meanwhile.

use super::super::super::words::Words;
use super::super::sequential::{Answer, Request, Sequential, ANY, USUAL};
use super::draft::{Draft, Layout};

/// The access of one task to a lock-free object.
#[derive(Debug)]
pub struct LockFree<'m, S> {
    draft: Draft<'m>,
    object: S,
    attempts: u64,
}

impl<'m, S: Sequential> LockFree<'m, S> {
    fn layout(object: &S, tasks: usize) -> Layout {
        Layout::of(object, 0, 1, tasks)
    }

    /// The number of words of memory that the object needs for this many tasks.
    pub fn words(object: &S, tasks: usize) -> usize {
        Self::layout(object, tasks).words()
    }

    /// Makes an empty object in words that are zero.
    pub fn set_up(words: Words<'_>, object: &S, tasks: usize) {
        Self::layout(object, tasks).set_up(words);
    }

    /// The access of task `me` to the object in `words`.
    pub fn new(words: Words<'m>, object: S, tasks: usize, me: usize) -> Self {
        let layout = Self::layout(&object, tasks);
        assert!(words.count() >= layout.words() && me < tasks, "the object was made for this task");
        LockFree { draft: Draft::new(words, layout, me), object, attempts: 0 }
    }

    /// The number of attempts that the last operation made.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Executes an operation.
    #[inline]
    pub fn apply(&mut self, request: Request) -> Answer {
        match self.draft.layout().block {
            // The usual one of a heap. Known to the compiler, it takes a tenth fewer instructions.
            USUAL => self.apply_in::<USUAL>(request),
            _ => self.apply_in::<ANY>(request),
        }
    }

    #[inline(never)]
    fn apply_in<const BLOCK: usize>(&mut self, request: Request) -> Answer {
        self.attempts = 0;
        loop {
            self.attempts = self.attempts.wrapping_add(1);
            if let Some(answer) = self.attempt::<BLOCK>(request) {
                return answer;
            }
        }
    }

    #[inline(always)]
    fn attempt<const BLOCK: usize>(&mut self, request: Request) -> Option<Answer> {
        let draft = &mut self.draft;
        if !draft.begin() {
            return None;
        }
        let answer = draft.apply::<BLOCK, true>(&self.object, request).ok()?;
        let counts = if draft.is_unchanged() { draft.leave() } else { draft.store() };
        counts.then_some(answer)
    }
}
