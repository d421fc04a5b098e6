//! A task's stream of jobs: the one that arrives next, those that wait for their turn, and whether one is live.

use crate::behaviour::Behaviour;
use crate::progress::Progress;
use schedlab_model::{Duration, Instant, JobSource, NextJob, Step, Task, TaskId, Work};
use std::collections::VecDeque;

/// No job arrives any more.
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

/// A task's jobs run in order and one at a time. One is live from when it may become ready until it is gone.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// When the task leaves; never if it does not.
    leaves: Instant,
    /// From when on no job arrives: the horizon, or the task's leave.
    ends: Instant,
    relative_deadline: Duration,
    /// The job that arrives next (never, if there is none), and its steps.
    next: NextJob,
    next_steps: Vec<Step>,
    next_number: u32,
    /// Jobs that have arrived before, oldest first.
    pending: VecDeque<Pending>,
    /// A job is live.
    is_live: bool,
    /// The task has no arrival any more and has said so.
    has_left: bool,
}

impl Stream {
    /// The stream of this task, up to the horizon.
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

    /// Becomes the stream of this task, of which no job has arrived.
    pub(crate) fn renew(&mut self, task: &Task, horizon: Instant) {
        let (mut next_steps, mut pending) =
            (core::mem::take(&mut self.next_steps), core::mem::take(&mut self.pending));
        next_steps.clear();
        pending.clear();
        *self = Stream { next_steps, pending, ..Stream::new(task, horizon) };
    }

    /// Asks for the next job of `task`: when it arrives, if there is one.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, task: TaskId, source: &mut impl JobSource) -> Option<Instant> {
        let next = source.next_job(task, &mut self.next_steps).filter(|next| next.arrival < self.ends);
        self.next = next.unwrap_or(NO_JOB);
        Some(next?.arrival)
    }

    /// The job that arrives next; never, if there is none.
    #[inline(always)]
    pub(crate) fn next(&self) -> NextJob {
        self.next
    }

    /// The steps of the job that arrives next.
    pub(crate) fn next_steps(&self) -> &[Step] {
        &self.next_steps
    }

    /// The job that arrives is live at once: its steps become those of `progress`. If all jobs `repeat` them, they may
    /// be left where they are.
    #[inline(always)]
    pub(crate) fn give_steps(&mut self, progress: &mut Progress<impl Behaviour>, repeat: bool) {
        progress.exchange(&mut self.next_steps, repeat);
    }

    /// The number of a job that arrives now.
    #[inline(always)]
    pub(crate) fn count(&mut self) -> u32 {
        let number = self.next_number;
        self.next_number += 1;
        number
    }

    /// The absolute deadline of a job that arrived then.
    #[inline]
    pub(crate) fn deadline(&self, arrival: Instant) -> Instant {
        arrival + self.relative_deadline
    }

    /// True if a job is live.
    #[inline(always)]
    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    /// A job is live from now on.
    #[inline(always)]
    pub(crate) fn begin_job(&mut self) {
        self.is_live = true;
    }

    /// The live job is gone. True if something may follow at once.
    #[inline(always)]
    pub(crate) fn end_job(&mut self, now: Instant) -> bool {
        self.is_live = false;
        self.goes_on_at(now)
    }

    /// True if the task has no arrival any more and has said so.
    pub(crate) fn has_left(&self) -> bool {
        self.has_left
    }

    /// True if no job is live or waits to be.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_live && self.pending.is_empty()
    }

    /// The live job is gone, if nothing may follow at once; true if so.
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

    /// The job that was fetched has arrived, and waits for its release or for its turn.
    pub(crate) fn wait(&mut self, number: u32, arrival: Instant, cost: Work) {
        let steps = core::mem::take(&mut self.next_steps);
        self.pending.push_back(Pending { number, arrival, cost, steps, released: false });
    }

    /// A job that waits is released.
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

    /// The number and the absolute deadline of the job at this place among those that wait.
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

    /// The task leaves at that instant: no job arrives from then on.
    pub(crate) fn leave_at(&mut self, at: Instant) {
        (self.leaves, self.ends) = (at, at);
        self.next = NO_JOB;
    }

    /// True if the task is to leave by now, once its jobs are gone.
    pub(crate) fn is_to_leave(&self, now: Instant) -> bool {
        self.leaves <= now
    }

    /// The task leaves, if no job is left. True the first time.
    pub(crate) fn leave(&mut self) -> bool {
        let leaves = self.is_empty() && !self.has_left;
        self.has_left |= leaves;
        leaves
    }
}
