//! Response times that a sweep over the absolute deadlines of a busy period finds.

use super::response::Iterate;
use super::rows::{JobsOf, Kept, Rows};
use super::Unwatched;
use schedlab_model::TaskId;

/// A task whose jobs take part in the busy period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweptTask {
    /// The task.
    pub task: TaskId,
    /// Cost of a job, in ns, with what counts as execution.
    pub cost: u64,
    /// Period, in ns.
    pub period: u64,
    /// Relative deadline, in ns.
    pub relative_deadline: u64,
    /// Jitter, in ns.
    pub jitter: u64,
    /// Bound on the response time, in ns; `None` if the budget was spent before.
    pub bound: Option<u128>,
    /// Absolute deadline of the slowest job, in ns after the begin of the busy period; `None` if no other job
    /// delays it.
    pub due: Option<i128>,
}

/// An absolute deadline in the busy period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweptDeadline {
    /// The deadline, in ns after the begin of the busy period.
    pub due: i128,
    /// Number of turns in which the fixed point was found.
    pub turns: u64,
    /// Jobs that are released until the work is done and due by then, by task, at the fixed point.
    pub jobs: Vec<JobsOf>,
    /// Instant at which the work is done that is due by then, in ns after the begin of the busy period.
    pub done: u128,
}

/// How the response times of the tasks of a processor were bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepSteps {
    /// The tasks.
    pub tasks: Vec<SweptTask>,
    busy: Kept<Iterate>,
    visited: Kept<SweptDeadline>,
    present: Vec<JobsOf>,
    size: u64,
}

impl SweepSteps {
    /// The tasks, before anything is visited.
    pub(crate) fn new(tasks: Vec<SweptTask>) -> Self {
        let size = tasks.len() as u64;
        SweepSteps { tasks, busy: Kept::none(), visited: Kept::none(), present: Vec::new(), size }
    }

    /// Turns that find the busy period; the last is the last that there was.
    pub fn busy_period(&self) -> &[Iterate] {
        &self.busy.rows
    }

    /// Number of turns of the busy period that are left out before the last.
    pub fn busy_left_out(&self) -> u64 {
        self.busy.left_out
    }

    /// The deadlines in rising order; the last is the last that there was.
    pub fn visited(&self) -> &[SweptDeadline] {
        &self.visited.rows
    }

    /// Number of deadlines that are left out before the last.
    pub fn left_out(&self) -> u64 {
        self.visited.left_out
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }
}

/// Receiver of a sweep: the turns of the busy period, then each deadline with the turns of its fixed point.
pub(crate) trait Sweep: Rows {
    /// Begins the search for the instant at which the work due by `due` is done.
    #[inline(always)]
    fn due(&mut self, due: i128) {
        let _ = due;
    }
}

impl Sweep for Unwatched {}

impl Sweep for SweepSteps {
    fn due(&mut self, due: i128) {
        self.size += 2 * self.tasks.len() as u64 + 3;
        self.visited.push(SweptDeadline { due, turns: 0, jobs: Vec::new(), done: 0 }, self.size);
    }
}

impl Rows for SweepSteps {
    fn jobs(&mut self, of: JobsOf) {
        self.present.push(of);
    }

    fn row(&mut self, length: u128, sum: u128) {
        let jobs = std::mem::take(&mut self.present);
        // The turns before the first deadline are those of the busy period.
        match self.visited.rows.last_mut() {
            Some(deadline) => {
                let turns = deadline.turns + 1;
                *deadline = SweptDeadline { due: deadline.due, turns, jobs, done: length };
            }
            None => {
                self.size += 2 * self.tasks.len() as u64 + 2;
                self.busy.push(Iterate { window: length, jobs, next: sum }, self.size);
            }
        }
    }
}
