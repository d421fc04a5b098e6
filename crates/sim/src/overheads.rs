//! What overheads do to each processor: the one that goes on, those that wait for it, and what is on its way.

use schedlab_model::{CpuId, Duration, Instant, JobId, Occupant, OverheadKind, TaskId};
use std::collections::VecDeque;

/// An overhead, and the job that it is about.
pub(crate) type Overhead = (OverheadKind, Option<JobId>);

/// What one processor has of them.
#[derive(Clone, Debug)]
struct Entry {
    /// Interrupts that wait for an overhead to end.
    waiting: VecDeque<Overhead>,
    /// The job that the overhead that goes on is about.
    about: Option<JobId>,
    /// The scheduler ran, and the processor has not looked at its link since.
    scheduler_ran: bool,
    /// The processor switched to this job and has not dispatched it.
    switched_to: Occupant,
    /// A remote request to look is on its way.
    is_called: bool,
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
            switched_to: Occupant::NOBODY,
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
    reloads: Vec<Duration>,
    exist: bool,
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

    #[inline(always)]
    pub(crate) fn exist(&self) -> bool {
        self.exist
    }

    /// The reload of the live job of `task` is interrupted, and goes on for so long then.
    pub(crate) fn interrupt_reload(&mut self, task: TaskId, rest: Duration) {
        self.reloads[task.index()] = rest;
    }

    /// How long the reload of the live job of `task`, which was interrupted, goes on.
    pub(crate) fn rest_of_reload(&self, task: TaskId) -> Duration {
        self.reloads[task.index()]
    }

    /// An interrupt waits for the overhead that goes on.
    pub(crate) fn queue(&mut self, cpu: CpuId, overhead: Overhead) {
        self.entries[cpu.index()].waiting.push_back(overhead);
    }

    /// The interrupt that comes next, as the one before it is over.
    pub(crate) fn next(&mut self, cpu: CpuId) -> Option<Overhead> {
        self.entries[cpu.index()].waiting.pop_front()
    }

    /// An overhead about this job begins.
    pub(crate) fn begin(&mut self, cpu: CpuId, about: Option<JobId>) {
        self.entries[cpu.index()].about = about;
    }

    /// The overhead that goes on is over: the job that it was about.
    pub(crate) fn end(&mut self, cpu: CpuId) -> Option<JobId> {
        self.entries[cpu.index()].about.take()
    }

    /// The scheduler ran: true if that was known.
    pub(crate) fn take_scheduler_ran(&mut self, cpu: CpuId) -> bool {
        core::mem::take(&mut self.entries[cpu.index()].scheduler_ran)
    }

    /// The scheduler runs: the processor looks at its link when it is done.
    pub(crate) fn run_scheduler(&mut self, cpu: CpuId) {
        self.entries[cpu.index()].scheduler_ran = true;
    }

    /// The processor has switched to the job.
    pub(crate) fn switch_to(&mut self, cpu: CpuId, job: Option<JobId>) {
        self.entries[cpu.index()].switched_to = job.into();
    }

    /// The job that the processor has switched to and not dispatched.
    pub(crate) fn take_switched_to(&mut self, cpu: CpuId) -> Option<JobId> {
        core::mem::replace(&mut self.entries[cpu.index()].switched_to, Occupant::NOBODY).get()
    }

    /// Calls the processor: true if no other call is on its way.
    pub(crate) fn call(&mut self, cpu: CpuId) -> bool {
        !core::mem::replace(&mut self.entries[cpu.index()].is_called, true)
    }

    /// The call has come.
    pub(crate) fn hear_call(&mut self, cpu: CpuId, now: Instant) {
        self.entries[cpu.index()].is_called = false;
        self.happen(cpu, now);
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
