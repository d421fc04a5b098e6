//! What overheads do to each processor: the one that goes on, those that wait for it, and what is on its way.

use schedlab_model::{CpuId, Duration, Instant, JobId, OverheadKind, TaskId};
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
    switched_to: Option<JobId>,
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
    reloads: Vec<Duration>,
    /// The machine takes something at all.
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

    /// True if the machine takes something at all.
    #[inline(always)]
    pub(crate) fn exist(&self) -> bool {
        self.exist
    }

    /// An overhead occupies `cpu`, about this job.
    pub(crate) fn begin(&mut self, cpu: CpuId, about: Option<JobId>) {
        self.on(cpu).about = about;
    }

    /// The overhead that occupied `cpu` is over: which job it was about.
    pub(crate) fn end(&mut self, cpu: CpuId, now: Instant) -> Option<JobId> {
        self.happen(cpu, now);
        self.on(cpu).about.take()
    }

    /// An interrupt waits until `cpu` is done with those before it.
    pub(crate) fn wait(&mut self, cpu: CpuId, overhead: Overhead) {
        self.on(cpu).waiting.push_back(overhead);
    }

    /// The interrupt that occupies `cpu` next.
    pub(crate) fn next_waiting(&mut self, cpu: CpuId) -> Option<Overhead> {
        self.on(cpu).waiting.pop_front()
    }

    /// The scheduler begins to run on `cpu`.
    pub(crate) fn run_scheduler(&mut self, cpu: CpuId) {
        self.on(cpu).scheduler_ran = true;
    }

    /// `cpu` looks at its link: whether the scheduler ran there since the last look.
    pub(crate) fn take_scheduler_ran(&mut self, cpu: CpuId) -> bool {
        core::mem::take(&mut self.on(cpu).scheduler_ran)
    }

    /// `cpu` has switched to this job, which is dispatched when the processor looks at its link.
    pub(crate) fn switch_to(&mut self, cpu: CpuId, job: Option<JobId>) {
        self.on(cpu).switched_to = job;
    }

    /// `cpu` looks at its link: which job it has switched to since the last look.
    pub(crate) fn take_switched_to(&mut self, cpu: CpuId) -> Option<JobId> {
        self.on(cpu).switched_to.take()
    }

    /// `cpu` is called by a remote processor. True if no other call is on its way.
    pub(crate) fn call(&mut self, cpu: CpuId) -> bool {
        !core::mem::replace(&mut self.on(cpu).is_called, true)
    }

    /// The call has reached `cpu`.
    pub(crate) fn end_call(&mut self, cpu: CpuId, now: Instant) {
        self.on(cpu).is_called = false;
        self.happen(cpu, now);
    }

    /// The reload of the job of `task` is interrupted, and goes on for so long later.
    pub(crate) fn interrupt_reload(&mut self, task: TaskId, rest: Duration) {
        self.reloads[task.index()] = rest;
    }

    /// How long the interrupted reload of the job of `task` goes on.
    pub(crate) fn rest_of_reload(&self, task: TaskId) -> Duration {
        self.reloads[task.index()]
    }

    fn on(&mut self, cpu: CpuId) -> &mut Entry {
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
