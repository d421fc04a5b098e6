//! Behaviour by what the job's thread reports, one action after another.

use super::{Behaviour, Next, Script, Source};
use schedlab_model::{JobSource, NextJob, ResourceId, Step, TaskId, Work};

/// Execution without a known end: more than any job executes, 146 years.
const OPEN_END: Work = Work::from_ns(1 << 62);

/// The last action that the thread of a task's live job has reported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Told {
    /// The job executes until its thread reports something else.
    #[default]
    Executes,
    /// The job does this step, which takes no time unless it is a request, and then executes.
    Does(Step),
    /// The job is complete.
    IsComplete,
}

impl Behaviour for Told {
    const IS_TOLD: bool = true;

    fn renew(&mut self) {
        *self = Told::Executes;
    }

    fn exchange(&mut self, steps: &mut Vec<Step>, _: bool) {
        steps.clear();
    }

    fn begin_plainly(&mut self, cost: Work) {
        self.begin(cost);
    }

    fn begin(&mut self, _: Work) {
        *self = Told::Executes;
    }

    #[inline]
    fn next(&self) -> Next {
        match *self {
            Told::Executes => Next::Execute,
            Told::Does(Step::Request(..)) => Next::Request,
            Told::Does(step) => Next::Immediate(step),
            Told::IsComplete => Next::Complete,
        }
    }

    #[inline]
    fn wanted(&self) -> Option<(ResourceId, u32)> {
        let Told::Does(Step::Request(resource, units)) = *self else { return None };
        Some((resource, units))
    }

    #[inline]
    fn left(&self) -> Work {
        match self {
            Told::Executes => OPEN_END,
            Told::Does(_) | Told::IsComplete => Work::ZERO,
        }
    }

    /// Execution without a known end does not shrink.
    #[inline]
    fn receive(&mut self, _: Work) {}

    fn ends_here(&self) -> bool {
        matches!(self, Told::IsComplete)
    }

    #[inline]
    fn advance(&mut self) {
        *self = Told::Executes;
    }

    /// Execution ends only when the thread reports something else.
    fn end_execution(&mut self) -> bool {
        false
    }

    fn end_step(&mut self) -> Option<Step> {
        unreachable!("an execution of a live run ends when that is told, or with a budget")
    }

    fn begin_step(&mut self) -> Work {
        self.left()
    }

    fn cut(&mut self) {
        *self = Told::IsComplete;
    }

    /// The thread reports how it cleans up, so no steps are set here.
    fn give_up(&mut self, _: Work, _: bool, is_withdrawn: bool) {
        if is_withdrawn {
            *self = Told::Executes;
        }
    }

    /// The thread of the server reports when the section ends.
    fn served(&self) -> (ResourceId, u32, Work) {
        let (resource, units) = self.wanted().expect("a request is the next step");
        (resource, units, OPEN_END)
    }

    fn skip_served(&mut self) {
        *self = Told::Executes;
    }

    fn begin_serving(&mut self) {
        *self = Told::IsComplete;
    }

    fn serve(&mut self, _: ResourceId, _: Work) {
        *self = Told::Executes;
    }

    fn end_service(&mut self) {
        *self = Told::IsComplete;
    }

    fn script(&mut self) -> &mut Script {
        unreachable!("no steps were written for the jobs of a live run")
    }
}

/// A source of jobs without a known cost or end. Of the source inside, only arrivals and releases matter.
#[derive(Clone, Debug)]
pub(crate) struct OpenEnded<J>(pub J);

impl<J: JobSource> JobSource for OpenEnded<J> {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let next = self.0.next_job(task, program)?;
        program.clear();
        Some(NextJob { cost: Work::ZERO, ..next })
    }
}

impl<J: JobSource> Source for OpenEnded<J> {
    type Behaviour = Told;
}
