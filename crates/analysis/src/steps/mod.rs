//! How did a test come to its answer?
//!
//! A test that a textbook has hands out its computation while it decides: the sums that it compares, each iterate of a
//! fixed point, the deadlines at which it looks at the demand, the sections that block. It hands them to a [`Watch`].
//! Without one ([`Unwatched`]), nothing is built, and the compiler removes the questions.
//!
//! | file | holds |
//! |---|---|
//! | `watch.rs` | who may watch a test, and a watch that records |
//! | `rows.rs` | values that a loop hands out at each turn |
//! | `sums.rs` | sums that are compared with a bound |
//! | `response.rs` | fixed points of response-time analysis |
//! | `demand.rs` | demand at the deadlines that an examination visits |
//! | `sweep.rs` | response times by a sweep over absolute deadlines |
//! | `blocking.rs` | sections that may block, and those that count |
//! | `delays.rs` | sections of others that add to a bound |

mod blocking;
mod delays;
mod demand;
mod response;
mod rows;
mod sums;
mod sweep;
mod watch;

pub use blocking::{BlockingRule, BlockingSum, CandidateSection};
pub use delays::{DelayCause, DelayPart, DelaySum, Parts};
pub use demand::{DemandEnd, DemandSteps, DueTask, Limit, VisitedDeadline};
pub(crate) use response::Windows;
pub use response::{GoesBefore, Iterate, JitterCause, ResponseSteps, WindowRule, WindowSteps};
pub use rows::{JobsOf, Rows};
pub(crate) use sums::{sum_of_all, sum_shown};
pub use sums::{CappedWork, LoadSum, LoadTerm, RatioKind, RatioSum, RatioTerm, SlackSum, SlackTerm, WorkSum};
pub(crate) use sweep::Sweep;
pub use sweep::{SweepSteps, SweptDeadline, SweptTask};
pub use watch::{Recorder, Unwatched, Watch};

use schedlab_model::TaskId;

/// One computation of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Computation {
    /// A sum or product of fractions, compared with a bound.
    Ratio(RatioSum),
    /// A sum of shares of the time before a deadline, compared with a bound.
    Load(LoadSum),
    /// A sum of work, compared with the room for it.
    Work(WorkSum),
    /// The time that a sum of work leaves before a deadline.
    Slack(SlackSum),
    /// The fixed points of one task's busy window.
    Response(ResponseSteps),
    /// Response times by a sweep over absolute deadlines.
    Sweep(SweepSteps),
    /// Demand at the deadlines that are visited.
    Demand(DemandSteps),
    /// The sections that block a job.
    Blocking(BlockingSum),
    /// The sections of others that delay a job.
    Delays(DelaySum),
}

impl Computation {
    /// The task that the computation is about; `None` if it is about all tasks of a cluster.
    pub fn task(&self) -> Option<TaskId> {
        match self {
            Computation::Ratio(_) | Computation::Sweep(_) | Computation::Demand(_) => None,
            Computation::Load(sum) => Some(sum.of),
            Computation::Work(sum) => Some(sum.of),
            Computation::Slack(sum) => Some(sum.of),
            Computation::Response(steps) => Some(steps.task),
            Computation::Blocking(sum) => Some(sum.of),
            Computation::Delays(sum) => Some(sum.of),
        }
    }

    /// Returns whether the computation is about some of `tasks`.
    fn is_about(&self, tasks: &[TaskId]) -> bool {
        let first = match self {
            Computation::Ratio(sum) => sum.terms.first().map(|term| term.task),
            Computation::Sweep(steps) => steps.tasks.first().map(|one| one.task),
            Computation::Demand(steps) => steps.tasks.first().map(|due| due.task),
            Computation::Load(_)
            | Computation::Work(_)
            | Computation::Slack(_)
            | Computation::Response(_)
            | Computation::Blocking(_)
            | Computation::Delays(_) => self.task(),
        };
        first.is_some_and(|task| tasks.contains(&task))
    }

    /// Returns whether a later round of an iteration replaces `earlier` by this computation.
    fn replaces(&self, earlier: &Computation) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(earlier) && self.task() == earlier.task()
    }

    /// Number of values that the computation holds, as far as it grows with the task set.
    fn size(&self) -> u64 {
        match self {
            Computation::Ratio(sum) => sum.terms.len() as u64,
            Computation::Load(sum) => sum.terms.len() as u64,
            Computation::Work(sum) => sum.terms.len() as u64,
            Computation::Slack(sum) => sum.terms.len() as u64,
            Computation::Response(steps) => steps.size(),
            Computation::Sweep(steps) => steps.size(),
            Computation::Demand(steps) => steps.size(),
            Computation::Blocking(sum) => sum.candidates.len() as u64,
            Computation::Delays(sum) => sum.parts.len() as u64,
        }
    }
}

/// Computations of one test, in the order in which it did them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// The computations.
    pub computations: Vec<Computation>,
    /// True if there were more, beyond the limit of what is recorded.
    pub is_cut: bool,
    /// The task with which the test ended because it fails; the test did not look at those that come after it.
    pub ended_with: Option<TaskId>,
}

impl Steps {
    /// Returns the computations that are about some of `tasks`.
    #[must_use]
    pub(crate) fn about(&self, tasks: &[TaskId]) -> Steps {
        let computations = self.computations.iter().filter(|one| one.is_about(tasks)).cloned().collect();
        let ended_with = self.ended_with.filter(|task| tasks.contains(task));
        Steps { computations, is_cut: self.is_cut, ended_with }
    }
}

/// Which computations are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// No steps.
    #[default]
    Nothing,
    /// The steps of all tasks.
    All,
    /// The steps about this task, and the steps that are about all tasks together.
    Of(TaskId),
}
