//! The lock-free construction: Anderson and Moir 1999. An operation tries until no other one has changed the object meanwhile.

use super::super::sequential::{Answer, Request, Sequential};
use super::super::words::Words;
use super::draft::{Draft, Known, Layout};
use super::long::{Long, MOST_TASKS};

/// A task's access to a lock-free object.
#[derive(Debug)]
pub struct LockFree<'m, S> {
    words: Words<'m>,
    long: Long<'m>,
    layout: Layout,
    object: S,
    own: Words<'m>,
    known: Option<Known>,
    attempts: u64,
}

impl<'m, S: Sequential> LockFree<'m, S> {
    /// The most tasks.
    pub const MOST_TASKS: usize = MOST_TASKS;

    fn layout(object: &S, block: usize, tasks: usize) -> Layout {
        Layout::of(object, block, 0, 1, tasks)
    }

    /// How many words of memory it needs.
    pub fn words(object: &S, block: usize, tasks: usize) -> usize {
        Self::layout(object, block, tasks).words()
    }

    /// Makes an empty one in words that are zero.
    pub fn set_up(words: Words<'_>, object: &S, block: usize, tasks: usize) {
        Self::layout(object, block, tasks).set_up(words);
    }

    /// The access of task `me` to the object in `words`.
    pub fn new(words: Words<'m>, object: S, block: usize, tasks: usize, me: usize) -> Self {
        let layout = Self::layout(&object, block, tasks);
        assert!(words.count() >= layout.words() && me < tasks, "the object was made for this task");
        let long = Long::new(words, layout.width, me);
        let own = layout.own(words, me);
        LockFree { words, long, layout, object, own, known: None, attempts: 0 }
    }

    /// How often the last operation tried.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Executes an operation.
    #[inline(never)]
    pub fn apply(&mut self, request: Request) -> Answer {
        self.attempts = 0;
        loop {
            self.attempts += 1;
            if let Some(answer) = self.attempt(request) {
                return answer;
            }
        }
    }

    #[inline(always)]
    fn attempt(&mut self, request: Request) -> Option<Answer> {
        let mut draft = Draft::new(self.words, &self.long, &self.layout, self.own);
        if !draft.begin(&mut self.known) {
            return None;
        }
        let answer = self.object.apply(request, &mut draft).ok()?;
        let counts =
            if draft.is_unchanged() { draft.leave(&mut self.known) } else { draft.store(&mut self.known) };
        counts.then_some(answer)
    }
}
