//! Fixed points of response-time analysis.

use super::rows::{JobsOf, Kept, Rows};
use schedlab_model::TaskId;

/// Reason of a task's jitter: why its jobs may execute later than their arrivals let expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JitterCause {
    /// Their releases have jitter.
    Jitter,
    /// They may suspend themselves or wait: response time less cost.
    CarryIn,
    /// They may suspend themselves. The jitter is the sum of both parts.
    Suspension {
        /// Suspension in ns, of this task and tasks below it, that counts as a delay of those below.
        below: u64,
        /// Response time less cost, in ns, of this task; 0 if its suspension counts in `below`.
        carried: u64,
    },
}

/// A task that goes before the analysed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoesBefore {
    /// The task.
    pub task: TaskId,
    /// Cost of a job, in ns, with what counts as execution.
    pub cost: u64,
    /// Part of the cost, in ns, for which a job spins.
    pub spinning: u64,
    /// Period, in ns.
    pub period: u64,
    /// Jitter of its jobs, in ns: how much later than their arrivals let expect they may execute.
    pub jitter: u64,
    /// Reason of the jitter.
    pub jitter_cause: JitterCause,
}

/// Meaning of the window that is a fixed point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowRule {
    /// The window ends when the job completes.
    UntilCompletion,
    /// The window ends when the job, which is not preempted, begins.
    UntilBegin,
    /// As until completion. Suspension of more urgent tasks makes their own jobs late.
    SuspensionAsJitter,
    /// As until completion. Suspension of some more urgent tasks delays the tasks below them, by the linear rule.
    SuspensionByRule,
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
    /// Number of own jobs up to the one whose response time is bounded.
    pub own_jobs: u64,
    /// Blocking and the work of the own jobs, in ns; until the begin of a job, without its cost.
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
    /// Meaning of each window.
    pub rule: WindowRule,
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
    busy: Kept<Iterate>,
    windows: Kept<WindowSteps>,
    /// Jobs of the present turn.
    present: Vec<JobsOf>,
    size: u64,
}

impl ResponseSteps {
    /// The task `own` with a job's blocking and relative deadline, before any window.
    pub(crate) fn new(
        rule: WindowRule,
        own: GoesBefore,
        blocking: u64,
        relative_deadline: u64,
        higher: Vec<GoesBefore>,
    ) -> Self {
        let GoesBefore { task, cost, period, jitter, .. } = own;
        let size = higher.len() as u64;
        ResponseSteps {
            rule,
            task,
            cost,
            blocking,
            period,
            jitter,
            relative_deadline,
            higher,
            bound: None,
            busy: Kept::none(),
            windows: Kept::none(),
            present: Vec::new(),
            size,
        }
    }

    /// Turns that find the busy period of this task and those before it, whose jobs come last; empty if the test needs
    /// none.
    pub fn busy_period(&self) -> &[Iterate] {
        &self.busy.rows
    }

    /// Number of turns of the busy period that are left out before the last.
    pub fn busy_left_out(&self) -> u64 {
        self.busy.left_out
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
        // The turns before the first window are those of the busy period.
        let turns = self.windows.rows.last_mut().map_or(&mut self.busy, |window| &mut window.iterates);
        turns.push(Iterate { window, jobs, next }, self.size);
        self.size += 2 * self.higher.len() as u64 + 2;
    }
}
