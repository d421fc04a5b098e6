//! Staggered PD2 as a [`Policy`]: each processor decides at its own quantum boundaries.
//!
//! Processor k of M is floor(k Q / M) late. A task's last quantum may therefore end after its next job arrived,
//! and the tasks of a slot are selected before it begins. So a task whose job was granted its last quantum stays
//! in, and competes with the windows that its next job has if it arrives as early as it may. If the job is complete
//! before that, or the next one has not arrived when the slot begins that it was selected for, the task leaves
//! (`Deactivate`) and joins again (`Activate`) when that arrives.
//!
//! The algorithm takes O(log n) of n tasks for each processor's quantum (fig. 5 of the paper), instead of O(m log n) at
//! one instant for all. The policy looks at the boundaries of all m processors besides.

use super::order::PfairOrder;
use super::policy::{begin, first_priority, subtask_annotation};
use super::quantize::{slot_from, weights};
use super::staggered::Staggered;
use super::stream::Stream;
use super::succession::Succession;
use super::supertask::Supertasks;
use crate::decisions::{Annotation, Decision, Decisions};
use crate::setup::{Affinity, ClusterSetup, SetupError};
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{
    Alignment, CpuId, Duration, Event, Instant, Invariant, JobId, Jobs, Platform, Priority, TaskId, TimerKey,
};

/// State of a task's live job.
#[derive(Clone, Copy, Debug, Default)]
struct Live {
    number: u32,
    /// True if the job may execute.
    ready: bool,
    /// True if the task is in: it competes, is selected, or runs and competes again.
    is_in: bool,
    /// Number of quanta that the job was granted.
    quanta: u64,
    /// True if the task has been let in.
    has_joined: bool,
    /// True if the job before became unable to execute at this instant.
    left: bool,
    /// Completion of the job before.
    completed: Instant,
}

/// Staggered Pfair scheduling of one cluster.
#[derive(Clone, Debug)]
pub(super) struct StaggeredPfair {
    scheduler: Staggered,
    /// The machine, with staggered quanta whatever the scenario states.
    platform: Platform,
    cpus: Vec<CpuId>,
    /// By processor of the platform: the job of the current quantum.
    links: Vec<Option<JobId>>,
    /// By place in `cpus`: the begin of the next quantum.
    boundaries: Vec<Instant>,
    live: Vec<Live>,
    /// Tasks whose `left` is set.
    leaving: Vec<u32>,
    started: bool,
    /// Number of tasks that were charged for the current slot and left before they were granted it.
    voided: usize,
    /// By place in `cpus`: the task or supertask of the current quantum.
    granted: Vec<Option<u32>>,
    supertasks: Supertasks,
    succession: Succession,
    /// By place in `cpus`: whether the trace has the current quantum's owner; a supertask's quantum gets that of its
    /// first component there.
    annotated: Vec<bool>,
}

impl StaggeredPfair {
    /// An idle cluster, or an error if its tasks cannot be scheduled.
    pub(super) fn new(
        order: PfairOrder,
        affinity: Affinity,
        setup: &ClusterSetup<'_>,
    ) -> Result<Self, SetupError> {
        if affinity.unsafe_when_staggered().is_some() {
            return Err(SetupError::StaggeredAffinity { affinity });
        }
        let weights = weights(setup)?;
        let streams: Vec<Stream> = weights.iter().map(|&weight| Stream::new(weight, false, 0)).collect();
        let platform = Platform { alignment: Alignment::Staggered, ..setup.platform.clone() };
        let first = |cpu: &CpuId| Instant::ZERO + platform.quantum_offset(*cpu);
        let supertasks = Supertasks::new(setup)?;
        let entities = streams.len();
        let mut scheduler = Staggered::new(order, affinity, streams, setup.cpus.len());
        supertasks.numbers().for_each(|number| {
            scheduler.activate(number);
        });
        Ok(StaggeredPfair {
            live: vec![Live::default(); entities],
            leaving: Vec::with_capacity(entities),
            granted: vec![None; setup.cpus.len()],
            supertasks,
            succession: Succession::new(&weights, setup)?,
            annotated: vec![false; setup.cpus.len()],
            scheduler,
            boundaries: setup.cpus.iter().map(first).collect(),
            links: vec![None; platform.processors().into()],
            started: false,
            voided: 0,
            cpus: setup.cpus.to_vec(),
            platform,
        })
    }

    fn quantum(&self) -> Duration {
        self.platform.quantum
    }

    /// Begins with a new live job of the task; its first job waits until there is room for the task.
    fn admit(&mut self, job: JobId, now: Instant, jobs: &Jobs) {
        if !self.live[job.task.index()].has_joined {
            self.note_last_quanta(job.task.0, now, jobs);
            match self.succession.enter(job.task.0) {
                Some(slot) => self.let_in(job.task.0, slot),
                None => return,
            }
        }
        self.begin_job(job, now, jobs);
    }

    /// Takes out tasks that should leave for `joining` and run the last quantum that their WCET allows, from the next
    /// slot on, though that quantum ends late. A task that then needs more joins again when there is room.
    fn note_last_quanta(&mut self, joining: u32, now: Instant, jobs: &Jobs) {
        for processor in 0..self.cpus.len() {
            let link = self.links[self.cpus[processor].index()];
            let Some(job) = link.filter(|_| self.boundaries[processor] > now) else { continue };
            let stream = self.scheduler.stream(job.task.0);
            let is_last = self.live[job.task.index()].quanta == stream.weight().quanta() && stream.nth() == 1;
            let is_leaving = self.succession.is_before(job.task.0, joining);
            if is_leaving && is_last && !jobs.of_task(job.task).has_successor {
                self.succession.leave(job.task.0, &stream.window_before());
                self.leave(job.task.0);
            }
        }
    }

    /// Lets `task` join from `slot` on.
    fn let_in(&mut self, task: u32, slot: u64) {
        self.live[task as usize].has_joined = true;
        // The stream has not begun: this delays whatever pattern it begins with.
        self.scheduler.stream_mut(task).delay_until(slot);
    }

    /// Notes that `task` has left, and lets tasks join that waited for it.
    fn release_weight(&mut self, task: u32, now: Instant, jobs: &Jobs) {
        // The leave comes with the completion, before the task was taken out.
        self.leave(task);
        let last = self.scheduler.stream(task).window_before();
        self.succession.leave(task, &last);
        while let Some((other, slot)) = self.succession.next() {
            self.let_in(other, slot);
            let live = self.live[other as usize];
            if live.ready {
                self.begin_job(JobId::new(TaskId(other), live.number), now, jobs);
            }
        }
    }

    /// Begins with a new live job of the task, which is in.
    fn begin_job(&mut self, job: JobId, now: Instant, jobs: &Jobs) {
        let task = job.task.0;
        let quantum = self.quantum().as_ns();
        let arrival = jobs.get(job).arrival;
        let live = self.live[job.task.index()];
        self.live[job.task.index()].quanta = 0;
        // A job that waited for the one before it keeps the windows of its arrival. One that was not released when
        // the one before was complete, or when its slot began, must not: windows that begin before it may
        // execute would make it more urgent than its weight allows, and others late.
        let waited = live.is_in && live.completed == now;
        let start = if waited { slot_from(arrival, quantum) } else { self.open_slot(now) };
        if live.is_in {
            // The job before has just been complete. If it left subtasks out, a new pattern starts where it may, since
            // windows from the middle of a pattern on may span a slot more.
            let stream = self.scheduler.stream(task);
            if stream.nth() == 1 || start < stream.next_pattern() {
                return;
            }
            self.leave(task);
        }
        begin(self.scheduler.stream_mut(task), start);
        self.join(task);
    }

    /// Returns the first slot that has not begun on any processor and does not begin before `now`.
    fn open_slot(&self, now: Instant) -> u64 {
        self.scheduler.next().max(slot_from(now, self.quantum().as_ns()))
    }

    fn join(&mut self, task: u32) {
        self.scheduler.activate(task);
        self.live[task as usize].is_in = true;
    }

    /// Lets the live job of `task`, which is out, go on as soon as it may, with the task's next windows.
    fn go_on(&mut self, task: u32, now: Instant) {
        if let Some(room) = self.succession.enter(task) {
            let slot = self.open_slot(now).max(room);
            self.scheduler.stream_mut(task).delay_until(slot);
            self.join(task);
        }
    }

    fn leave(&mut self, task: u32) {
        if core::mem::take(&mut self.live[task as usize].is_in) {
            self.voided += usize::from(self.scheduler.deactivate(task));
        }
    }

    fn forget(&mut self, job: JobId) {
        let live = &mut self.live[job.task.index()];
        live.ready = false;
        if !core::mem::replace(&mut live.left, true) {
            self.leaving.push(job.task.0);
        }
    }

    /// Takes out the tasks that left at this instant and did not come back; their links are empty until the next
    /// boundary.
    fn let_go(&mut self, now: Instant, out: &mut Decisions) {
        while let Some(task) = self.leaving.pop() {
            let live = &mut self.live[task as usize];
            live.left = false;
            if !live.ready {
                self.leave(task);
            }
            for (index, &cpu) in self.cpus.iter().enumerate() {
                let link = &mut self.links[cpu.index()];
                if link.is_some_and(|job| job.task.0 == task) {
                    *link = None;
                    out.look(cpu);
                    let until = self.boundaries[index];
                    if until > now {
                        out.annotate(Annotation::Waste { cpu, until });
                    }
                }
            }
        }
    }

    /// Takes out tasks that are selected for the slot about to begin although their next job has not arrived.
    ///
    /// Only tasks that run their job's last quantum can be, because the job of any other is complete or has more to do:
    /// also where a job that began in the middle of a pattern goes on in the next one.
    fn drop_absent(&mut self, jobs: &Jobs) {
        for processor in 1..self.cpus.len() {
            if self.granted[processor].is_some_and(|number| self.supertasks.has(number)) {
                continue;
            }
            let Some(job) = self.links[self.cpus[processor].index()] else { continue };
            let stream = self.scheduler.stream(job.task.0);
            let begins = stream.nth() == 1 && stream.eligible() <= self.scheduler.next();
            let is_last = self.live[job.task.index()].quanta >= stream.weight().quanta();
            if begins && is_last && !jobs.of_task(job.task).has_successor {
                self.leave(job.task.0);
            }
        }
    }

    /// Ends the quantum of `processor` and begins the next one.
    fn schedule(&mut self, processor: usize, now: Instant, out: &mut Decisions) {
        if let Some(job) = self.links[self.cpus[processor].index()] {
            // A component is never ready here: its supertask competes for it.
            let live = self.live[job.task.index()];
            if live.ready && !live.is_in {
                // The job needs more than its WCET, by overheads.
                self.go_on(job.task.0, now);
            }
        }
        self.granted[processor] = self.scheduler.schedule(processor);
        let job = self.granted[processor].and_then(|number| self.grant(number));
        self.note_quantum(processor, job, now, out);
        let link = &mut self.links[self.cpus[processor].index()];
        if *link != job {
            *link = job;
            out.look(self.cpus[processor]);
        }
    }
}

impl StaggeredPfair {
    /// Returns the job that runs in a quantum that begins now and belongs to the task or supertask `number`.
    fn grant(&mut self, number: u32) -> Option<JobId> {
        if self.supertasks.has(number) {
            return self.supertasks.begin_quantum(number);
        }
        let live = &mut self.live[number as usize];
        live.quanta += u64::from(live.ready);
        live.ready.then(|| JobId::new(TaskId(number), live.number))
    }

    /// Annotates the quantum that begins with its owner. A quantum that no job can use is wasted, because its task is
    /// gone or not ready.
    fn note_quantum(&mut self, processor: usize, job: Option<JobId>, now: Instant, out: &mut Decisions) {
        if processor == 0 {
            self.voided = 0;
        }
        let cpu = self.cpus[processor];
        self.annotated[processor] = job.is_some();
        match (self.granted[processor], job) {
            (Some(number), None) if self.supertasks.has(number) => {}
            (Some(number), Some(job)) => {
                let stream = self.scheduler.stream(number);
                out.annotate(subtask_annotation(cpu, job, stream, self.quantum().as_ns()));
            }
            (Some(_), None) => out.annotate(Annotation::Waste { cpu, until: now + self.quantum() }),
            (None, _) if self.voided > 0 => {
                self.voided -= 1;
                out.annotate(Annotation::Waste { cpu, until: now + self.quantum() });
            }
            (None, _) => {}
        }
    }

    /// Updates links where a supertask chooses anew within its quantum.
    fn mend_links(&mut self, now: Instant, out: &mut Decisions) {
        for (index, &cpu) in self.cpus.iter().enumerate() {
            let Some(number) = self.granted[index].filter(|number| self.supertasks.has(*number)) else {
                continue;
            };
            let job = self.supertasks.running(number);
            if let (Some(job), false, true) = (job, self.annotated[index], self.boundaries[index] > now) {
                self.annotated[index] = true;
                let stream = self.scheduler.stream(number);
                out.annotate(subtask_annotation(cpu, job, stream, self.platform.quantum.as_ns()));
            }
            if self.links[cpu.index()] != job {
                self.links[cpu.index()] = job;
                out.look(cpu);
            }
        }
    }
}

impl Policy for StaggeredPfair {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        if let Some(inside) = self.supertasks.priority(job, jobs) {
            return inside;
        }
        let weight = self.scheduler.stream(job.task.0).weight();
        first_priority(job, jobs, weight, false, self.quantum().as_ns())
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        if self.supertasks.note(now, event, jobs) {
            return;
        }
        match event {
            Event::Ready(job) => {
                let live = &mut self.live[job.task.index()];
                (live.ready, live.number) = (true, job.number);
                self.admit(job, now, jobs);
            }
            Event::Resumed(job) => {
                let live = &mut self.live[job.task.index()];
                (live.ready, live.number) = (true, job.number);
                if !live.is_in {
                    self.go_on(job.task.0, now);
                }
            }
            Event::Completed(job) | Event::Aborted(job) => {
                self.forget(job);
                self.live[job.task.index()].completed = now;
            }
            Event::Suspended(job) => self.forget(job),
            // Subtasks are ordered by their windows, whatever a job inherits.
            Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_) => {}
            Event::Left(task) => self.release_weight(task.0, now, jobs),
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.let_go(now, out);
        self.supertasks.decide(now, jobs);
        self.mend_links(now, out);
        if self.boundaries.first() == Some(&now) {
            self.drop_absent(jobs);
        }
        for processor in 0..self.cpus.len() {
            let is_due = self.boundaries[processor] == now;
            if is_due {
                self.schedule(processor, now, out);
                self.boundaries[processor] = now + self.quantum();
            }
            if is_due || !self.started {
                out.push(Decision::Timer(TimerKey(processor as u32), Some(self.boundaries[processor])));
            }
        }
        self.started = true;
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links[cpu.index()]
    }

    fn promises(&self) -> &'static [Invariant] {
        self.supertasks.promises()
    }
}
