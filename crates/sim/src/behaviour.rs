//! What a job does next: the steps that were written for it, or what its thread tells.
//!
//! In a simulation, a job's steps are known when it begins. In a live run each step is told as it comes, and is
//! followed by an execution without a known end.

use schedlab_model::{ResourceId, Step, Work};

/// More than any job executes: 146 years.
const OPEN_END: Work = Work::from_ns(1 << 62);

/// An execution without a known end.
pub(crate) const OPEN_ENDED: Step = Step::Execute(OPEN_END);

/// What a running job does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Execute,
    Request,
    Suspend,
    Complete,
    /// Leaving or entering a section: done at once, then on to the next step.
    Immediate(Step),
}

/// The steps of a task's live job, and how far it has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Behaviour {
    /// Empty means a single execution of its cost.
    steps: Vec<Step>,
    /// They are as they were written for a job of this task.
    are_as_written: bool,
    /// The place of the current step.
    cursor: u32,
    /// What is left to execute of the current step.
    left: Work,
}

impl Behaviour {
    /// The next job does these steps; what it leaves in `steps` is empty. If all jobs `repeat` them, they may be left
    /// where they are.
    #[inline(always)]
    pub(crate) fn exchange(&mut self, steps: &mut Vec<Step>, repeat: bool) {
        if repeat && self.are_as_written {
            return;
        }
        core::mem::swap(&mut self.steps, steps);
        steps.clear();
        self.are_as_written = true;
    }

    /// No job is live, nor was one.
    pub(crate) fn renew(&mut self) {
        self.clear();
        (self.cursor, self.left) = (0, Work::ZERO);
    }

    /// There are no steps yet.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.are_as_written = false;
    }

    /// The next job does these steps.
    pub(crate) fn write(&mut self, steps: Vec<Step>) {
        (self.steps, self.are_as_written) = (steps, true);
    }

    /// A job that needs `cost` begins, and has no steps.
    #[inline]
    pub(crate) fn begin_plainly(&mut self, cost: Work) {
        self.left = cost;
    }

    /// A job that needs `cost` begins with its first step, if it has steps.
    #[inline]
    pub(crate) fn begin(&mut self, cost: Work) {
        self.begin_plainly(cost);
        self.cursor = 0;
        if !self.steps.is_empty() {
            self.load();
        }
    }

    /// What is left to execute of the current step.
    #[inline]
    pub(crate) fn left(&self) -> Work {
        self.left
    }

    /// The job has executed for so long.
    #[inline]
    pub(crate) fn receive(&mut self, received: Work) {
        self.left -= received;
    }

    /// What the job does next.
    #[inline]
    pub(crate) fn next(&self) -> Next {
        if self.steps.is_empty() {
            return if self.left.is_zero() { Next::Complete } else { Next::Execute };
        }
        match self.step() {
            None => Next::Complete,
            Some(Step::Execute(_)) if self.left.is_zero() => Next::Immediate(Step::Execute(Work::ZERO)),
            Some(Step::Execute(_)) => Next::Execute,
            Some(Step::Suspend(_)) => Next::Suspend,
            Some(Step::Request(..)) => Next::Request,
            Some(step @ (Step::Release(..) | Step::Serve(_) | Step::NpEnter | Step::NpExit)) => {
                Next::Immediate(step)
            }
        }
    }

    /// True if the job, which executes, has nothing left to do.
    pub(crate) fn ends_here(&self) -> bool {
        let is_last = match self.step() {
            Some(Step::Execute(_)) => self.place() + 1 == self.steps.len(),
            Some(
                Step::Suspend(_)
                | Step::Request(..)
                | Step::Release(..)
                | Step::Serve(_)
                | Step::NpEnter
                | Step::NpExit,
            ) => false,
            None => true,
        };
        is_last && self.left.is_zero()
    }

    #[inline(always)]
    fn place(&self) -> usize {
        self.cursor as usize
    }

    /// The current step.
    #[inline]
    pub(crate) fn step(&self) -> Option<Step> {
        self.steps.get(self.place()).copied()
    }

    /// The current step is a request: for what.
    #[inline]
    pub(crate) fn wanted(&self) -> (ResourceId, u32) {
        match self.step() {
            Some(Step::Request(resource, units)) => (resource, units),
            other => unreachable!("a request is the next step, not {other:?}"),
        }
    }

    /// The current step and those after it.
    pub(crate) fn rest(&self) -> &[Step] {
        &self.steps[self.place()..]
    }

    /// Goes on to the next step.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.skip(1);
    }

    /// Goes on after so many steps.
    #[inline]
    pub(crate) fn skip(&mut self, steps: usize) {
        // No program has 2^32 steps, so counting is not checked.
        self.cursor = self.cursor.wrapping_add(steps as u32);
        self.load();
    }

    /// Goes on to the next step if the execution that goes on has ended. False if there is none.
    pub(crate) fn end_execution(&mut self) -> bool {
        let has_ended = !self.steps.is_empty() && self.left.is_zero();
        if has_ended {
            self.advance();
        }
        has_ended
    }

    /// The execution that goes on has ended, and nothing is left to execute. Says which step is the next one, if there
    /// are steps. Unless that is a request or a release, it is to be begun.
    #[inline(always)]
    pub(crate) fn end_step(&mut self) -> Option<Step> {
        self.cursor = self.cursor.wrapping_add(1);
        self.left = Work::ZERO;
        self.step()
    }

    /// The current step begins: what is to be executed of it.
    #[inline(always)]
    pub(crate) fn begin_step(&mut self) -> Work {
        self.load();
        self.left
    }

    /// Goes back to after the last request: an attempt failed.
    pub(crate) fn retry(&mut self) {
        let begin = self.steps[..self.place()].iter().rposition(|step| matches!(step, Step::Request(..)));
        self.cursor = begin.expect("an attempt begins with a request") as u32 + 1;
        self.load();
    }

    /// Nothing is left for the job to do.
    pub(crate) fn cut(&mut self) {
        self.clear();
        self.steps.push(Step::Execute(Work::ZERO));
        (self.cursor, self.left) = (1, Work::ZERO);
    }

    /// The job is given up. If it waits for what the current step asks for, it gets that first. Then it executes for
    /// `cost`, and leaves the sections that it is in, the last first.
    pub(crate) fn hand_back(&mut self, cost: Work, waits: bool) {
        let mut leave = Vec::new();
        for step in self.steps.iter().take(self.place() + usize::from(waits)) {
            match *step {
                Step::Request(resource, units) => leave.push(Step::Release(resource, units)),
                Step::NpEnter => leave.push(Step::NpExit),
                Step::Release(..) | Step::NpExit => {
                    let at = leave.iter().rposition(|open| open == step).expect("it was entered");
                    leave.remove(at);
                }
                Step::Execute(_) | Step::Suspend(_) | Step::Serve(_) => {}
            }
        }
        let wanted = self.step().filter(|_| waits);
        self.clear();
        self.steps.extend(wanted);
        self.steps.push(Step::Execute(cost));
        self.steps.extend(leave.into_iter().rev());
        self.cursor = 0;
        self.load();
    }

    /// A server's job executes one more section, of that length.
    pub(crate) fn serve(&mut self, resource: ResourceId, length: Work) {
        let is_new = self.place() == self.steps.len();
        self.are_as_written = false;
        if !length.is_zero() {
            self.steps.push(Step::Execute(length));
        }
        self.steps.push(Step::Serve(resource));
        if is_new {
            self.load();
        }
    }

    /// A server's job has executed a section. What is done is not kept: a busy period may be long.
    pub(crate) fn end_service(&mut self) {
        self.steps.drain(..=self.place());
        self.are_as_written = false;
        self.cursor = 0;
        self.load();
    }

    /// A thread tells that its job does `step` now, if any, and goes on; without a step it is complete.
    pub(crate) fn tell(&mut self, step: Option<Step>) {
        (self.cursor, self.left) = (0, Work::ZERO);
        self.clear();
        self.steps.push(step.unwrap_or(Step::Execute(Work::ZERO)));
        if step.is_some() {
            self.steps.push(OPEN_ENDED);
        }
    }

    /// A thread tells that its job goes on, now or after something that schedlab does not know.
    pub(crate) fn tell_execution(&mut self) {
        self.clear();
        self.steps.push(OPEN_ENDED);
        self.cursor = 0;
        self.load();
    }

    #[inline]
    fn load(&mut self) {
        self.left = match self.step() {
            Some(Step::Execute(work)) => work,
            Some(
                Step::Suspend(_)
                | Step::Request(..)
                | Step::Release(..)
                | Step::Serve(_)
                | Step::NpEnter
                | Step::NpExit,
            )
            | None => Work::ZERO,
        };
    }
}
