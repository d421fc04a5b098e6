//! What did jobs and processors experience?
//!
//! One fold, [`Metrics`], fast enough to sit in the simulator without a trace: dense tables, and no
//! allocation once each task has had as many jobs at once, and each octave of times, as it ever will.
//!
//! * A *preemption* is a job that leaves its processor although it is ready to go on: a `preempt` record.
//! * A *migration* is a job that begins to occupy another processor than the one on which it executed last.
//!   That a job begins elsewhere than its task's job before is counted apart, as a *task migration*.
//! * *Accrued utility* is the sum of what completions are worth. Its ratio (AUR) is that sum over what the same jobs
//!   would have been worth if each had been complete at its arrival. Jobs that end after the trace count for neither.
//! * The *deadline-satisfaction ratio* (DSR) is the share of jobs in time among those that were in time or missed.
//! * Times count for completed jobs; what is unfinished at the end is counted, with how late it already was.

mod histogram;
mod processor;
mod task;
mod worth;

pub use histogram::Histogram;
pub use processor::CpuMetrics;
pub use task::{Lateness, TaskMetrics};
pub use worth::Worth;

use processor::CpuState;
use schedlab_model::{CpuId, Instant, JobId, OverheadKind};
use schedlab_trace::{about, Record, Sink};
use std::collections::VecDeque;

/// A job that has arrived and has not ended.
#[derive(Clone, Copy, Debug)]
struct Pending {
    number: u32,
    arrival: u64,
    absolute_deadline: u64,
}

/// State of a task.
#[derive(Clone, Debug, Default)]
struct TaskState {
    /// Jobs that have arrived and not ended: the oldest one, and the others.
    first: Option<Pending>,
    later: VecDeque<Pending>,
    on: Option<CpuId>,
    /// Processor on which a job of the task executed last, and the job's number.
    last: Option<(CpuId, u32)>,
}

/// Adds one to a count. Overflow is not checked, because nothing happens 2^64 times.
#[inline(always)]
fn count_one(count: &mut u64) {
    *count = count.wrapping_add(1);
}

/// Measures the records that it gets.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    tasks: Vec<TaskMetrics>,
    cpus: Vec<CpuMetrics>,
    task_states: Vec<TaskState>,
    cpu_states: Vec<CpuState>,
    until: Instant,
    settled: bool,
    summaries_only: bool,
    /// By task; empty if utilities are not measured.
    worths: Vec<Worth>,
}

impl Metrics {
    /// Metrics for a system of `tasks` tasks and `processors` processors; more are added as they appear.
    pub fn new(tasks: usize, processors: usize) -> Self {
        let mut metrics = Metrics::default();
        metrics.grow_tasks(tasks);
        metrics.grow_cpus(processors);
        metrics
    }

    /// Metrics as [`Metrics::new`] makes them, in the memory of these.
    #[must_use]
    pub fn renewed(mut self, tasks: usize, processors: usize) -> Self {
        self.tasks.iter_mut().for_each(TaskMetrics::renew);
        self.tasks.resize_with(tasks, TaskMetrics::default);
        for state in &mut self.task_states {
            let mut later = core::mem::take(&mut state.later);
            later.clear();
            *state = TaskState { later, ..TaskState::default() };
        }
        self.task_states.resize_with(tasks, TaskState::default);
        self.cpus.clear();
        self.cpu_states.clear();
        self.grow_cpus(processors);
        let Metrics { tasks, cpus, task_states, cpu_states, .. } = self;
        Metrics { tasks, cpus, task_states, cpu_states, ..Metrics::default() }
    }

    /// Returns these metrics without the distribution of response times: maxima and means stay exact, quantiles are
    /// absent. The buckets of hundreds of tasks do not fit into fast caches, so this is faster.
    #[must_use]
    pub fn summaries_only(mut self) -> Self {
        self.summaries_only = true;
        self
    }

    /// Returns these metrics with utilities, where `worths` has the utility functions of the tasks' jobs; without
    /// utilities if it is empty.
    #[must_use]
    pub fn with_utilities(mut self, worths: &[Worth]) -> Self {
        self.worths = worths.to_vec();
        self
    }

    /// True if utilities are measured.
    pub fn has_utilities(&self) -> bool {
        !self.worths.is_empty()
    }

    /// Metrics of each task.
    pub fn tasks(&self) -> &[TaskMetrics] {
        &self.tasks
    }

    /// Metrics of each processor.
    pub fn processors(&self) -> &[CpuMetrics] {
        &self.cpus
    }

    /// Metrics of all tasks together.
    pub fn all_tasks(&self) -> TaskMetrics {
        let mut all = TaskMetrics::default();
        self.tasks.iter().for_each(|task| all.merge(task));
        all
    }

    /// Metrics of all processors together.
    pub fn all_processors(&self) -> CpuMetrics {
        let mut all = CpuMetrics::default();
        self.cpus.iter().for_each(|cpu| all.merge(cpu));
        all
    }

    /// The end of what was measured.
    pub fn until(&self) -> Instant {
        self.until
    }

    /// Ends the measurement at `at`, once: counts unfinished jobs, and the last state of each processor.
    ///
    /// A trace's `end` record does so itself.
    pub fn settle(&mut self, at: Instant) {
        if core::mem::replace(&mut self.settled, true) {
            return;
        }
        self.until = self.until.max(at);
        let now = self.until.as_ns();
        for (cpu, state) in self.cpus.iter_mut().zip(&mut self.cpu_states) {
            cpu.settle(state, now);
        }
        for (index, (task, state)) in self.tasks.iter_mut().zip(&self.task_states).enumerate() {
            let pending = || state.first.iter().chain(&state.later);
            task.unfinished = pending().count() as u64;
            if let Some(worth) = self.worths.get(index) {
                pending().for_each(|job| worth.end(now.saturating_sub(job.arrival), task));
            }
            let lateness = pending().map(|job| now.saturating_sub(job.absolute_deadline)).max();
            task.unfinished_lateness = lateness.unwrap_or(0);
        }
    }

    #[cold]
    fn grow_tasks(&mut self, tasks: usize) {
        if tasks > self.tasks.len() {
            self.tasks.resize_with(tasks, TaskMetrics::default);
            self.task_states.resize_with(tasks, TaskState::default);
        }
    }

    #[cold]
    fn grow_cpus(&mut self, cpus: usize) {
        if cpus > self.cpus.len() {
            self.cpus.resize_with(cpus, CpuMetrics::default);
            self.cpu_states.resize_with(cpus, CpuState::default);
        }
    }

    // A place that is not there is made apart, so that the others are looked up with one comparison each.

    #[inline(always)]
    fn task(&mut self, job: JobId) -> (&mut TaskMetrics, &mut TaskState) {
        let task = job.task.index();
        if task >= self.tasks.len() || task >= self.task_states.len() {
            return self.new_task(task);
        }
        (&mut self.tasks[task], &mut self.task_states[task])
    }

    #[cold]
    fn new_task(&mut self, task: usize) -> (&mut TaskMetrics, &mut TaskState) {
        self.grow_tasks(task + 1);
        (&mut self.tasks[task], &mut self.task_states[task])
    }

    #[inline(always)]
    fn state(&mut self, job: JobId) -> &mut TaskState {
        let task = job.task.index();
        if task >= self.task_states.len() {
            return self.new_task(task).1;
        }
        &mut self.task_states[task]
    }

    #[inline(always)]
    fn cpu(&mut self, cpu: CpuId) -> (&mut CpuMetrics, &mut CpuState) {
        let index = cpu.index();
        if index >= self.cpus.len() || index >= self.cpu_states.len() {
            return self.new_cpu(index);
        }
        (&mut self.cpus[index], &mut self.cpu_states[index])
    }

    #[cold]
    fn new_cpu(&mut self, index: usize) -> (&mut CpuMetrics, &mut CpuState) {
        self.grow_cpus(index + 1);
        (&mut self.cpus[index], &mut self.cpu_states[index])
    }

    #[inline(always)]
    fn arrive(&mut self, now: u64, job: JobId, absolute_deadline: Instant) {
        let (task, state) = self.task(job);
        count_one(&mut task.arrived);
        state.add(Pending { number: job.number, arrival: now, absolute_deadline: absolute_deadline.as_ns() });
    }

    #[inline(always)]
    fn dispatch(&mut self, now: u64, cpu: CpuId, job: JobId) {
        let state = self.state(job);
        let last = state.last.replace((cpu, job.number));
        state.on = Some(cpu);
        if let Some((_, number)) = last.filter(|(last, _)| *last != cpu) {
            let task = &mut self.tasks[job.task.index()];
            match number == job.number {
                true => task.migrations += 1,
                false => task.task_migrations += 1,
            }
        }
        let (metrics, state) = self.cpu(cpu);
        metrics.occupy(state, now, true);
    }

    fn preempt(&mut self, now: u64, job: JobId) {
        let (task, state) = self.task(job);
        count_one(&mut task.preemptions);
        if let Some(cpu) = state.on.take() {
            self.vacate(now, cpu);
        }
    }

    #[inline(always)]
    fn leave(&mut self, now: u64, job: JobId) {
        // Jobs of a task run one at a time, so a task's processor is its running job's.
        if let Some(cpu) = self.state(job).on.take() {
            self.vacate(now, cpu);
        }
    }

    #[inline(always)]
    fn vacate(&mut self, now: u64, cpu: CpuId) {
        let (metrics, state) = self.cpu(cpu);
        metrics.occupy(state, now, false);
    }

    fn waste(&mut self, now: u64, cpu: CpuId, until: Instant) {
        let (metrics, state) = self.cpu(cpu);
        metrics.waste(state, now, until.as_ns());
    }

    #[inline(always)]
    fn complete(&mut self, now: u64, job: JobId) {
        let (summaries_only, task_index) = (self.summaries_only, job.task.index());
        let (task, state) = self.task(job);
        count_one(&mut task.completed);
        let on = state.on.take();
        if let Some(job) = state.take(job.number) {
            let response_time = now.saturating_sub(job.arrival);
            if summaries_only {
                task.response_time.add_to_summary(response_time);
            } else {
                task.response_time.add(response_time);
            }
            task.lateness.add(now, job.absolute_deadline);
            if !self.worths.is_empty() {
                self.accrue(task_index, response_time);
            }
        }
        if let Some(cpu) = on {
            self.vacate(now, cpu);
        }
    }

    /// Adds the utility of a job of `task` that is complete after `response_time` ns.
    #[cold]
    fn accrue(&mut self, task: usize, response_time: u64) {
        if let Some(worth) = self.worths.get(task) {
            worth.complete(response_time, &mut self.tasks[task]);
        }
    }

    #[cold]
    fn abort(&mut self, now: u64, job: JobId) {
        self.leave(now, job);
        let (task, state) = self.task(job);
        task.aborted += 1;
        state.take(job.number);
        let has_begun = state.last.is_some_and(|(_, number)| number == job.number);
        if let Some(worth) = self.worths.get(job.task.index()) {
            worth.abort(has_begun, &mut self.tasks[job.task.index()]);
        }
    }

    fn overhead(&mut self, now: u64, cpu: CpuId, kind: OverheadKind, begins: bool) {
        // An interrupt on its way holds no processor.
        if kind != OverheadKind::Ipi {
            let (metrics, state) = self.cpu(cpu);
            metrics.hold(state, now, begins);
        }
    }
}

impl TaskState {
    #[inline]
    fn add(&mut self, job: Pending) {
        match self.first {
            None => self.first = Some(job),
            Some(_) => self.later.push_back(job),
        }
    }

    /// Takes a pending job, nearly always the first and only one.
    #[inline(always)]
    fn take(&mut self, number: u32) -> Option<Pending> {
        match self.first {
            Some(first) if first.number == number && self.later.is_empty() => self.first.take(),
            Some(_) => self.take_of_many(number),
            None => None,
        }
    }

    #[cold]
    fn take_of_many(&mut self, number: u32) -> Option<Pending> {
        if self.first.is_some_and(|first| first.number == number) {
            return core::mem::replace(&mut self.first, self.later.pop_front());
        }
        let index = self.later.iter().position(|job| job.number == number)?;
        self.later.remove(index)
    }
}

impl Sink for Metrics {
    /// Always inlined: the code that writes a record knows its kind, and metrics ignore many kinds.
    #[inline(always)]
    fn record(&mut self, at: Instant, record: Record) {
        let now = at.as_ns();
        match record {
            Record::Arrival { job, absolute_deadline, .. } => self.arrive(now, job, absolute_deadline),
            Record::Dispatch { cpu, job } => self.dispatch(now, cpu, job),
            Record::Complete { job } => self.complete(now, job),
            Record::Preempt { job, .. } => self.preempt(now, job),
            Record::Suspend { job, .. } => {
                self.task(job).0.suspensions += 1;
                self.leave(now, job);
            }
            Record::Retry { job, .. } => count_one(&mut self.task(job).0.retries),
            Record::Miss { job } => self.task(job).0.missed += 1,
            Record::OverheadBegin { cpu, kind, .. } => self.overhead(now, cpu, kind, true),
            Record::OverheadEnd { cpu, kind } => self.overhead(now, cpu, kind, false),
            Record::Abort { job } => self.abort(now, job),
            Record::Waste { cpu, until } => self.waste(now, cpu, until),
            Record::End => self.settle(at),
            about![
                Ready, GiveUp, Link, Resume, Move, Attempt, Commit, Quantum, Subtask, Lost, Run, urgencies,
                requests, servers, tasks
            ] => {}
        }
    }
}
