//! Overheads of each processor: the current one, those that wait for it, and calls that are on their way.

use schedlab_model::{CpuId, Duration, Instant, JobId, OverheadKind, TaskId};
use std::collections::VecDeque;

/// An overhead, and the job that it is about.
pub(crate) type Overhead = (OverheadKind, Option<JobId>);

/// The overheads of one processor.
#[derive(Clone, Debug)]
struct Entry {
    /// Interrupts that wait for the current overhead to end.
    waiting: VecDeque<Overhead>,
    /// Moves of threads that the processor has to make before it follows its link.
    owed: VecDeque<Overhead>,
    /// The job that the current overhead is about.
    about: Option<JobId>,
    /// True if the scheduler ran, and the processor has not looked at its link since.
    scheduler_ran: bool,
    /// The job to which the processor has switched, but which it has not dispatched.
    switched_to: Option<JobId>,
    /// True if a remote request to look is on its way.
    is_called: bool,
    /// The last instant at which something happened on this very processor.
    local_at: Instant,
}

impl Entry {
    /// An entry without a current overhead, with these waiting interrupts and owed moves.
    fn with(waiting: VecDeque<Overhead>, owed: VecDeque<Overhead>) -> Self {
        Entry {
            waiting,
            owed,
            about: None,
            scheduler_ran: false,
            switched_to: None,
            is_called: false,
            local_at: Instant::NEVER,
        }
    }
}

/// Overheads by processor. Runs without overheads do not use them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overheads {
    entries: Vec<Entry>,
    /// Rest of the interrupted reload of the live job, by task.
    reloads: Vec<Duration>,
    /// Number of moves that the thread of each task waits for.
    moving: Vec<u16>,
    /// True if the machine takes anything for itself.
    exist: bool,
}

impl Overheads {
    /// Removes all overheads, for this many processors and tasks. They `exist` if the machine takes anything for
    /// itself.
    pub(crate) fn renew(&mut self, processors: usize, tasks: usize, exist: bool) {
        self.exist = exist;
        self.reloads.clear();
        self.reloads.resize(tasks, Duration::ZERO);
        self.moving.clear();
        self.moving.resize(tasks, 0);
        for known in &mut self.entries {
            let (mut waiting, mut owed) =
                (core::mem::take(&mut known.waiting), core::mem::take(&mut known.owed));
            waiting.clear();
            owed.clear();
            *known = Entry::with(waiting, owed);
        }
        self.entries.resize_with(processors, || Entry::with(VecDeque::new(), VecDeque::new()));
    }

    /// True if the machine takes anything for itself.
    #[inline(always)]
    pub(crate) fn exist(&self) -> bool {
        self.exist
    }

    /// Begins an overhead on `cpu`, about this job.
    pub(crate) fn begin(&mut self, cpu: CpuId, about: Option<JobId>) {
        self.on(cpu).about = about;
    }

    /// Ends the overhead on `cpu`, and returns the job that it was about.
    pub(crate) fn end(&mut self, cpu: CpuId, now: Instant) -> Option<JobId> {
        self.happen(cpu, now);
        self.on(cpu).about.take()
    }

    /// Queues an interrupt until `cpu` is done with those before it.
    pub(crate) fn wait(&mut self, cpu: CpuId, overhead: Overhead) {
        self.on(cpu).waiting.push_back(overhead);
    }

    /// Takes the interrupt that occupies `cpu` next.
    pub(crate) fn next_waiting(&mut self, cpu: CpuId) -> Option<Overhead> {
        self.on(cpu).waiting.pop_front()
    }

    /// Notes that `cpu` has to move the thread of a job, which waits for that.
    pub(crate) fn owe_move(&mut self, cpu: CpuId, kind: OverheadKind, job: JobId) {
        self.on(cpu).owed.push_back((kind, Some(job)));
        self.moving[job.task.index()] += 1;
    }

    /// Takes the move that `cpu` has to make next.
    pub(crate) fn next_owed(&mut self, cpu: CpuId) -> Option<Overhead> {
        self.on(cpu).owed.pop_front()
    }

    /// Notes that one move of the thread of `task` is over.
    pub(crate) fn end_move(&mut self, task: TaskId) {
        self.moving[task.index()] -= 1;
    }

    /// True if a processor has to move the thread of `task`, or does so now.
    pub(crate) fn is_moving(&self, task: TaskId) -> bool {
        self.moving[task.index()] > 0
    }

    /// Notes that the scheduler begins to run on `cpu`.
    pub(crate) fn run_scheduler(&mut self, cpu: CpuId) {
        self.on(cpu).scheduler_ran = true;
    }

    /// Takes the note that the scheduler ran on `cpu` since the last look; returns true if it did.
    pub(crate) fn take_scheduler_ran(&mut self, cpu: CpuId) -> bool {
        core::mem::take(&mut self.on(cpu).scheduler_ran)
    }

    /// Notes that `cpu` has switched to this job, which is dispatched when the processor looks at its link.
    pub(crate) fn switch_to(&mut self, cpu: CpuId, job: Option<JobId>) {
        self.on(cpu).switched_to = job;
    }

    /// Takes the job to which `cpu` has switched since the last look.
    pub(crate) fn take_switched_to(&mut self, cpu: CpuId) -> Option<JobId> {
        self.on(cpu).switched_to.take()
    }

    /// Notes that a remote processor calls `cpu`. Returns true if no other call is on its way.
    pub(crate) fn call(&mut self, cpu: CpuId) -> bool {
        !core::mem::replace(&mut self.on(cpu).is_called, true)
    }

    /// Notes that the call has reached `cpu`.
    pub(crate) fn end_call(&mut self, cpu: CpuId, now: Instant) {
        self.on(cpu).is_called = false;
        self.happen(cpu, now);
    }

    /// Notes that the reload of the job of `task` is interrupted, and how long it will go on later.
    pub(crate) fn interrupt_reload(&mut self, task: TaskId, rest: Duration) {
        self.reloads[task.index()] = rest;
    }

    /// Returns how long the interrupted reload of the job of `task` goes on.
    pub(crate) fn rest_of_reload(&self, task: TaskId) -> Duration {
        self.reloads[task.index()]
    }

    fn on(&mut self, cpu: CpuId) -> &mut Entry {
        &mut self.entries[cpu.index()]
    }

    /// Notes that something happens on this very processor.
    #[inline]
    pub(crate) fn happen(&mut self, cpu: CpuId, now: Instant) {
        self.entries[cpu.index()].local_at = now;
    }

    /// True if something happened on `cpu` at this instant.
    #[inline]
    pub(crate) fn happened(&self, cpu: CpuId, now: Instant) -> bool {
        self.entries[cpu.index()].local_at == now
    }
}
