//! What a job does next: the steps that were written for it, or what its thread tells.
//!
//! In a simulation, a job's steps are known when it begins: a [`Script`]. In a live run, each is told as it comes:
//! [`Told`]. Which of these holds is known when the engine is compiled, by its source of jobs.

mod script;
mod told;

pub(crate) use script::{Script, Scripted};
pub(crate) use told::{OpenEnded, Told};

use schedlab_model::{Duration, JobSource, ResourceId, Step, Work};

/// What a running job does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Execute,
    /// See [`Behaviour::wanted`].
    Request,
    Suspend(Duration),
    Complete,
    /// Leaving or entering a section: done at once, then on to the next step.
    Immediate(Step),
}

/// Where jobs come from, and what says what they do.
pub(crate) trait Source: JobSource {
    type Behaviour: Behaviour;
}

/// What the live job of a task does, and how far it has come.
pub(crate) trait Behaviour: Default {
    /// Threads tell what jobs do: costs are not known, and jobs are complete when they say so.
    const IS_TOLD: bool;

    /// No job is live, nor was one.
    fn renew(&mut self);

    /// These steps were written for the next job; what it leaves in `steps` is empty. If all jobs `repeat` them, they
    /// may be left where they are.
    fn exchange(&mut self, steps: &mut Vec<Step>, repeat: bool);

    /// A job that needs `cost` begins, and has no steps.
    fn begin_plainly(&mut self, cost: Work);

    /// A job that needs `cost` begins with its first step, if it has steps.
    fn begin(&mut self, cost: Work);

    /// What the job does next.
    fn next(&self) -> Next;

    /// What it asks for, if that is what it does next.
    fn wanted(&self) -> Option<(ResourceId, u32)>;

    /// What is left to execute of the current step.
    fn left(&self) -> Work;

    /// The job has executed for so long.
    fn receive(&mut self, received: Work);

    /// True if the job, which executes, has nothing left to do.
    fn ends_here(&self) -> bool;

    /// Goes on to the next step.
    fn advance(&mut self);

    /// Goes on to the next step if the execution that goes on has ended. False if there is none.
    fn end_execution(&mut self) -> bool;

    /// The execution that goes on has ended, and nothing is left to execute. Says which step is the next one, if there
    /// are steps. Unless that is a request or a release, it is to be begun.
    fn end_step(&mut self) -> Option<Step>;

    /// The current step begins: what is to be executed of it.
    fn begin_step(&mut self) -> Work;

    /// Nothing is left for the job to do.
    fn cut(&mut self);

    /// The job is given up, and its handler executes for `cost`. If it `waits` for what the current step asks for, it
    /// gets that first. It goes on without if that `is_withdrawn`.
    fn give_up(&mut self, cost: Work, waits: bool, is_withdrawn: bool);

    /// The steps that were written for it. No live run has what needs them: servers, and attempts of which the engine
    /// says that they failed.
    fn script(&mut self) -> &mut Script;
}
