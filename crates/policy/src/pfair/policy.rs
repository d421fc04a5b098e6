//! Aligned Pfair scheduling as a [`Policy`]: PD2, PF, PD, EPDF, and PD2 with early release.
//!
//! Each processor keeps its link for a whole quantum. The rest of a job's last quantum is wasted: the link stays empty
//! until the boundary. A job that arrives between two boundaries has its first window from the next one on; one that
//! arrives late delays its task's windows (IS); one that completes early leaves subtasks out (GIS); one that needs more
//! than its WCET goes on with the subtasks of its successor, so that the others keep their share.
//!
//! The decision at a boundary takes O(m log n) comparisons of subtasks for n tasks on m processors: a task is taken
//! from a heap for each processor, and put back after its quantum. Which processor each of them gets is found in
//! O(m log m), and in O(m^2) under the affinities `most-recent-available` and `directed-migration`.

use super::aligned::Aligned;
use super::order::{pack, PfairOrder};
use super::quantize::{slot_from, weights};
use super::stream::Stream;
use super::succession::Succession;
use super::supertask::Supertasks;
use crate::decisions::{Annotation, Decision, Decisions};
use crate::setup::{Affinity, ClusterSetup, SetupError, Weight};
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Priority, TaskId, TimerKey};

/// State of a task's live job.
#[derive(Clone, Copy, Debug, Default)]
struct Live {
    number: u32,
    /// True if the job may execute.
    ready: bool,
    /// True if the task runs in the current slot: it competes again from the next boundary on.
    runs: bool,
    /// True if the task competes for slots to come.
    competes: bool,
    /// True if a job of the task became ready since the task last competed.
    is_new: bool,
    /// True if the job was suspended since the task last competed.
    was_suspended: bool,
    /// Completion of the job before.
    completed: Instant,
    /// True if the task has been let in.
    has_joined: bool,
    /// True if the live job became ready by the completion of the one before, not by its own later release.
    waited: bool,
}

/// Fills the slots of one cluster, all processors at once, at each quantum boundary.
#[derive(Clone, Debug)]
pub struct AlignedPfair {
    scheduler: Aligned,
    early_release: bool,
    quantum: u64,
    cpus: Vec<CpuId>,
    /// Linked job by processor of the platform.
    links: Vec<Option<JobId>>,
    live: Vec<Live>,
    /// Tasks and supertasks that run in the current slot.
    running: Vec<u32>,
    supertasks: Supertasks,
    succession: Succession,
    /// By place in `cpus`: whether the trace has the current quantum's owner; a supertask's quantum gets that of its
    /// first component there.
    annotated: Vec<bool>,
}

impl AlignedPfair {
    /// An idle cluster, or an error if its tasks cannot be scheduled.
    pub fn new(
        order: PfairOrder,
        early_release: bool,
        affinity: Affinity,
        setup: &ClusterSetup<'_>,
    ) -> Result<Self, SetupError> {
        let supertasks = Supertasks::new(setup)?;
        // A supertask's supply counts on windows that are not released early.
        let early = |number: usize| early_release && !supertasks.has(number as u32);
        let stream = |(number, weight): (usize, &Weight)| Stream::new(*weight, early(number), 0);
        let weights = weights(setup)?;
        let streams: Vec<Stream> = weights.iter().enumerate().map(stream).collect();
        let entities = streams.len();
        let mut scheduler = Aligned::new(order, affinity, streams, setup.cpus.len());
        supertasks.numbers().for_each(|number| scheduler.add(number));
        Ok(AlignedPfair {
            scheduler,
            early_release,
            quantum: setup.platform.quantum.as_ns(),
            cpus: setup.cpus.to_vec(),
            links: vec![None; setup.platform.processors().into()],
            live: vec![Live::default(); entities],
            running: Vec::with_capacity(setup.cpus.len()),
            supertasks,
            succession: Succession::new(&weights, setup)?,
            annotated: vec![false; setup.cpus.len()],
        })
    }

    /// Returns the first slot that is not filled yet and does not begin before `now`.
    fn open_slot(&self, now: Instant) -> u64 {
        self.scheduler.next().max(slot_from(now, self.quantum))
    }

    /// Lets `task`, whose job is ready, compete from its next subtask on.
    fn enter(&mut self, task: u32, now: Instant, jobs: &Jobs) {
        let slot = self.open_slot(now);
        if self.scheduler.is_empty() {
            self.scheduler.skip_to(slot);
        }
        let live = &mut self.live[task as usize];
        let (is_new, was_suspended) = (live.is_new, live.was_suspended);
        (live.is_new, live.was_suspended, live.competes) = (false, false, true);
        let waited = live.waited;
        let stream = self.scheduler.stream_mut(task);
        if is_new {
            let arrival = jobs.of_task(TaskId(task)).arrival;
            // A job that waited for the one before it keeps the windows of its arrival. One that was released after
            // that must not: windows would begin before it may execute, and others be late.
            let start = if waited { slot_from(arrival, self.quantum) } else { slot };
            begin(stream, start);
        }
        if was_suspended {
            stream.delay_until(slot);
        }
        self.scheduler.add(task);
    }

    /// Notes that `job` may not execute any more: if its task competes, it is taken out, and its links become empty.
    fn forget(&mut self, job: JobId) {
        let live = &mut self.live[job.task.index()];
        live.ready = false;
        if core::mem::take(&mut live.competes) {
            self.scheduler.remove(job.task.0);
        }
    }

    fn admit(&mut self, job: JobId, now: Instant, jobs: &Jobs) {
        let live = &mut self.live[job.task.index()];
        live.ready = true;
        live.number = job.number;
        if !live.has_joined {
            match self.succession.enter(job.task.0) {
                Some(slot) => self.join(job.task.0, slot),
                None => return,
            }
        }
        self.compete(job.task.0, now, jobs);
    }

    /// Lets `task` join from `slot` on.
    fn join(&mut self, task: u32, slot: u64) {
        self.live[task as usize].has_joined = true;
        // The stream has not begun: this delays whatever pattern it begins with.
        self.scheduler.stream_mut(task).delay_until(slot);
    }

    /// Notes that `task` has left, and lets tasks join that waited for it.
    fn leave(&mut self, task: u32, now: Instant, jobs: &Jobs) {
        let last = self.scheduler.stream(task).window_before();
        self.succession.leave(task, &last);
        while let Some((other, slot)) = self.succession.next() {
            self.join(other, slot);
            if self.live[other as usize].ready {
                self.compete(other, now, jobs);
            }
        }
    }

    fn compete(&mut self, task: u32, now: Instant, jobs: &Jobs) {
        let live = &self.live[task as usize];
        if !live.runs && !live.competes {
            self.enter(task, now, jobs);
        }
    }

    /// Fills the slot that begins now.
    fn fill(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        for index in 0..self.running.len() {
            let task = self.running[index];
            self.live[task as usize].runs = false;
            if self.supertasks.has(task) {
                self.scheduler.add(task);
            } else if self.live[task as usize].ready {
                self.enter(task, now, jobs);
            }
        }
        self.running.clear();
        self.running.extend_from_slice(self.scheduler.fill());
        for &task in &self.running {
            self.live[task as usize].runs = true;
            self.live[task as usize].competes = false;
        }
        for index in 0..self.cpus.len() {
            let (cpu, number) = (self.cpus[index], self.scheduler.task_on(index));
            let job = number.and_then(|number| self.grant(number));
            self.annotated[index] = job.is_some();
            if let (Some(number), Some(job)) = (number, job) {
                out.annotate(subtask_annotation(cpu, job, self.scheduler.stream(number), self.quantum));
            }
            let link = &mut self.links[cpu.index()];
            if *link != job {
                *link = job;
                out.look(cpu);
            }
        }
    }

    /// Returns the job that runs in a quantum that begins now and belongs to the task or supertask `number`.
    fn grant(&mut self, number: u32) -> Option<JobId> {
        if self.supertasks.has(number) {
            return self.supertasks.begin_quantum(number);
        }
        Some(JobId::new(TaskId(number), self.live[number as usize].number))
    }

    /// Empties links to jobs that may not execute any more, until the boundary or a supertask's next choice.
    fn mend_links(&mut self, now: Instant, out: &mut Decisions) {
        let boundary = self.scheduler.next().checked_mul(self.quantum).map(Instant::from_ns);
        for (index, &cpu) in self.cpus.iter().enumerate() {
            let link = &mut self.links[cpu.index()];
            let job = match self.scheduler.task_on(index) {
                Some(number) if self.supertasks.has(number) => {
                    let job = self.supertasks.running(number);
                    let lasts = boundary.is_some_and(|at| at > now);
                    if let (Some(job), false, true) = (job, self.annotated[index], lasts) {
                        self.annotated[index] = true;
                        out.annotate(subtask_annotation(
                            cpu,
                            job,
                            self.scheduler.stream(number),
                            self.quantum,
                        ));
                    }
                    job
                }
                _ => {
                    let kept = link.filter(|job| may_run(&self.live, *job));
                    if let (Some(_), None, Some(until)) = (*link, kept, boundary.filter(|at| *at > now)) {
                        out.annotate(Annotation::Waste { cpu, until });
                    }
                    kept
                }
            };
            if *link != job {
                *link = job;
                out.look(cpu);
            }
        }
    }
}

/// Begins with a new job's first subtask: that of a new pattern from `start` on, if the task's share allows, or else
/// the next one.
pub(super) fn begin(stream: &mut Stream, start: u64) {
    if start >= stream.next_pattern() {
        stream.restart(start);
    } else {
        stream.delay_until(start);
    }
}

/// Returns the annotation for a quantum of the subtask for which `stream` has just been charged.
pub(super) fn subtask_annotation(cpu: CpuId, job: JobId, stream: &Stream, quantum: u64) -> Annotation {
    let window = stream.charged();
    let instant = |slot: u64| Instant::from_ns(slot.saturating_mul(quantum));
    Annotation::Subtask { cpu, job, release: instant(window.release), deadline: instant(window.deadline) }
}

fn may_run(live: &[Live], job: JobId) -> bool {
    let live = &live[job.task.index()];
    live.ready && !live.was_suspended && !live.is_new
}

/// Returns the priority of a job in traces: that of its first subtask, as far as 62 bits hold it.
pub(super) fn first_priority(job: JobId, jobs: &Jobs, weight: Weight, early: bool, quantum: u64) -> Priority {
    let start = slot_from(jobs.get(job).arrival, quantum);
    let point = pack(&Stream::new(weight, early, start), 0);
    Priority::new(point.unwrap_or(Priority::MAX_POINT), job)
}

impl Policy for AlignedPfair {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        if let Some(inside) = self.supertasks.priority(job, jobs) {
            return inside;
        }
        let weight = self.scheduler.stream(job.task.0).weight();
        first_priority(job, jobs, weight, self.early_release, self.quantum)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        if self.supertasks.note(now, event, jobs) {
            return;
        }
        match event {
            Event::Ready(job) => {
                let live = &mut self.live[job.task.index()];
                (live.is_new, live.waited) = (true, live.completed == now && job.number > 0);
                self.admit(job, now, jobs);
            }
            Event::Resumed(job) => self.admit(job, now, jobs),
            Event::Completed(job) | Event::Aborted(job) => {
                self.forget(job);
                self.live[job.task.index()].completed = now;
                self.live[job.task.index()].was_suspended = false;
            }
            Event::Suspended(job) => {
                self.forget(job);
                self.live[job.task.index()].was_suspended = true;
            }
            // Subtasks are ordered by their windows, whatever a job inherits.
            Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_) => {}
            Event::Left(task) => self.leave(task.0, now, jobs),
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.supertasks.decide(now, jobs);
        self.mend_links(now, out);
        let slot = self.open_slot(now);
        let is_idle = self.scheduler.is_empty() && self.running.is_empty();
        if is_idle {
            return;
        }
        if slot.checked_mul(self.quantum) == Some(now.as_ns()) {
            self.fill(now, jobs, out);
        }
        let boundary = self.open_slot(now).checked_mul(self.quantum);
        let due = boundary.map(Instant::from_ns);
        out.push(Decision::Timer(TimerKey(0), due));
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links[cpu.index()]
    }

    fn promises(&self) -> &'static [Invariant] {
        self.supertasks.promises()
    }
}
