//! Watching a test.

use super::{Computation, Show, Steps};
use schedlab_model::TaskId;

/// A watcher of a test. A test asks before it builds a computation.
pub trait Watch {
    /// Returns whether a computation about `task`, or about all tasks, is wanted.
    fn wants(&mut self, task: Option<TaskId>) -> bool;

    /// Takes a computation that the test has done. Called only with what is wanted.
    fn add(&mut self, computation: Computation);
}

/// No watch: nothing is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unwatched;

impl Watch for Unwatched {
    #[inline(always)]
    fn wants(&mut self, _: Option<TaskId>) -> bool {
        false
    }

    fn add(&mut self, _: Computation) {}
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
}
