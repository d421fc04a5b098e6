//! The behaviour of a job: the steps that were written for it, or the actions that its thread reports.
//!
//! In a simulation, a job's steps are known when it begins: a [`Script`]. In a live run, its thread reports each step
//! as it comes: [`Told`]. The source of jobs determines which of these an engine is compiled for.

mod script;
mod told;

pub(crate) use script::{section, Script, Scripted};
pub(crate) use told::{OpenEnded, Told};

use schedlab_model::{Duration, JobSource, ResourceId, Step, Work};

/// The next step of a running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Execute,
    /// The job asks for a resource: see [`Behaviour::wanted`].
    Request,
    Suspend(Duration),
    Complete,
    /// The job leaves or enters a section: done at once, then on to the next step.
    Immediate(Step),
}

/// A source of jobs, and the kind of behaviour that its jobs have.
pub(crate) trait Source: JobSource {
    type Behaviour: Behaviour;
}

/// The behaviour of a task's live job, and how far it has come.
pub(crate) trait Behaviour: Default {
    /// True if threads report what jobs do: costs are not known, and a job is complete when its thread reports it.
    const IS_TOLD: bool;

    /// Resets the behaviour to that of a task without a job.
    fn renew(&mut self);

    /// Takes `steps` for the next job, and leaves an empty vector there. If all jobs `repeat` the same steps, they may
    /// be left where they are.
    fn exchange(&mut self, steps: &mut Vec<Step>, repeat: bool);

    /// Begins a job that needs `cost` and has no steps.
    fn begin_plainly(&mut self, cost: Work);

    /// Begins a job that needs `cost`, with its first step if it has steps.
    fn begin(&mut self, cost: Work);

    /// Returns what the job does next.
    fn next(&self) -> Next;

    /// Returns the resource and the units for which the job asks, if its next step is a request.
    fn wanted(&self) -> Option<(ResourceId, u32)>;

    /// Returns the execution that is left in the current step.
    fn left(&self) -> Work;

    /// Deducts the time for which the job has executed.
    fn receive(&mut self, received: Work);

    /// True if the executing job has nothing left to do.
    fn ends_here(&self) -> bool;

    /// Advances to the next step.
    fn advance(&mut self);

    /// Advances to the next step if the current execution has ended. Returns false if there is no such step.
    fn end_execution(&mut self) -> bool;

    /// Ends the current execution, of which nothing is left, and returns the next step, if there are steps. A step that
    /// is neither a request nor a release is then to be begun.
    fn end_step(&mut self) -> Option<Step>;

    /// Begins the current step, and returns the execution in it.
    fn begin_step(&mut self) -> Work;

    /// Ends the job's work: nothing is left for it to do.
    fn cut(&mut self);

    /// Replaces the rest of the job by its abort handler, which executes for `cost`. If the job `waits` for what the
    /// current step asks for, it gets that first, or goes on without it if the request `is_withdrawn`.
    fn give_up(&mut self, cost: Work, waits: bool, is_withdrawn: bool);

    /// Returns the section that a server is to execute for the job, whose next step is a request: its resource, units
    /// and execution, as far as that is known.
    fn served(&self) -> (ResourceId, u32, Work);

    /// Advances past the section that a server has executed for the job.
    fn skip_served(&mut self);

    /// Begins a busy period of a server's job, without a section yet.
    fn begin_serving(&mut self);

    /// Appends a section of `length` that a server's job executes.
    fn serve(&mut self, resource: ResourceId, length: Work);

    /// Removes the section that a server's job has executed: without another one, nothing is left for it to do.
    fn end_service(&mut self);

    /// Returns the steps that were written for the job. Only failed attempts on lock-free objects need them; in a live
    /// run the object itself says which attempts fail.
    fn script(&mut self) -> &mut Script;
}
