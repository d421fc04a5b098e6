//! How a run may be made, and the priorities of its threads.

use crate::machine::room::STACK;
use crate::record::keeper::Keep;
use schedlab_model::{Architecture, QueueLock};
use schedlab_trace::Backend;
use std::time::Duration;

/// The backend that a user wishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendChoice {
    /// A scheduler in the kernel where this machine and this build have that, else threads.
    Auto,
    /// This backend, or none.
    Only(Backend),
}

impl BackendChoice {
    /// All choices, by name.
    pub const NAMED: [(&'static str, BackendChoice); 5] = [
        ("threads", BackendChoice::Only(Backend::Threads)),
        ("scx", BackendChoice::Only(Backend::Scx)),
        ("scx-native", BackendChoice::Only(Backend::ScxNative)),
        ("class", BackendChoice::Only(Backend::Class)),
        ("auto", BackendChoice::Auto),
    ];
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The real-time priority of tasks' threads; timer threads are above.
    pub priority: u8,
    /// Longest time that ordinary threads may get nothing of a processor before the watchdog ends the run.
    pub starvation: Duration,
    /// Number of spans, and of moves of threads, that each domain keeps; zero saves the time of measuring them.
    pub spans: usize,
    /// True if the runtime asks the kernel which threads ran.
    pub switches: bool,
    /// Number of the tracer's records that each thread keeps until they are read, 20 times a second.
    pub passages: usize,
    /// The stack of each task's thread, in bytes. All of it is locked in memory during the run.
    pub stack: usize,
    /// True if a task's thread may be interrupted to decide, wherever its job's code is. This saves switches to timer
    /// threads. It is for code that allocates and frees no memory while its job executes: a decision may allocate, and
    /// would wait for its own thread.
    pub interrupts: bool,
    /// True for a run without real-time priorities: other threads get in the way, and nothing is promised.
    pub unprivileged: bool,
    /// Longest time that a task's code may go on after the end of the run before its thread is shut in (see
    /// `task/shutdown.rs`).
    pub grace: Duration,
    /// The records to keep if the process does not live to write the trace down: it is killed, or a task's code crashes
    /// it.
    pub keep: Option<Keep>,
    /// The lock under which each domain decides.
    pub dispatch_lock: QueueLock,
    /// The backend that the user wishes; without a wish, threads, and a class of Linux under its own schedulers.
    pub backend: Option<BackendChoice>,
    /// Part of each second that other threads of the machine have on each processor of a run whose threads a scheduler
    /// in the kernel executes: 20 to 900 ms.
    pub reserve: Duration,
    /// The architecture: other processors of a domain execute while one decides, or they stand still.
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
            backend: None,
            reserve: Duration::from_millis(50),
            architecture: Architecture::default(),
        }
    }
}

/// Number of records that each domain keeps.
pub(crate) const RECORDS: usize = 1 << 20;

/// Difference of a timer thread's priority and a task's.
pub(crate) const ABOVE_TASKS: u8 = 10;

/// Difference between the priority of the threads that make processors stand and a task's. A decision that has to sleep
/// is raised above them (`engine/raised.rs`), so that it cannot be moved behind a thread that waits for it.
pub(crate) const STANDING_ABOVE_TASKS: u8 = 5;

/// The watchdog's real-time priority: the highest that there is.
pub(crate) const WATCHDOG: u8 = 99;
