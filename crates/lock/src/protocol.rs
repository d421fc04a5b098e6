//! What a locking protocol is asked and told, and the facts that describe one.

use crate::lock_error::LockError;
use crate::section::Section;
use crate::setup::LockSetup;
use crate::turn::Turn;
use alloc::boxed::Box;
use schedlab_model::{Event, Instant, Invariant, JobId, LockingClass, ResourceId, TaskId};

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a job that was not granted its request must not go on"]
pub enum Request {
    /// The job holds the units now.
    Granted,
    /// The job waits on its processor until [`Effect::Grant`].
    Spin,
    /// The job gives up its processor until [`Effect::Grant`].
    Suspend,
    /// The job waits on its processor until [`Effect::Grant`]; if that has not come by then, it asks again, as
    /// soon as it has a processor.
    SpinUntil(Instant),
    /// The request is ignored: the job keeps its processor and asks again then, as soon as it has a processor. If
    /// the time is now, it asks again after the decision of this instant.
    NotBefore(Instant),
    /// The job gives up its processor until the server has executed its section, which
    /// [`Effect::Serve`] begins.
    RunBy(TaskId),
    /// The section is an operation on a lock-free object; where it ends, the job asks whether it may
    /// [commit](LockProtocol::commit).
    Attempt,
}

/// Decides who holds which resource, and at which priority.
pub trait LockProtocol: Send {
    /// The job, which executes, asks to begin `section`.
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Request;

    /// The job ends `section`, and gives the units back.
    fn release(&mut self, section: Section, turn: &mut Turn<'_>);

    /// `job` wants to commit its attempt on a lock-free object, which [`Request::Attempt`] began; if that
    /// fails, it starts anew.
    fn commit(&mut self, job: JobId, resource: ResourceId) -> bool {
        unreachable!("{job} has no attempt on {resource}")
    }

    /// The task that executes all sections of `resource`, if not their jobs themselves do.
    fn server_of(&self, _resource: ResourceId) -> Option<TaskId> {
        None
    }

    /// The invariants that it guarantees on a machine without overheads.
    fn promises(&self) -> &'static [Invariant] {
        &[]
    }

    /// The number of the mutex that `resource` is part of, if any job that executes, holds nothing and can be preempted may take that
    /// mutex whenever it is free: it is granted at once, and nobody who does not ask for it is told of it before the next event. A runtime
    /// lets threads take such a mutex by themselves, and says so before it says anything else.
    fn free_mutex(&self, _resource: ResourceId) -> Option<usize> {
        None
    }

    /// Takes note of `event`, before the policy does: may hold back a job that becomes ready
    /// ([`Effect::Hold`]) and withdraws an aborted waiter or holder.
    fn note(&mut self, _event: Event, _turn: &mut Turn<'_>) {}
}

/// A protocol for resources that there may be none of.
impl<L: LockProtocol> LockProtocol for Option<L> {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Request {
        let protocol = self.as_mut().expect("there are such resources");
        protocol.request(section, turn)
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        let protocol = self.as_mut().expect("there are such resources");
        protocol.release(section, turn);
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        if let Some(protocol) = self {
            protocol.note(event, turn);
        }
    }
}

impl<L: LockProtocol + ?Sized> LockProtocol for Box<L> {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Request {
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

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        (**self).note(event, turn);
    }
}

/// How a job waits for a resource that is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It never has to: it does not start before, or is not preempted.
    Never,
    /// It gives up its processor.
    Suspends,
    /// It keeps its processor busy.
    Spins,
}

/// Which resources a protocol is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of one processor only, each cluster being one.
    Local,
    /// Those shared between processors too, each cluster being one; each processor's own are treated apart.
    Partitioned,
    /// Any, all processors being one cluster.
    Global,
    /// Any, whatever the clusters.
    Any,
}

/// Which of several jobs that wait for one resource is granted it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantOrder {
    /// Nobody ever waits.
    None,
    /// The longest waiting.
    Fifo,
    /// The highest base priority.
    ByBase,
    /// The highest effective priority.
    ByEffective,
    /// The longest waiting of a few, and into their line the highest base priority.
    FifoThenBase,
    /// The longest waiting of those whom the protocol lets ask; when it does, no record shows.
    FifoOnceAdmitted,
    /// The longest waiting of those that have a processor: who is preempted asks anew.
    FifoOfScheduled,
    /// The highest base priority of those that have a processor.
    ByBaseOfScheduled,
    /// Anyone: the protocol says nothing of it.
    Any,
    /// Readers and writers in turns, writers among themselves the longest waiting first.
    Phases,
}

/// Who may preempt a job that holds a resource (a global one, if those are treated apart).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preemption {
    /// Anyone more urgent.
    Any,
    /// Those who are more urgent than everybody who waits for the holder.
    Inherited,
    /// Those who are more urgent than the resource's ceiling.
    Ceiling,
    /// Other holders only.
    Boosted,
    /// Nobody, from the request to the release.
    Nobody,
    /// Nobody once the job holds the resource.
    NobodyOnceHeld,
}

/// Which requests may nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// Any.
    Any,
    /// Those for local resources within one another.
    Local,
    /// None.
    Never,
}

/// Which ceilings or levels a protocol computes, and so what it needs to know of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceilings {
    /// None: any scheduler will do.
    None,
    /// Of priorities: the scheduler's priorities must be fixed.
    Priorities,
    /// Of preemption levels: the scheduler's priorities must be fixed, or by deadline.
    Levels,
    /// None, but it compares jobs for as long as they last: the scheduler must not be a Pfair one.
    Jobs,
    /// None, but it needs to know the quanta: the scheduler must be a Pfair one.
    Quanta,
}

/// Makes a protocol, or says what is wrong with the system for it.
pub type MakeProtocol = fn(&LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError>;

/// A locking protocol.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// Its name, in lower case.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// How jobs wait, for resources that are not local if those are treated apart.
    pub waiting: Waiting,
    /// Which resources it is for.
    pub reach: Reach,
    /// What it needs to know of the scheduler.
    pub ceilings: Ceilings,
    /// Who is granted a resource first.
    pub grants: GrantOrder,
    /// Who preempts a holder.
    pub preemption: Preemption,
    /// Which requests may nest.
    pub nesting: Nesting,
    /// True if there may be several units of (local) resources.
    pub several_units: bool,
    /// True if nested requests cannot deadlock (or are refused).
    pub deadlock_free: bool,
    /// True if each job waits on its processor at most once for a less urgent one, for one outermost section.
    pub blocks_once: bool,
    /// Whose bounds on blocking hold for it.
    pub class: LockingClass,
    /// How to make it.
    pub make: MakeProtocol,
}
