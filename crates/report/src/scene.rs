//! State of a system as it follows from the records so far, for invariants, explanations and pictures.
//!
//! The scene believes every record, right or wrong: reporting violations is the task of the invariants, which examine
//! the scene *before* a record. It never panics on a wrong trace.

use crate::context::Context;
use schedlab_model::{
    ClusterId, CpuId, Duration, Instant, JobId, OverheadKind, Priority, ResourceId, TaskId, Work,
};
use schedlab_trace::{about, Record, SuspendReason};
use std::collections::VecDeque;

/// State of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    /// The job has arrived and is not ready yet.
    #[default]
    Pending,
    /// The job may execute.
    Ready,
    /// The job may not execute, for this reason.
    Suspended(SuspendReason),
}

/// A job that is not complete.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiveJob {
    /// Id of the job.
    pub id: JobId,
    /// Arrival of the job.
    pub arrival: Instant,
    /// Absolute deadline of the job.
    pub absolute_deadline: Instant,
    /// Cost of the job; zero if unknown.
    pub cost: Work,
    /// State of the job.
    pub doing: Doing,
    /// Effective priority of the job, once it is ready.
    pub priority: Option<Priority>,
    /// Priority of the job when it became ready, which no protocol had changed.
    pub base: Option<Priority>,
    /// Cluster to which the job belongs, once it is ready.
    pub cluster: ClusterId,
    /// Processor that the job occupies.
    pub on: Option<CpuId>,
    /// Resource for which the job spins.
    pub spinning: Option<ResourceId>,
    /// True if the request for which the job spins is ignored until its quantum ends.
    pub delayed: bool,
    /// Service that the job had received when its attempt on a lock-free object began.
    pub attempt: Option<Work>,
    /// Number of nested non-preemptive sections that the job is in.
    pub np_depth: u32,
    /// Service that the job has received up to the last change on its processor.
    pub service: Work,
}

impl LiveJob {
    /// True if it may execute.
    pub(crate) fn is_ready(&self) -> bool {
        self.doing == Doing::Ready
    }
}

/// State of a processor.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiveCpu {
    /// Job that should run here, as last recorded; it may have ended or be suspended by now.
    pub linked: Option<JobId>,
    /// Job that occupies the processor.
    pub occupant: Option<JobId>,
    /// Overhead that occupies the processor, and its begin. Inter-processor interrupts do not occupy a processor.
    pub overhead: Option<(OverheadKind, Instant)>,
    /// Begin of the processor's present state.
    pub since: Instant,
}

/// State of a task.
#[derive(Clone, Debug, Default)]
pub struct LiveTask {
    /// Live jobs of the task, the oldest first.
    pub jobs: VecDeque<LiveJob>,
    /// Number of the last job that was completed or given up.
    pub last_done: Option<u32>,
    /// True if jobs arrived twice or out of order, as only in wrong traces.
    unordered: bool,
}

impl LiveTask {
    /// Returns the place of the job among the live ones. A late task may have very many.
    fn place(&self, id: JobId) -> Option<usize> {
        if self.unordered {
            return self.jobs.iter().position(|job| job.id == id);
        }
        self.jobs.binary_search_by_key(&id.number, |job| job.id.number).ok()
    }

    fn arrive(&mut self, job: LiveJob) {
        self.unordered |= self.jobs.back().is_some_and(|last| last.id.number >= job.id.number);
        self.jobs.push_back(job);
    }

    fn end(&mut self, id: JobId) {
        if self.unordered {
            self.jobs.retain(|job| job.id != id);
        } else if let Some(place) = self.place(id) {
            self.jobs.remove(place);
        }
        self.last_done = self.last_done.max(Some(id.number));
    }
}

/// The state of a system at a point of its trace.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The error of measured times.
    pub tolerance: Duration,
    /// The time of the last record.
    pub now: Instant,
    /// All tasks seen so far.
    pub tasks: Vec<LiveTask>,
    /// All processors seen so far, at least those of the context.
    pub cpus: Vec<LiveCpu>,
    /// Held units of resources, with their holders, in order of acquisition.
    pub holdings: Vec<(ResourceId, JobId, u32)>,
}

impl Scene {
    /// The scene before the first record.
    pub(crate) fn new(context: &Context) -> Self {
        let cpus = vec![LiveCpu::default(); context.clusters.len()];
        Scene { tolerance: context.tolerance, cpus, ..Scene::default() }
    }

    /// A live job.
    #[inline]
    pub(crate) fn job(&self, id: JobId) -> Option<&LiveJob> {
        let task = self.tasks.get(id.task.index())?;
        // Nearly always it is the only one.
        task.jobs.front().filter(|job| job.id == id).or_else(|| Some(&task.jobs[task.place(id)?]))
    }

    #[inline]
    fn job_mut(&mut self, id: JobId) -> Option<&mut LiveJob> {
        let task = self.tasks.get_mut(id.task.index())?;
        if task.jobs.front().is_some_and(|job| job.id == id) {
            return task.jobs.front_mut();
        }
        let place = task.place(id)?;
        Some(&mut task.jobs[place])
    }

    /// True if the job was completed or given up.
    pub(crate) fn is_done(&self, id: JobId) -> bool {
        let last = self.tasks.get(id.task.index()).and_then(|task| task.last_done);
        last.is_some_and(|last| id.number <= last) && self.job(id).is_none()
    }

    /// A processor.
    pub(crate) fn cpu(&self, cpu: CpuId) -> LiveCpu {
        self.cpus.get(cpu.index()).copied().unwrap_or_default()
    }

    /// The ready job that should run on `cpu`.
    pub(crate) fn linked(&self, cpu: CpuId) -> Option<&LiveJob> {
        self.job(self.cpu(cpu).linked?).filter(|job| job.is_ready())
    }

    /// The processor to which the job is linked.
    pub(crate) fn link_of(&self, job: JobId) -> Option<CpuId> {
        let index = self.cpus.iter().position(|cpu| cpu.linked == Some(job))?;
        Some(CpuId(index as u16))
    }

    /// The processor that the job occupies. A job may whose arrival was not read, if reading began later.
    pub(crate) fn place_of(&self, job: JobId) -> Option<CpuId> {
        if let Some(live) = self.job(job) {
            return live.on;
        }
        let index = self.cpus.iter().position(|cpu| cpu.occupant == Some(job))?;
        Some(CpuId(index as u16))
    }

    /// The service that a live job has received at `at`.
    pub(crate) fn service(&self, job: &LiveJob, at: Instant) -> Work {
        let Some(cpu) = job.on.map(|cpu| self.cpu(cpu)) else { return job.service };
        let served = cpu.occupant == Some(job.id) && cpu.overhead.is_none() && job.spinning.is_none();
        let running = if served { at.saturating_since(cpu.since) } else { Duration::ZERO };
        plus(job.service, running)
    }

    /// Returns the holders of `resource`, without repetition, in order of acquisition.
    pub(crate) fn holders(&self, resource: ResourceId) -> Vec<JobId> {
        let mut holders = Vec::new();
        for (held, job, _) in &self.holdings {
            if *held == resource && !holders.contains(job) {
                holders.push(*job);
            }
        }
        holders
    }

    /// Returns the units that are held of `resource`, by all and by `job`.
    pub(crate) fn units_held(&self, resource: ResourceId, job: JobId) -> (u64, u64) {
        let of_resource = self.holdings.iter().filter(|(held, _, _)| *held == resource);
        of_resource.fold((0, 0), |(all, own), (_, holder, units)| {
            let units = u64::from(*units);
            (all + units, own + if *holder == job { units } else { 0 })
        })
    }

    /// Lets `record` happen.
    pub(crate) fn apply(&mut self, at: Instant, record: &Record) {
        self.now = self.now.max(at);
        match *record {
            Record::Arrival { job, absolute_deadline, cost } => self.arrive(at, job, absolute_deadline, cost),
            Record::Ready { job, priority, cluster } => self.make_ready(job, priority, cluster),
            Record::Link { cpu, job } => self.cpu_mut(cpu).linked = job,
            Record::Dispatch { cpu, job } => self.dispatch(cpu, job),
            Record::Preempt { job, .. } => self.leave(job),
            Record::Suspend { job, reason } => {
                self.leave(job);
                self.change(job, |live| live.doing = Doing::Suspended(reason));
            }
            Record::Resume { job } => self.change(job, |live| live.doing = Doing::Ready),
            Record::Priority { job, priority } => self.change(job, |live| live.priority = Some(priority)),
            Record::NpEnter { job } => {
                self.change(job, |live| live.np_depth = live.np_depth.saturating_add(1))
            }
            Record::NpExit { job } => {
                self.change(job, |live| live.np_depth = live.np_depth.saturating_sub(1))
            }
            Record::Spin { job, resource } => self.spin(job, Some(resource), false),
            Record::Delay { job, resource } => self.spin(job, Some(resource), true),
            Record::Attempt { job, .. } => self.attempt(job, Some),
            Record::Retry { job, .. } => self.retry(job),
            Record::Commit { job, .. } => self.attempt(job, |_| None),
            Record::Acquire { job, resource, units } => {
                self.spin(job, None, false);
                self.holdings.push((resource, job, units));
            }
            Record::Release { job, resource, units } => self.give_back(job, resource, units),
            Record::Move { job, cluster } => self.change(job, |live| live.cluster = cluster),
            Record::OverheadBegin { cpu, kind, .. } => self.overhead(cpu, kind, true),
            Record::OverheadEnd { cpu, kind } => self.overhead(cpu, kind, false),
            Record::Abort { job } | Record::Complete { job } => self.end(job),
            about![Request, Budget, GiveUp, Miss, quanta, servers, tasks, trace] => {}
        }
    }

    fn task_mut(&mut self, task: TaskId) -> &mut LiveTask {
        if task.index() >= self.tasks.len() {
            self.tasks.resize_with(task.index() + 1, LiveTask::default);
        }
        &mut self.tasks[task.index()]
    }

    fn cpu_mut(&mut self, cpu: CpuId) -> &mut LiveCpu {
        if cpu.index() >= self.cpus.len() {
            self.cpus.resize(cpu.index() + 1, LiveCpu::default());
        }
        &mut self.cpus[cpu.index()]
    }

    fn arrive(&mut self, arrival: Instant, id: JobId, absolute_deadline: Instant, cost: Work) {
        let job = LiveJob { id, arrival, absolute_deadline, cost, ..LiveJob::default() };
        self.task_mut(id.task).arrive(job);
    }

    fn make_ready(&mut self, id: JobId, priority: Priority, cluster: ClusterId) {
        if self.job(id).is_none() && !self.is_done(id) {
            // The producer does not know arrivals, or reading began later: the job arrives when it is ready.
            let on = self.place_of(id);
            self.arrive(self.now, id, Instant::NEVER, Work::ZERO);
            self.change(id, |job| job.on = on);
        }
        self.change(id, |job| {
            job.doing = Doing::Ready;
            job.priority = Some(priority);
            job.base = job.base.or(Some(priority));
            job.cluster = cluster;
        });
    }

    fn change(&mut self, id: JobId, how: impl FnOnce(&mut LiveJob)) {
        if let Some(job) = self.job_mut(id) {
            how(job);
        }
    }

    /// Counts the service that the occupant of `cpu` has received up to now.
    fn settle(&mut self, cpu: CpuId) {
        let now = self.now;
        let live = self.cpu_mut(cpu);
        let (since, state) = (core::mem::replace(&mut live.since, now), *live);
        let Some(occupant) = state.occupant.filter(|_| state.overhead.is_none()) else { return };
        self.change(occupant, |job| {
            if job.spinning.is_none() {
                job.service = plus(job.service, now.saturating_since(since));
            }
        });
    }

    /// Counts the service that a job has received up to now, wherever it is.
    fn settle_job(&mut self, job: JobId) {
        if let Some(cpu) = self.job(job).and_then(|live| live.on) {
            self.settle(cpu);
        }
    }

    fn dispatch(&mut self, cpu: CpuId, job: JobId) {
        self.leave(job);
        self.settle(cpu);
        self.cpu_mut(cpu).occupant = Some(job);
        self.change(job, |live| live.on = Some(cpu));
    }

    fn leave(&mut self, job: JobId) {
        let Some(cpu) = self.place_of(job) else { return };
        self.settle(cpu);
        let live = self.cpu_mut(cpu);
        if live.occupant == Some(job) {
            live.occupant = None;
        }
        self.change(job, |live| live.on = None);
    }

    fn spin(&mut self, job: JobId, resource: Option<ResourceId>, delayed: bool) {
        self.settle_job(job);
        self.change(job, |live| (live.spinning, live.delayed) = (resource, delayed));
    }

    /// Begins or ends an attempt on a lock-free object.
    fn attempt(&mut self, job: JobId, since: impl FnOnce(Work) -> Option<Work>) {
        self.settle_job(job);
        self.change(job, |live| live.attempt = since(live.service));
    }

    /// Removes the work of a failed attempt from the job's service.
    fn retry(&mut self, job: JobId) {
        self.settle_job(job);
        self.change(job, |live| live.service = live.attempt.unwrap_or(live.service));
    }

    fn give_back(&mut self, job: JobId, resource: ResourceId, units: u32) {
        let mut left = units;
        self.holdings.retain_mut(|(held, holder, amount)| {
            if *held == resource && *holder == job {
                let taken = left.min(*amount);
                (*amount, left) = (*amount - taken, left - taken);
            }
            *amount > 0
        });
    }

    fn overhead(&mut self, cpu: CpuId, kind: OverheadKind, begins: bool) {
        if kind == OverheadKind::Ipi {
            return;
        }
        self.settle(cpu);
        let now = self.now;
        let live = self.cpu_mut(cpu);
        live.overhead = begins.then_some((kind, now));
    }

    fn end(&mut self, id: JobId) {
        self.leave(id);
        self.task_mut(id.task).end(id);
        self.holdings.retain(|(_, holder, _)| *holder != id);
    }
}

/// Returns the service after `time` more, saturating: in a trace that contradicts itself it may exceed all time.
fn plus(service: Work, time: Duration) -> Work {
    Work::from_ns(service.as_ns().saturating_add(time.as_ns()))
}
