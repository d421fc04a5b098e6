//! The facts that describe a protocol.

use super::lock_error::LockError;
use super::setup::LockSetup;
use super::LockProtocol;
use alloc::boxed::Box;
use schedlab_model::LockingClass;

/// Way in which a job waits for a resource that is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The job never has to wait: it does not start before, or is not preempted.
    Never,
    /// The job gives up its processor.
    Suspends,
    /// The job keeps its processor busy.
    Spins,
}

/// Resources for which a protocol is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Resources of one processor only, where each cluster is one processor.
    Local,
    /// Resources of one processor or shared between processors, where each cluster is one processor. Local resources
    /// are treated apart.
    Partitioned,
    /// Any resources, where all processors are one cluster.
    Global,
    /// Any resources, whatever the clusters.
    Any,
}

/// Order in which jobs that wait for one resource are granted it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantOrder {
    /// No job ever waits.
    None,
    /// The longest waiting job goes first.
    Fifo,
    /// The job of the highest base priority goes first.
    ByBase,
    /// The job of the highest effective priority goes first.
    ByEffective,
    /// The longest waiting of a few jobs goes first; the highest base priority gets into their line first.
    FifoThenBase,
    /// The longest waiting of the jobs that the protocol lets ask goes first; no record shows when it does.
    FifoOnceAdmitted,
    /// The longest waiting of the jobs that have a processor goes first: a job that is preempted asks anew.
    FifoOfScheduled,
    /// The highest base priority of the jobs that have a processor goes first.
    ByBaseOfScheduled,
    /// Any waiter may go first, as the protocol defines no order.
    Any,
    /// The job that the scheduler runs first: at each release all waiters may go on, and ask again.
    BySchedule,
    /// Readers and writers take turns; among writers, the longest waiting goes first.
    Phases,
}

/// Jobs that may preempt one that holds a resource (a global one, if those are treated apart).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preemption {
    /// Any more urgent job.
    Any,
    /// Jobs that are more urgent than all that wait for the holder.
    Inherited,
    /// Jobs that are more urgent than the resource's ceiling.
    Ceiling,
    /// Other holders only.
    Boosted,
    /// No job, from the request to the release.
    Never,
    /// No job once the holder has the resource.
    NeverOnceHeld,
}

/// Requests that may nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// Any requests may nest.
    Any,
    /// Requests for local resources may nest within one another.
    Local,
    /// No requests may nest.
    Never,
}

/// Ceilings or levels that a protocol computes, which determine what it needs to know of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceilings {
    /// No ceilings: the protocol takes any scheduler.
    None,
    /// Ceilings of priorities: the scheduler's priorities must be fixed.
    Priorities,
    /// Preemption levels: the scheduler's priorities must be fixed, or by deadline.
    Levels,
    /// No ceilings, but the protocol compares jobs for as long as they last: the scheduler must not be a Pfair one.
    Jobs,
    /// No ceilings, but the protocol needs to know the quanta: the scheduler must be a Pfair one.
    Quanta,
}

/// Support of stock Linux for a protocol, for threads of `SCHED_FIFO` that share their resources on one processor.
///
/// A mutex counts as the protocol if each schedule with it is one that the protocol allows. Between processors no mutex
/// of Linux does: a thread that inherits keeps its processor, and a thread that waits there is not moved elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLinux {
    /// Ordinary mutexes and semaphores: no thread becomes more urgent.
    Plain,
    /// Mutexes with `PTHREAD_PRIO_INHERIT`: the holder is as urgent as the most urgent waiter.
    Inherit,
    /// Mutexes with `PTHREAD_PRIO_PROTECT`: the holder has the ceiling at once.
    Protect,
    /// Ordinary mutexes and those with either attribute, as each resource states.
    ByResource,
    /// Nothing of Linux is needed: the program's own code does it all.
    InProgram,
    /// No mutex of Linux follows the protocol's rules.
    Nothing,
}

/// Makes a protocol, or returns an error if the system does not suit it.
pub type MakeProtocol = fn(&LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError>;

/// A locking protocol.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// Name of the protocol, in lower case.
    pub name: &'static str,
    /// Description of the protocol, in a line.
    pub summary: &'static str,
    /// Way in which jobs wait, for resources that are not local if those are treated apart.
    pub waiting: Waiting,
    /// Resources for which the protocol is made.
    pub reach: Reach,
    /// Ceilings or levels, which determine what the protocol needs to know of the scheduler.
    pub ceilings: Ceilings,
    /// Order in which waiters are granted a resource.
    pub grants: GrantOrder,
    /// Jobs that may preempt a holder.
    pub preemption: Preemption,
    /// Requests that may nest.
    pub nesting: Nesting,
    /// True if there may be several units of (local) resources.
    pub several_units: bool,
    /// True if nested requests cannot deadlock (or are refused).
    pub deadlock_free: bool,
    /// True if each job waits on its processor at most once for a less urgent one, for one outermost section.
    pub blocks_once: bool,
    /// Class of the protocol, whose bounds on blocking hold for it.
    pub class: LockingClass,
    /// Support of stock Linux for the protocol; no settings are written without it.
    pub on_linux: OnLinux,
    /// Makes the protocol.
    pub make: MakeProtocol,
}

impl Protocol {
    /// True if operations are attempts on objects, which no job holds.
    pub const fn attempts(&self) -> bool {
        matches!(self.class, LockingClass::LockFree | LockingClass::WaitFree)
    }
}
