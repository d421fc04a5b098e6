//! Makes a [`Schedule`] from records.

use super::servers::BudgetRecorder;
use super::{
    BlockedJob, CriticalSection, Mark, OverheadSegment, Schedule, Segment, Subtask, Wait, WaitReason, Waste,
    Window,
};
use crate::context::Context;
use crate::deadline::deadline;
use crate::scene::{Doing, LiveJob, Scene};
use crate::why::blockers;
use schedlab_model::{Band, CpuId, Instant, JobId, OverheadKind, ResourceId};
use schedlab_trace::{about, Record, Sink, SuspendReason};

/// State of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CpuDoing {
    Idle,
    Job(JobId, Option<ResourceId>),
    Overhead(OverheadKind),
}

/// Makes a schedule from the records that it gets.
#[derive(Clone, Debug)]
pub struct ScheduleRecorder {
    scene: Scene,
    schedule: Schedule,
    /// By processor: its state, the state's begin, and the last segment or overhead.
    cpus: Vec<(CpuDoing, Instant, Option<usize>)>,
    /// Live jobs that wait, with the reasons and begins of the waits.
    waiting: Vec<(JobId, WaitReason, Instant)>,
    holding: Vec<(JobId, ResourceId, Instant)>,
    /// Live jobs that wait because others hold something: the job, the holder if there is one, and the begin.
    blocked: Vec<(JobId, Option<JobId>, Instant)>,
    /// Jobs that missed their deadlines last, and the time: a trace may end at that instant.
    missed: (Instant, Vec<JobId>),
    servers: BudgetRecorder,
    /// By task: its budget server.
    server_of: Vec<Option<u32>>,
}

impl ScheduleRecorder {
    /// A recorder for the schedule in `window`.
    pub fn new(context: &Context, window: Window) -> Self {
        let (processors, tasks) = (context.clusters.len(), context.tasks.len());
        let schedule = Schedule { window, processors, tasks, ..Schedule::default() };
        let cpus = vec![(CpuDoing::Idle, Instant::ZERO, None); processors];
        ScheduleRecorder {
            scene: Scene::new(context),
            schedule,
            cpus,
            waiting: Vec::new(),
            holding: Vec::new(),
            blocked: Vec::new(),
            missed: (Instant::ZERO, Vec::new()),
            servers: BudgetRecorder::new(&context.server_names, window),
            server_of: context.servers.clone(),
        }
    }

    /// True if nothing that happens at `at` or later can show in the window.
    pub fn is_past(&self, at: Instant) -> bool {
        at > self.schedule.window.to
    }

    /// Returns the number of things to draw so far.
    pub fn size(&self) -> usize {
        self.schedule.size() + self.servers.size()
    }

    /// Takes the segments and overheads since the last call; those that go on come again. All else is forgotten.
    pub(super) fn take_occupied(&mut self) -> (Vec<Segment>, Vec<OverheadSegment>) {
        let now = self.scene.now;
        let empty = Schedule { window: self.schedule.window, ..Schedule::default() };
        let Schedule { mut segments, mut overheads, .. } = core::mem::replace(&mut self.schedule, empty);
        for (cpu, (doing, from, last)) in (0..).map(CpuId).zip(&mut self.cpus) {
            *last = None;
            let (from, to) = (*from, now);
            match *doing {
                CpuDoing::Job(job, spinning) if from < to => {
                    segments.push(Segment { cpu, job, from, to, spinning })
                }
                CpuDoing::Overhead(kind) if from < to => {
                    overheads.push(OverheadSegment { cpu, kind, from, to })
                }
                CpuDoing::Idle | CpuDoing::Job(..) | CpuDoing::Overhead(_) => {}
            }
        }
        (segments, overheads)
    }

    /// Returns the schedule. Whatever has not ended goes on to the end of the window or of the trace.
    pub fn finish(mut self) -> Schedule {
        // The trace was read beyond the window, or the window ends with the trace.
        let end = self.scene.now.min(self.schedule.window.to);
        let end = if end > self.schedule.window.from { end } else { self.schedule.window.to };
        self.schedule.servers = self.servers.clone().finish(end, |server| self.used_since(server));
        for cpu in 0..self.cpus.len() {
            self.show_cpu(CpuId(cpu as u16), CpuDoing::Idle, end);
        }
        for waiting in core::mem::take(&mut self.waiting) {
            self.push_wait(waiting, end);
        }
        for holding in core::mem::take(&mut self.holding) {
            self.push_section(holding, end);
        }
        for (waiter, holder, from) in core::mem::take(&mut self.blocked) {
            self.push_blocking(waiter, holder, from, end);
        }
        let live: Vec<LiveJob> = self.scene.tasks.iter().flat_map(|task| &task.jobs).copied().collect();
        let is_late = |job: &&LiveJob| {
            let deadline = job.absolute_deadline;
            deadline < self.scene.now || (deadline == self.missed.0 && self.missed.1.contains(&job.id))
        };
        for job in live.iter().filter(is_late) {
            mark(&mut self.schedule.misses, self.schedule.window, job.id, job.absolute_deadline);
        }
        if self.schedule.window.to == Instant::NEVER {
            self.schedule.window.to = end;
        }
        self.schedule.tasks = self.schedule.tasks.max(self.scene.tasks.len());
        self.schedule.processors = self.schedule.processors.max(self.scene.cpus.len());
        let end = self.schedule.window.to;
        self.schedule.subtasks.retain(|subtask| subtask.release < end && subtask.release < subtask.deadline);
        self.schedule.wastes.iter_mut().for_each(|waste| waste.to = waste.to.min(end));
        self.schedule.wastes.retain(|waste| waste.from < waste.to);
        self.schedule.misses.sort_by_key(|miss| (miss.at, miss.job));
        self.schedule
    }

    /// Returns since when a client of `server` has been on a processor at the server's urgency, if one is.
    fn used_since(&self, server: u32) -> Option<Instant> {
        self.cpus.iter().find_map(|(doing, since, _)| {
            let CpuDoing::Job(job, _) = *doing else { return None };
            let is_client = self.server_of.get(job.task.index()).copied().flatten() == Some(server);
            let priority = self.scene.job(job).and_then(|live| live.priority);
            let is_charged = priority.is_some_and(|priority| priority.band() == Band::Base);
            (is_client && is_charged).then_some(*since)
        })
    }

    /// Adds the marks of a record.
    fn mark(&mut self, at: Instant, record: &Record) {
        let window = self.schedule.window;
        match *record {
            Record::Arrival { job, absolute_deadline, .. } => {
                mark(&mut self.schedule.arrivals, window, job, at);
                if let Some(due) = deadline(absolute_deadline) {
                    mark(&mut self.schedule.deadlines, window, job, due);
                }
            }
            Record::Complete { job } | Record::Abort { job } => {
                let completed = matches!(record, Record::Complete { .. });
                let Schedule { completions, aborts, misses, .. } = &mut self.schedule;
                mark(if completed { completions } else { aborts }, window, job, at);
                let deadline = self.scene.job(job).map(|live| live.absolute_deadline);
                if let Some(deadline) = deadline.filter(|deadline| at > *deadline) {
                    mark(misses, window, job, deadline);
                }
            }
            Record::Miss { job } => {
                if self.missed.0 != at {
                    self.missed = (at, Vec::new());
                }
                self.missed.1.push(job);
            }
            Record::GiveUp { job } => mark(&mut self.schedule.handlers, window, job, at),
            Record::ServerUse { server, used } => self.servers.used(at, server, used),
            Record::ServerBudget { server, left, absolute_deadline } => {
                self.servers.set(at, server, left, absolute_deadline)
            }
            Record::Budget { job } => mark(&mut self.schedule.budgets, window, job, at),
            Record::Subtask { job, release, deadline, .. }
                if release < window.to && deadline > window.from =>
            {
                self.schedule.subtasks.push(Subtask { job, release, deadline });
            }
            Record::Waste { cpu, until } => {
                let waste = |(from, to)| Waste { cpu, from, to };
                self.schedule.wastes.extend(window.cut(at, until).map(waste));
            }
            about![
                Ready, Priority, NpEnter, NpExit, Quantum, Subtask, places, requests, attempts, overheads,
                tasks, trace
            ] => {}
        }
    }

    /// Updates the waits of a job, after a record about it.
    fn show_job(&mut self, job: JobId, at: Instant) {
        let reason = self.scene.job(job).and_then(reason);
        let open = self.waiting.iter().position(|(waiting, _, _)| *waiting == job);
        if open.map(|open| self.waiting[open].1) != reason {
            if let Some(open) = open {
                let waiting = self.waiting.remove(open);
                self.push_wait(waiting, at);
            }
            self.waiting.extend(reason.map(|reason| (job, reason, at)));
        }
        let scene = &self.scene;
        let held = |resource: ResourceId| scene.holdings.iter().any(|(r, j, _)| *r == resource && *j == job);
        let (kept, over): (Vec<_>, Vec<_>) =
            self.holding.iter().partition(|(holder, resource, _)| *holder != job || held(*resource));
        self.holding = kept;
        for (resource, _, _) in self.scene.holdings.iter().filter(|(_, holder, _)| *holder == job) {
            if !self.holding.iter().any(|(holder, open, _)| *holder == job && open == resource) {
                self.holding.push((job, *resource, at));
            }
        }
        for holding in over {
            self.push_section(holding, at);
        }
    }

    /// Updates which jobs wait for which holders, after a record about `job`.
    fn show_blocked(&mut self, job: JobId, at: Instant) {
        let waits = self.scene.job(job).is_some_and(|live| {
            let suspended =
                matches!(live.doing, Doing::Suspended(SuspendReason::Resource(_) | SuspendReason::HeldBack));
            suspended || (live.spinning.is_some() && !live.delayed)
        });
        let known = self.blocked.iter().position(|(waiter, ..)| *waiter == job);
        match (known, waits) {
            (None, true) => self.blocked.push((job, None, at)),
            (Some(index), false) => {
                let (waiter, holder, from) = self.blocked.remove(index);
                self.push_blocking(waiter, holder, from, at);
            }
            _ => {}
        }
        for index in 0..self.blocked.len() {
            let (waiter, before, from) = self.blocked[index];
            let live = self.scene.job(waiter);
            let holder = live.and_then(|live| blockers(&self.scene, live).first().copied());
            if holder != before {
                self.push_blocking(waiter, before, from, at);
                self.blocked[index] = (waiter, holder, at);
            }
        }
    }

    /// Returns the present state of a processor.
    fn cpu_doing(&self, cpu: CpuId) -> CpuDoing {
        let live = self.scene.cpu(cpu);
        match (live.overhead, live.occupant) {
            (Some((kind, _)), _) => CpuDoing::Overhead(kind),
            (None, Some(job)) => CpuDoing::Job(job, self.scene.job(job).and_then(|live| live.spinning)),
            (None, None) => CpuDoing::Idle,
        }
    }

    /// Updates the segments and overheads of a processor.
    fn show_cpu(&mut self, cpu: CpuId, doing: CpuDoing, at: Instant) {
        if cpu.index() >= self.cpus.len() {
            self.cpus.resize(cpu.index() + 1, (CpuDoing::Idle, at, None));
        }
        let (before, since, last) = self.cpus[cpu.index()];
        if before == doing {
            return;
        }
        let shown = self.schedule.window.cut(since, at);
        let last = shown.map_or(last, |(from, to)| self.push(cpu, before, from, to, last));
        self.cpus[cpu.index()] = (doing, at, last);
    }

    /// Adds a segment, or lengthens the processor's last one if this one only continues it.
    fn push(
        &mut self,
        cpu: CpuId,
        doing: CpuDoing,
        from: Instant,
        to: Instant,
        last: Option<usize>,
    ) -> Option<usize> {
        match doing {
            CpuDoing::Idle => None,
            CpuDoing::Overhead(kind) => {
                self.schedule.overheads.push(OverheadSegment { cpu, kind, from, to });
                None
            }
            CpuDoing::Job(job, spinning) => {
                if let Some(index) = last {
                    let before = &mut self.schedule.segments[index];
                    if (before.job, before.spinning, before.to) == (job, spinning, from) {
                        before.to = to;
                        return last;
                    }
                }
                self.schedule.segments.push(Segment { cpu, job, from, to, spinning });
                Some(self.schedule.segments.len() - 1)
            }
        }
    }

    fn push_blocking(&mut self, waiter: JobId, holder: Option<JobId>, from: Instant, to: Instant) {
        let inside = holder.zip(self.schedule.window.cut(from, to));
        let blocking = |(holder, (from, to))| BlockedJob { waiter, holder, from, to };
        self.schedule.blockings.extend(inside.map(blocking));
    }

    fn push_wait(&mut self, (job, reason, from): (JobId, WaitReason, Instant), to: Instant) {
        let wait = |(from, to)| Wait { job, from, to, reason };
        self.schedule.waits.extend(self.schedule.window.cut(from, to).map(wait));
    }

    fn push_section(&mut self, (job, resource, from): (JobId, ResourceId, Instant), to: Instant) {
        let section = |(from, to)| CriticalSection { job, resource, from, to };
        self.schedule.critical_sections.extend(self.schedule.window.cut(from, to).map(section));
    }
}

fn mark(marks: &mut Vec<Mark>, window: Window, job: JobId, at: Instant) {
    if window.holds(at) {
        marks.push(Mark { job, at });
    }
}

/// True if after the record a job may begin or cease to wait, or wait for another job.
fn changes_waiting(record: &Record) -> bool {
    matches!(record, about![Suspend, Resume, Spin, Delay, Acquire, Release, Abort, Complete])
}

/// Returns the reason why a live job waits.
fn reason(job: &LiveJob) -> Option<WaitReason> {
    match (job.doing, job.on) {
        (Doing::Ready, Some(_)) => None,
        (Doing::Ready, None) => Some(WaitReason::Processor),
        (Doing::Pending, _) => Some(WaitReason::NotReady),
        (Doing::Suspended(SuspendReason::Itself), _) => Some(WaitReason::Itself),
        (Doing::Suspended(SuspendReason::HeldBack), _) => Some(WaitReason::HeldBack),
        (Doing::Suspended(SuspendReason::Resource(resource)), _) => Some(WaitReason::Resource(resource)),
    }
}

/// Returns the job and the processor that a record is about.
fn subject(record: &Record) -> (Option<JobId>, Option<CpuId>) {
    match *record {
        Record::Dispatch { cpu, job } | Record::Preempt { cpu, job } => (Some(job), Some(cpu)),
        Record::OverheadBegin { cpu, .. } | Record::OverheadEnd { cpu, .. } => (None, Some(cpu)),
        about![Arrival, Ready, Suspend, Resume, Spin, Delay, Acquire, Release, Abort, Complete] => {
            (record.job(), None)
        }
        about![GiveUp, Miss, Link, Move, Request, urgencies, attempts, quanta, servers, tasks, trace] => {
            (None, None)
        }
    }
}

impl Sink for ScheduleRecorder {
    fn record(&mut self, at: Instant, record: Record) {
        if self.is_past(at) {
            // Only that time has passed matters: what goes on, goes on to the end of the window.
            self.scene.now = self.scene.now.max(at);
            return;
        }
        self.mark(at, &record);
        let (job, cpu) = subject(&record);
        let left = job.and_then(|job| self.scene.place_of(job));
        self.scene.apply(at, &record);
        if let Some(job) = job {
            self.show_job(job, at);
        }
        if let (Some(job), true) = (job, changes_waiting(&record)) {
            self.show_blocked(job, at);
        }
        let entered = job.and_then(|job| self.scene.place_of(job));
        for cpu in [left, cpu, entered].into_iter().flatten() {
            self.show_cpu(cpu, self.cpu_doing(cpu), at);
        }
    }
}
