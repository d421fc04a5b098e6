//! How a run may be made, and the priorities of its threads.

use crate::machine::room::STACK;
use crate::record::keeper::Keep;
use schedlab_model::{Architecture, QueueLock};
use std::time::Duration;

/// How to run it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The real-time priority of tasks' threads; timer threads are above.
    pub priority: u8,
    /// How long ordinary threads may get nothing of a processor before the run is ended.
    pub starvation: Duration,
    /// How many spans, and how many moves of threads, each domain keeps; none to save the time of measuring them.
    pub spans: usize,
    /// Whether to ask the kernel what ran.
    pub switches: bool,
    /// How many of the tracer's records each thread keeps until they are read, 20 times a second.
    pub passages: usize,
    /// The stack of each task's thread, in bytes. All of it is locked in memory during the run.
    pub stack: usize,
    /// Whether a task's thread may be interrupted to decide, wherever its job's code is. This saves switches to timer
    /// threads. It is for code that allocates and frees no memory while its job executes: a decision may allocate, and
    /// would wait for its own thread.
    pub interrupts: bool,
    /// Without real-time priorities: other threads get in the way, and nothing is promised.
    pub unprivileged: bool,
    /// How long a task's code may go on when the run is over before its thread is shut in (see `task/shutdown.rs`).
    pub grace: Duration,
    /// What to keep if the process does not live to write the trace down: it is killed, or a task's code crashes it.
    pub keep: Option<Keep>,
    /// The lock under which each domain decides.
    pub dispatch_lock: QueueLock,
    /// Whether other processors of a domain execute while one decides.
    pub architecture: Architecture,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            priority: 50,
            passages: 1 << 12,
            spans: 0,
            stack: STACK,
            interrupts: false,
            unprivileged: false,
            switches: true,
            starvation: Duration::from_secs(3),
            grace: Duration::from_millis(500),
            keep: None,
            dispatch_lock: QueueLock::default(),
            architecture: Architecture::default(),
        }
    }
}

/// How many records each domain keeps.
pub(crate) const RECORDS: usize = 1 << 20;

/// How much a timer thread's priority is above a task's.
pub(crate) const ABOVE_TASKS: u8 = 10;

/// How much the priority of the threads that make processors stand is above a task's. A decision that has to sleep is
/// raised above them (`engine/raised.rs`), so that it cannot be moved behind one that waits for it.
pub(crate) const STANDING_ABOVE_TASKS: u8 = 5;

/// The watchdog's real-time priority: the highest that there is.
pub(crate) const WATCHDOG: u8 = 99;
