//! A run that stands still because its own threads wait for a thread that they have stopped.
//!
//! The code of a job may be stopped while it holds a lock of the process that schedlab knows nothing of, such as the
//! one within `malloc`. A thread of the run that needs this lock then waits for a decision that may never be made. No
//! processor is starved meanwhile: nothing executes. Two signs show it. The run's own thread uses no processor time,
//! though it looks at the run again and again; and what is due at an engine is not decided.

use crate::engine::permission::Permission;
use crate::machine::sys::{self, CpuClock};
use crate::run::shared::Shared;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;

/// The looks at a run that may stand still. The thread that looks must not need a lock of the process: it allocates
/// nothing.
pub(super) struct Standstill {
    shared: Arc<Shared>,
    /// The clock of the processor time of the run's own thread, and what it showed last.
    own: (CpuClock, u64),
    /// The first domain with something due, and when that was due.
    overdue: Option<(usize, u64)>,
    /// Number of looks in a row at which the run's own thread had not executed, and at which the same was due.
    looks: (u32, u32),
}

impl Standstill {
    /// Looks at the run whose own thread is the caller.
    pub(super) fn of(shared: &Arc<Shared>) -> Self {
        Standstill {
            shared: Arc::clone(shared),
            own: (CpuClock::of_this_thread(), 0),
            overdue: None,
            looks: (0, 0),
        }
    }

    /// Looks, and returns for how many looks in a row the run has stood still. Domains of a run that `ends` decide no
    /// more.
    pub(super) fn look(&mut self, ends: &AtomicBool) -> u32 {
        let used = self.own.0.ns();
        self.looks.0 = if used == self.own.1 { self.looks.0 + 1 } else { 0 };
        self.own.1 = used;
        let overdue = self.overdue().filter(|_| !ends.load(SeqCst));
        self.looks.1 = if overdue.is_some() && overdue == self.overdue { self.looks.1 + 1 } else { 0 };
        self.overdue = overdue;
        self.looks.0.max(self.looks.1)
    }

    /// The first domain with something due, and when that was due.
    fn overdue(&self) -> Option<(usize, u64)> {
        let now = sys::monotonic_ns();
        let due =
            |(index, domain): (usize, &crate::engine::domain::Domain)| Some((index, domain.due_by(now)?));
        self.shared.domains.iter().enumerate().find_map(due)
    }

    /// Lets all threads of tasks go on, as ordinary ones: the thread that others wait for gives its lock back. What
    /// they execute from now on is no decision's, so the run has to end.
    pub(super) fn let_all_go(&self) {
        self.shared.enforcer.end();
        self.shared.gates.iter().for_each(|gate| gate.set(Permission::End));
    }
}
