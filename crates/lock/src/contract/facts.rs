//! The facts that describe a protocol.

use super::lock_error::LockError;
use super::setup::LockSetup;
use super::LockProtocol;
use alloc::boxed::Box;
use schedlab_model::LockingClass;

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
    /// No job ever waits.
    None,
    /// The longest waiting.
    Fifo,
    /// The highest base priority.
    ByBase,
    /// The highest effective priority.
    ByEffective,
    /// The longest waiting of a few, and into their line the highest base priority.
    FifoThenBase,
    /// The longest waiting of the jobs that the protocol lets ask; when it does, no record shows.
    FifoOnceAdmitted,
    /// The longest waiting of those that have a processor: a job that is preempted asks anew.
    FifoOfScheduled,
    /// The highest base priority of those that have a processor.
    ByBaseOfScheduled,
    /// Any waiter: the protocol says nothing of it.
    Any,
    /// The one that the scheduler runs first: at each release all waiters may go on, and ask again.
    BySchedule,
    /// Readers and writers in turns, writers among themselves the longest waiting first.
    Phases,
}

/// Which jobs may preempt one that holds a resource (a global one, if those are treated apart).
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

/// What stock Linux has of a protocol, for threads of `SCHED_FIFO` that share their resources on one processor.
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
    /// Nothing is asked of Linux: the program's own code is all.
    InProgram,
    /// No mutex of Linux follows its rules.
    Nothing,
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
    /// Which waiter is granted a resource first.
    pub grants: GrantOrder,
    /// Which jobs preempt a holder.
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
    /// What stock Linux has of it: settings are written for no protocol that it lacks.
    pub on_linux: OnLinux,
    /// How to make it.
    pub make: MakeProtocol,
}

impl Protocol {
    /// True if operations are attempts on objects, which no job holds.
    pub const fn attempts(&self) -> bool {
        matches!(self.class, LockingClass::LockFree | LockingClass::WaitFree)
    }
}
