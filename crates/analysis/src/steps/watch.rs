//! Watching a test.

use super::{Computation, DelayCause, DelayPart, DelaySum, Parts, Show, Steps};
use schedlab_model::TaskId;

/// A watcher of a test. A test asks before it builds a computation.
pub trait Watch {
    /// Receiver of the parts of bounds on delays.
    type Parts: Parts;

    /// Returns whether a computation about `task`, or about all tasks, is wanted.
    fn wants(&mut self, task: Option<TaskId>) -> bool;

    /// Takes a computation that the test has done. Called only with what is wanted.
    fn add(&mut self, computation: Computation);

    /// Takes a computation of a round of an iteration. It replaces the one of the same kind about the same task of the
    /// round before. Called only with what is wanted.
    fn renew(&mut self, computation: Computation);

    /// Takes the parts of the bound `total` on the delay of a job of `of`, as [`Watch::renew`] does.
    fn delays(&mut self, of: TaskId, parts: Self::Parts, total: Option<u64>) {
        if self.wants(Some(of)) {
            self.renew(Computation::Delays(DelaySum { of, parts: parts.into_parts(), total }));
        }
    }

    /// Notes that the test ends with `task` because it fails.
    fn end_with(&mut self, task: TaskId);
}

/// No watch: nothing is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unwatched;

impl Parts for Unwatched {
    const ARE_NOTED: bool = false;

    #[inline(always)]
    fn part(&mut self, _: DelayCause, _: usize, _: u32, _: u64, _: u64) {}

    #[inline(always)]
    fn take(&mut self, _: &Self, _: u64) {}

    fn into_parts(self) -> Vec<DelayPart> {
        Vec::new()
    }
}

impl Watch for Unwatched {
    type Parts = Unwatched;

    #[inline(always)]
    fn wants(&mut self, _: Option<TaskId>) -> bool {
        false
    }

    fn add(&mut self, _: Computation) {}

    fn renew(&mut self, _: Computation) {}

    #[inline(always)]
    fn end_with(&mut self, _: TaskId) {}
}

/// Values that one test's record may hold: a few megabytes.
const MOST: u64 = 200_000;

/// A watch that records.
#[derive(Clone, Debug)]
pub struct Recorder {
    show: Show,
    steps: Steps,
    left: u64,
}

impl Recorder {
    /// A recorder of the computations that `show` names.
    pub fn of(show: Show) -> Recorder {
        Recorder { show, steps: Steps::default(), left: MOST }
    }

    /// Returns what was recorded.
    pub fn into_steps(self) -> Steps {
        self.steps
    }
}

impl Watch for Recorder {
    type Parts = Vec<DelayPart>;

    fn wants(&mut self, task: Option<TaskId>) -> bool {
        let is_meant = match (self.show, task) {
            (Show::Nothing, _) => false,
            (Show::All, _) | (Show::Of(_), None) => true,
            (Show::Of(one), Some(task)) => one == task,
        };
        self.steps.is_cut |= is_meant && self.left == 0;
        is_meant && self.left > 0
    }

    fn add(&mut self, computation: Computation) {
        self.left = self.left.saturating_sub(computation.size() + 1);
        self.steps.computations.push(computation);
    }

    fn renew(&mut self, computation: Computation) {
        match self.steps.computations.iter_mut().find(|earlier| computation.replaces(earlier)) {
            None => self.add(computation),
            Some(earlier) => {
                self.left = (self.left + earlier.size()).saturating_sub(computation.size());
                *earlier = computation;
            }
        }
    }

    fn end_with(&mut self, task: TaskId) {
        self.steps.ended_with = Some(task);
    }
}
