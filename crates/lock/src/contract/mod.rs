//! Interface of locking protocols: the calls that a protocol gets, and its answers.

mod effects;
mod facts;
mod hears;
mod inheritance;
mod level;
mod lock_error;
mod promises;
mod section;
mod setup;
mod turn;
mod usage;

pub use effects::{Effect, Effects};
pub use facts::{Ceilings, GrantOrder, MakeProtocol, Nesting, OnLinux, Preemption, Protocol, Reach, Waiting};
pub use hears::Hears;
pub use inheritance::Inheritance;
pub use level::Level;
pub use lock_error::{BrokenRule, LockError};
pub use section::Section;
pub use setup::{Length, LockSetup, PriorityOrder};
pub use turn::Turn;
pub use usage::Usage;
#[cfg(test)]
pub(crate) use usage::{Nested, Users};

use alloc::boxed::Box;
use schedlab_model::{Event, Instant, Invariant, JobId, ResourceId, TaskId};

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a job that was not granted its request must not go on"]
pub enum Reply {
    /// The job holds the units now.
    Granted,
    /// The job waits on its processor until [`Effect::Grant`].
    Spin,
    /// The job gives up its processor until [`Effect::Grant`].
    Suspend,
    /// The job waits on its processor until [`Effect::Grant`]. If that has not come by the given time, it asks again as
    /// soon as it has a processor.
    SpinUntil(Instant),
    /// The request is ignored: the job keeps its processor and asks again at the given time, as soon as it has a
    /// processor. If the time is now, it asks again after the decision of this instant.
    NotBefore(Instant),
    /// The job gives up its processor until a server has executed its section, which [`Effect::Serve`] begins.
    RunByServer,
    /// The section is an operation on a lock-free object; where it ends, the job asks whether it may
    /// [commit](LockProtocol::commit).
    Attempt,
}

/// Decides which job holds which resource, and at which priority.
pub trait LockProtocol: Send {
    /// Handles the request of the job, which executes, to begin `section`.
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Reply;

    /// Handles the end of `section`, whose units the job gives back.
    fn release(&mut self, section: Section, turn: &mut Turn<'_>);

    /// Returns whether `job` commits its attempt on a lock-free object, which [`Reply::Attempt`] began. If it does not,
    /// the attempt starts anew.
    fn commit(&mut self, job: JobId, resource: ResourceId) -> bool {
        unreachable!("{job} has no attempt on {resource}")
    }

    /// Returns the task that executes all sections of `resource`; `None` if the jobs themselves do.
    fn server_of(&self, _resource: ResourceId) -> Option<TaskId> {
        None
    }

    /// Returns the invariants that the protocol guarantees on a machine without overheads.
    fn promises(&self) -> &'static [Invariant] {
        &[]
    }

    /// The number of the mutex that `resource` is part of, if threads may take that mutex by themselves while it is
    /// free.
    ///
    /// Any job may then take it that executes, holds nothing and can be preempted: it is granted at once, and no other
    /// job is affected before the next event. A runtime reports such a request before anything else.
    fn free_mutex(&self, _resource: ResourceId) -> Option<usize> {
        None
    }

    /// Handles that the job of `section`, which waits for it, is given up. Returns true if its request is withdrawn,
    /// and will not be granted. Otherwise the job is granted it first, and gives it back when its abort handler ends.
    fn withdraw(&mut self, _section: Section, _turn: &mut Turn<'_>) -> bool {
        false
    }

    /// Returns the events that matter to the protocol.
    fn hears(&self) -> Hears {
        Hears::All
    }

    /// Notes `event`, before the policy does. It may hold back a job that becomes ready ([`Effect::Hold`]) and
    /// withdraws an aborted waiter or holder.
    fn note(&mut self, _event: Event, _turn: &mut Turn<'_>) {}
}

impl<L: LockProtocol + ?Sized> LockProtocol for Box<L> {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Reply {
        (**self).request(section, turn)
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        (**self).release(section, turn);
    }

    fn commit(&mut self, job: JobId, resource: ResourceId) -> bool {
        (**self).commit(job, resource)
    }

    fn server_of(&self, resource: ResourceId) -> Option<TaskId> {
        (**self).server_of(resource)
    }

    fn promises(&self) -> &'static [Invariant] {
        (**self).promises()
    }

    fn free_mutex(&self, resource: ResourceId) -> Option<usize> {
        (**self).free_mutex(resource)
    }

    fn withdraw(&mut self, section: Section, turn: &mut Turn<'_>) -> bool {
        (**self).withdraw(section, turn)
    }

    fn hears(&self) -> Hears {
        (**self).hears()
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        (**self).note(event, turn);
    }
}
