//! Fixed points of response-time analysis.

use super::rows::{JobsOf, Kept, Rows};
use schedlab_model::TaskId;

/// A task that goes before the analysed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoesBefore {
    /// The task.
    pub task: TaskId,
    /// Cost of a job, in ns, with what counts as execution.
    pub cost: u64,
    /// Period, in ns.
    pub period: u64,
    /// Jitter with which its jobs come, in ns.
    pub jitter: u64,
}

/// One turn of an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iterate {
    /// Length of the window at which jobs are counted, in ns.
    pub window: u128,
    /// Jobs in it of each task that goes before, in their order.
    pub jobs: Vec<JobsOf>,
    /// Work that these jobs, the own ones and the blocking take, in ns: the next window.
    pub next: u128,
}

/// The window of the first jobs of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowSteps {
    /// Number of own jobs in the window; the last of them is the one whose response time is bounded.
    pub own_jobs: u64,
    /// Blocking and the work of the own jobs, in ns.
    pub own: u128,
    iterates: Kept<Iterate>,
    /// Bound on the job's response time, in ns; `None` if no fixed point was found.
    pub response: Option<u128>,
}

impl WindowSteps {
    /// The turns; the last is the last that there was.
    pub fn iterates(&self) -> &[Iterate] {
        &self.iterates.rows
    }

    /// Number of turns that are left out before the last.
    pub fn left_out(&self) -> u64 {
        self.iterates.left_out
    }
}

/// How the response time of a task was bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseSteps {
    /// The task.
    pub task: TaskId,
    /// Cost of a job, in ns, with what counts as execution.
    pub cost: u64,
    /// Blocking, in ns.
    pub blocking: u64,
    /// Period, in ns.
    pub period: u64,
    /// Jitter, in ns.
    pub jitter: u64,
    /// Relative deadline, in ns.
    pub relative_deadline: u64,
    /// The tasks that go before it.
    pub higher: Vec<GoesBefore>,
    /// Bound on the response time, in ns; `None` if there is none, or none before the relative deadline.
    pub bound: Option<u128>,
    windows: Kept<WindowSteps>,
    /// Jobs of the present turn.
    present: Vec<JobsOf>,
    size: u64,
}

impl ResponseSteps {
    /// The task `own` with a job's blocking and relative deadline, before any window.
    pub(crate) fn new(
        own: GoesBefore,
        blocking: u64,
        relative_deadline: u64,
        higher: Vec<GoesBefore>,
    ) -> Self {
        let GoesBefore { task, cost, period, jitter } = own;
        let size = higher.len() as u64;
        ResponseSteps {
            task,
            cost,
            blocking,
            period,
            jitter,
            relative_deadline,
            higher,
            bound: None,
            windows: Kept::none(),
            present: Vec::new(),
            size,
        }
    }

    /// The windows, each with one job more; the last is the last that there was.
    pub fn windows(&self) -> &[WindowSteps] {
        &self.windows.rows
    }

    /// Number of windows that are left out before the last.
    pub fn left_out(&self) -> u64 {
        self.windows.left_out
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }
}

/// Receiver of the windows of one task.
pub(crate) trait Windows: Rows {
    /// Begins the window of so many own jobs, which take `own` with the blocking.
    #[inline(always)]
    fn begin(&mut self, own_jobs: u64, own: u128) {
        let _ = (own_jobs, own);
    }

    /// Ends the present window with the bound on its last job's response time.
    #[inline(always)]
    fn respond(&mut self, response: u128) {
        let _ = response;
    }
}

impl Windows for super::Unwatched {}

impl Windows for ResponseSteps {
    fn begin(&mut self, own_jobs: u64, own: u128) {
        let window = WindowSteps { own_jobs, own, iterates: Kept::none(), response: None };
        self.windows.push(window, self.size);
    }

    fn respond(&mut self, response: u128) {
        if let Some(window) = self.windows.rows.last_mut() {
            window.response = Some(response);
        }
    }
}

impl Rows for ResponseSteps {
    fn jobs(&mut self, of: JobsOf) {
        self.present.push(of);
    }

    fn row(&mut self, window: u128, next: u128) {
        let jobs = std::mem::take(&mut self.present);
        let of = self.windows.rows.last_mut().expect("a window is begun before its turns");
        of.iterates.push(Iterate { window, jobs, next }, self.size);
        self.size += 2 * self.higher.len() as u64 + 2;
    }
}
