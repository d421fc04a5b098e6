//! What overheads do to each processor: the one that goes on, those that wait for it, and what is on its way.

use schedlab_model::{CpuId, Duration, Instant, JobId, OverheadKind};
use std::collections::VecDeque;

/// An overhead, and the job that it is about.
pub(crate) type Overhead = (OverheadKind, Option<JobId>);

/// What one processor has of them.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Interrupts that wait for an overhead to end.
    pub waiting: VecDeque<Overhead>,
    /// The job that the overhead that goes on is about.
    pub about: Option<JobId>,
    /// The scheduler ran, and the processor has not looked at its link since.
    pub scheduler_ran: bool,
    /// The processor switched to this job and has not dispatched it.
    pub switched_to: Option<JobId>,
    /// A remote request to look is on its way.
    pub is_called: bool,
    /// The last instant at which something happened on this very processor.
    local_at: Instant,
}

impl Entry {
    /// Nothing goes on; these interrupts wait.
    fn with(waiting: VecDeque<Overhead>) -> Self {
        Entry {
            waiting,
            about: None,
            scheduler_ran: false,
            switched_to: None,
            is_called: false,
            local_at: Instant::NEVER,
        }
    }
}

/// By processor. Runs without overheads do not use it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overheads {
    entries: Vec<Entry>,
    /// By task: how long the reload of its job that was interrupted goes on.
    pub reloads: Vec<Duration>,
    /// The machine takes something at all.
    pub exist: bool,
}

impl Overheads {
    /// Nothing occupies so many processors, or delays the jobs of so many tasks, and nothing is on its way. They
    /// `exist` if the machine takes something at all.
    pub(crate) fn renew(&mut self, processors: usize, tasks: usize, exist: bool) {
        self.exist = exist;
        self.reloads.clear();
        self.reloads.resize(tasks, Duration::ZERO);
        for known in &mut self.entries {
            let mut waiting = core::mem::take(&mut known.waiting);
            waiting.clear();
            *known = Entry::with(waiting);
        }
        self.entries.resize_with(processors, || Entry::with(VecDeque::new()));
    }

    /// What `cpu` has of them.
    pub(crate) fn on(&mut self, cpu: CpuId) -> &mut Entry {
        &mut self.entries[cpu.index()]
    }

    /// Something happens on this very processor.
    #[inline]
    pub(crate) fn happen(&mut self, cpu: CpuId, now: Instant) {
        self.entries[cpu.index()].local_at = now;
    }

    /// True if something happened there at this instant.
    #[inline]
    pub(crate) fn happened(&self, cpu: CpuId, now: Instant) -> bool {
        self.entries[cpu.index()].local_at == now
    }
}
