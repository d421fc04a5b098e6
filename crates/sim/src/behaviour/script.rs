//! Behaviour by steps that were written for the job.

use super::{Behaviour, Next, Source};
use schedlab_model::{JobSource, NextJob, ResourceId, Step, TaskId, Work};

/// The steps of a task's live job, and how far it has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// The steps; if empty, the job is a single execution of its cost.
    steps: Vec<Step>,
    /// True if the steps are unchanged since they were written for a job of this task.
    are_as_written: bool,
    /// Index of the current step.
    cursor: u32,
    /// Execution that is left in the current step.
    left: Work,
}

impl Behaviour for Script {
    const IS_TOLD: bool = false;

    fn renew(&mut self) {
        self.clear();
        (self.cursor, self.left) = (0, Work::ZERO);
    }

    #[inline(always)]
    fn exchange(&mut self, steps: &mut Vec<Step>, repeat: bool) {
        if repeat && self.are_as_written {
            return;
        }
        core::mem::swap(&mut self.steps, steps);
        steps.clear();
        self.are_as_written = true;
    }

    #[inline]
    fn begin_plainly(&mut self, cost: Work) {
        self.left = cost;
    }

    #[inline]
    fn begin(&mut self, cost: Work) {
        self.begin_plainly(cost);
        self.cursor = 0;
        if !self.steps.is_empty() {
            self.load();
        }
    }

    #[inline]
    fn next(&self) -> Next {
        if self.steps.is_empty() {
            return if self.left.is_zero() { Next::Complete } else { Next::Execute };
        }
        match self.step() {
            None => Next::Complete,
            Some(Step::Execute(_)) if self.left.is_zero() => Next::Immediate(Step::Execute(Work::ZERO)),
            Some(Step::Execute(_)) => Next::Execute,
            Some(Step::Suspend(length)) => Next::Suspend(length),
            Some(Step::Request(..)) => Next::Request,
            Some(step @ (Step::Release(..) | Step::Serve(_) | Step::NpEnter | Step::NpExit)) => {
                Next::Immediate(step)
            }
        }
    }

    #[inline]
    fn wanted(&self) -> Option<(ResourceId, u32)> {
        let Some(Step::Request(resource, units)) = self.step() else { return None };
        Some((resource, units))
    }

    #[inline]
    fn left(&self) -> Work {
        self.left
    }

    #[inline]
    fn receive(&mut self, received: Work) {
        self.left -= received;
    }

    fn ends_here(&self) -> bool {
        let is_last = self.execution().is_some() && self.place() + 1 == self.steps.len();
        (is_last || self.step().is_none()) && self.left.is_zero()
    }

    #[inline]
    fn advance(&mut self) {
        self.skip(1);
    }

    fn end_execution(&mut self) -> bool {
        let has_ended = !self.steps.is_empty() && self.left.is_zero();
        if has_ended {
            self.advance();
        }
        has_ended
    }

    #[inline(always)]
    fn end_step(&mut self) -> Option<Step> {
        self.cursor = self.cursor.wrapping_add(1);
        self.left = Work::ZERO;
        self.step()
    }

    #[inline(always)]
    fn begin_step(&mut self) -> Work {
        self.load();
        self.left
    }

    fn cut(&mut self) {
        self.clear();
        self.steps.push(Step::Execute(Work::ZERO));
        (self.cursor, self.left) = (1, Work::ZERO);
    }

    /// After its handler, the job leaves the sections that it is in, the last first.
    fn give_up(&mut self, cost: Work, waits: bool, _: bool) {
        let mut leave = Vec::new();
        for step in self.steps.iter().take(self.place() + usize::from(waits)) {
            match *step {
                Step::Request(resource, units) => leave.push(Step::Release(resource, units)),
                Step::NpEnter => leave.push(Step::NpExit),
                Step::Release(..) | Step::NpExit => {
                    let index = leave.iter().rposition(|open| open == step).expect("it was entered");
                    leave.remove(index);
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

    fn served(&self) -> (ResourceId, u32, Work) {
        let (resource, units, length, _) = section(self.rest());
        (resource, units, length)
    }

    fn skip_served(&mut self) {
        let (.., steps) = section(self.rest());
        self.skip(steps);
    }

    fn begin_serving(&mut self) {
        self.clear();
    }

    fn serve(&mut self, resource: ResourceId, length: Work) {
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

    /// A busy period may be long, so that finished steps are not kept.
    fn end_service(&mut self) {
        self.steps.drain(..=self.place());
        self.are_as_written = false;
        self.cursor = 0;
        self.load();
    }

    fn script(&mut self) -> &mut Script {
        self
    }
}

/// Reads the section that begins with a request: its resource, units, execution, and number of steps, its release
/// included.
pub(crate) fn section(steps: &[Step]) -> (ResourceId, u32, Work, usize) {
    let Some(&Step::Request(resource, units)) = steps.first() else {
        unreachable!("a request is the next step")
    };
    let end = steps.iter().position(|step| matches!(step, Step::Release(other, _) if *other == resource));
    let end = end.expect("what is requested is released");
    let length = |step: &Step| if let Step::Execute(work) = step { *work } else { Work::ZERO };
    let executed = steps[..end].iter().map(length).fold(Work::ZERO, |sum, work| sum + work);
    (resource, units, executed, end + 1)
}

impl Script {
    /// Removes all steps.
    fn clear(&mut self) {
        self.steps.clear();
        self.are_as_written = false;
    }

    /// Returns the current step and those after it.
    fn rest(&self) -> &[Step] {
        &self.steps[self.place()..]
    }

    /// Advances by `steps` steps.
    #[inline]
    fn skip(&mut self, steps: usize) {
        // No program has 2^32 steps, so counting is not checked.
        self.cursor = self.cursor.wrapping_add(steps as u32);
        self.load();
    }

    /// Goes back to the step after the last request, because an attempt failed.
    pub(crate) fn retry(&mut self) {
        let begin = self.steps[..self.place()].iter().rposition(|step| matches!(step, Step::Request(..)));
        self.cursor = begin.expect("an attempt begins with a request") as u32 + 1;
        self.load();
    }

    /// Returns the current step.
    #[inline]
    fn step(&self) -> Option<Step> {
        self.steps.get(self.place()).copied()
    }

    #[inline(always)]
    fn place(&self) -> usize {
        self.cursor as usize
    }

    #[inline]
    fn load(&mut self) {
        self.left = self.execution().unwrap_or(Work::ZERO);
    }

    /// Returns the execution in the current step; `None` if that step is another one, or there is none.
    #[inline]
    fn execution(&self) -> Option<Work> {
        match self.step()? {
            Step::Execute(work) => Some(work),
            Step::Suspend(_)
            | Step::Request(..)
            | Step::Release(..)
            | Step::Serve(_)
            | Step::NpEnter
            | Step::NpExit => None,
        }
    }
}

/// A source of jobs that do the steps which it writes.
#[derive(Clone, Debug)]
pub(crate) struct Scripted<J>(pub J);

impl<J: JobSource> JobSource for Scripted<J> {
    #[inline(always)]
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        self.0.next_job(task, program)
    }

    #[inline(always)]
    fn has_steps(&self) -> bool {
        self.0.has_steps()
    }

    #[inline(always)]
    fn repeats_steps(&self) -> bool {
        self.0.repeats_steps()
    }
}

impl<J: JobSource> Source for Scripted<J> {
    type Behaviour = Script;
}
