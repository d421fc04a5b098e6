//! A task's stream of jobs: the one that arrives next, those that wait for their turn, and whether one is live.

use crate::behaviour::Behaviour;
use crate::progress::Progress;
use schedlab_model::{Duration, Instant, JobSource, NextJob, Step, Task, TaskId, Work};
use std::collections::VecDeque;

/// Stands for a next job if none arrives any more.
const NO_JOB: NextJob = NextJob { arrival: Instant::NEVER, release: Instant::NEVER, cost: Work::ZERO };

/// A job that has arrived and is not live yet.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub number: u32,
    pub arrival: Instant,
    pub cost: Work,
    pub steps: Vec<Step>,
    released: bool,
}

/// The jobs of one task, which run in order and one at a time. A job is live from when it may become ready until it is
/// gone.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// The time at which the task leaves; [`Instant::NEVER`] if it does not.
    leaves: Instant,
    /// The time from which on no job arrives: the horizon, or the task's leave.
    ends: Instant,
    relative_deadline: Duration,
    /// The job that arrives next; its arrival is [`Instant::NEVER`] if there is none.
    next: NextJob,
    next_steps: Vec<Step>,
    next_number: u32,
    /// Jobs that have arrived and are not live yet, oldest first.
    pending: VecDeque<Pending>,
    /// True if a job is live.
    is_live: bool,
    /// True if the task has no arrival any more, and that was recorded.
    has_left: bool,
}

impl Stream {
    /// Makes the stream of this task, up to the horizon.
    pub(crate) fn new(task: &Task, horizon: Instant) -> Self {
        Stream {
            leaves: task.leave,
            ends: horizon.min(task.leave),
            relative_deadline: task.relative_deadline,
            next: NO_JOB,
            next_steps: Vec::new(),
            next_number: 0,
            pending: VecDeque::new(),
            is_live: false,
            has_left: false,
        }
    }

    /// Resets the stream to that of this task, of which no job has arrived.
    pub(crate) fn renew(&mut self, task: &Task, horizon: Instant) {
        let (mut next_steps, mut pending) =
            (core::mem::take(&mut self.next_steps), core::mem::take(&mut self.pending));
        next_steps.clear();
        pending.clear();
        *self = Stream { next_steps, pending, ..Stream::new(task, horizon) };
    }

    /// Fetches the next job of `task` from the source, and returns its arrival; `None` if there is none.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, task: TaskId, source: &mut impl JobSource) -> Option<Instant> {
        let next = source.next_job(task, &mut self.next_steps).filter(|next| next.arrival < self.ends);
        self.next = next.unwrap_or(NO_JOB);
        Some(next?.arrival)
    }

    /// Lets the next job, which no source knows, arrive at `at`. Returns its number; `None` if another job is to
    /// arrive, or none does any more by then.
    pub(crate) fn let_arrive(&mut self, at: Instant) -> Option<u32> {
        if self.next.arrival != Instant::NEVER || at >= self.ends {
            return None;
        }
        self.next = NextJob { arrival: at, release: at, cost: Work::ZERO };
        Some(self.next_number)
    }

    /// Returns the job that arrives next; its arrival is [`Instant::NEVER`] if there is none.
    #[inline(always)]
    pub(crate) fn next(&self) -> NextJob {
        self.next
    }

    /// Returns the steps of the job that arrives next.
    pub(crate) fn next_steps(&self) -> &[Step] {
        &self.next_steps
    }

    /// Gives `progress` the steps of the job that arrives and is live at once. If all jobs `repeat` the same steps,
    /// they may be left where they are.
    #[inline(always)]
    pub(crate) fn give_steps(&mut self, progress: &mut Progress<impl Behaviour>, repeat: bool) {
        progress.exchange(&mut self.next_steps, repeat);
    }

    /// Returns the number of a job that arrives now, and counts it.
    #[inline(always)]
    pub(crate) fn count(&mut self) -> u32 {
        let number = self.next_number;
        self.next_number += 1;
        number
    }

    /// Returns the absolute deadline of a job that arrived at `arrival`.
    #[inline]
    pub(crate) fn deadline(&self, arrival: Instant) -> Instant {
        match self.relative_deadline < Task::NO_DEADLINE {
            true => arrival + self.relative_deadline,
            false => Instant::NEVER,
        }
    }

    /// True if a job is live.
    #[inline(always)]
    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    /// Notes that a job is live from now on.
    #[inline(always)]
    pub(crate) fn begin_job(&mut self) {
        self.is_live = true;
    }

    /// Notes that the live job is gone. Returns true if another job may start at once, or the task may leave.
    #[inline(always)]
    pub(crate) fn end_job(&mut self, now: Instant) -> bool {
        self.is_live = false;
        self.goes_on_at(now)
    }

    /// True if the task has no arrival any more, and that was recorded.
    pub(crate) fn has_left(&self) -> bool {
        self.has_left
    }

    /// True if no job is live or waits to be.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_live && self.pending.is_empty()
    }

    /// Notes that the live job is gone, if nothing may follow at once; returns true if so.
    #[inline]
    pub(crate) fn end_last_job(&mut self, now: Instant) -> bool {
        let is_last = !self.goes_on_at(now);
        if is_last {
            self.is_live = false;
        }
        is_last
    }

    /// True if the next job waits, or none arrives any more: something may follow at once when the live job is gone.
    #[inline]
    fn goes_on_at(&self, now: Instant) -> bool {
        !self.pending.is_empty() || self.ends <= now
    }

    /// Queues the fetched job, which has arrived, until its release or its turn.
    pub(crate) fn wait(&mut self, number: u32, arrival: Instant, cost: Work) {
        let steps = core::mem::take(&mut self.next_steps);
        self.pending.push_back(Pending { number, arrival, cost, steps, released: false });
    }

    /// Marks a waiting job as released.
    pub(crate) fn release(&mut self, number: u32) {
        let first = self.pending.front().expect("a job is released once").number;
        // The jobs that have arrived follow one another without a gap, and under overload they are many.
        let released = &mut self.pending[(number - first) as usize];
        assert_eq!(released.number, number, "jobs become live in the order of their numbers");
        released.released = true;
    }

    /// True if jobs wait for their turn.
    #[inline(always)]
    pub(crate) fn are_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns the number and the absolute deadline of the waiting job at `index`.
    pub(crate) fn waiting(&self, index: usize) -> Option<(u32, Instant)> {
        let pending = self.pending.get(index)?;
        Some((pending.number, self.deadline(pending.arrival)))
    }

    /// True if the job whose turn is next is released.
    #[inline]
    pub(crate) fn has_released(&self) -> bool {
        self.pending.front().is_some_and(|pending| pending.released)
    }

    /// Takes the job whose turn is next.
    pub(crate) fn take_first(&mut self) -> Pending {
        self.pending.pop_front().expect("it has a front")
    }

    /// Lets the task leave at that instant: no job arrives from then on.
    pub(crate) fn leave_at(&mut self, at: Instant) {
        (self.leaves, self.ends) = (at, at);
        self.next = NO_JOB;
    }

    /// True if the task is to leave by now, once its jobs are gone.
    pub(crate) fn is_to_leave(&self, now: Instant) -> bool {
        self.leaves <= now
    }

    /// Notes that the task leaves, if no job is left. Returns true the first time.
    pub(crate) fn leave(&mut self) -> bool {
        let leaves = self.is_empty() && !self.has_left;
        self.has_left |= leaves;
        leaves
    }
}
