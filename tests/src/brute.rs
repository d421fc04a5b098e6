//! A simulator written from the definitions alone: at each instant it works out from scratch who is
//! ready, who should run and who does. Slow, and shares nothing with `policy` and `sim` but `model`.
//!
//! * A job is ready from its release on, once the task's job before is complete, unless it suspends itself.
//! * Under a preemptive scheduler the m most urgent ready jobs of a cluster are linked to its m
//!   processors; under a non-preemptive one linked jobs stay, and the most urgent others fill idle processors.
//! * Who was linked stays where it is. A newly linked job goes to the processor it executed on last if
//!   that is free; otherwise to the lowest free one, and if it is still scheduled elsewhere, the two
//!   processors swap their links.
//! * A processor makes its link true at once, unless the job it executes is in a non-preemptive section.
//! * Arrivals are noticed at once, or at ticks, if all processors have them at the same times.
//! * What takes no time is done at once by a job that has a processor, before any decision.

use crate::system::{Order, System};
use schedlab_model::{Alignment, JobId, JobSource, ReleasePoint, Step, TaskId};

/// What happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Who is complete when, by job.
    pub completions: Vec<(JobId, u64)>,
    /// Who was late or will be, by job.
    pub misses: Vec<JobId>,
    /// From when on which job occupies each processor.
    pub occupied: Vec<(u64, Vec<Option<JobId>>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Able,
    SuspendedUntil(u64),
    Complete,
}

#[derive(Clone, Debug)]
struct Job {
    id: JobId,
    arrival: u64,
    release: u64,
    absolute_deadline: u64,
    /// What is left to do.
    steps: Vec<Step>,
    state: State,
    sections: u32,
}

struct Brute<'a> {
    system: &'a System,
    now: u64,
    /// By task and number.
    jobs: Vec<Vec<Job>>,
    last_cpu: Vec<Option<usize>>,
    /// By processor.
    linked: Vec<Option<JobId>>,
    scheduled: Vec<Option<JobId>>,
    schedule: Schedule,
}

/// Works out the schedule of `system` with jobs from `source`; overheads are ignored.
pub fn schedule(system: &System, source: impl JobSource) -> Schedule {
    let processors = usize::from(system.platform.processors());
    let mut brute = Brute {
        system,
        now: 0,
        jobs: all_jobs(system, source),
        last_cpu: vec![None; system.tasks.len()],
        linked: vec![None; processors],
        scheduled: vec![None; processors],
        schedule: Schedule::default(),
    };
    brute.run();
    brute.schedule
}

fn all_jobs(system: &System, mut source: impl JobSource) -> Vec<Vec<Job>> {
    let mut all = Vec::new();
    for (index, task) in system.tasks.iter().enumerate() {
        let mut jobs = Vec::new();
        loop {
            let mut steps = Vec::new();
            let next = source.next_job(TaskId(index as u32), &mut steps);
            let Some(next) = next.filter(|next| next.arrival < system.horizon && next.arrival < task.leave)
            else {
                break;
            };
            if steps.is_empty() {
                steps.push(Step::Execute(next.cost));
            }
            jobs.push(Job {
                id: JobId::new(TaskId(index as u32), jobs.len() as u32),
                arrival: next.arrival.as_ns(),
                release: noticed(system, next.release.as_ns()),
                absolute_deadline: next.arrival.as_ns() + task.relative_deadline.as_ns(),
                steps,
                state: State::Able,
                sections: 0,
            });
        }
        all.push(jobs);
    }
    all
}

/// When a release at `at` is noticed.
fn noticed(system: &System, at: u64) -> u64 {
    match system.platform.releases {
        ReleasePoint::Timer => at,
        ReleasePoint::Tick => at.next_multiple_of(system.platform.quantum.as_ns()),
    }
}

/// Whether the definitions here speak of `system`.
pub fn speaks_of(system: &System) -> bool {
    let timers = system.platform.releases == ReleasePoint::Timer;
    system.overheads.are_none() && (timers || system.platform.alignment == Alignment::Aligned)
}

impl Brute<'_> {
    fn run(&mut self) {
        let horizon = self.system.horizon.as_ns();
        loop {
            self.go_on_everywhere();
            if self.now == horizon {
                return self.settle();
            }
            self.wake_up();
            self.decide_until_nothing_changes();
            if self.schedule.occupied.last().map(|(_, who)| who) != Some(&self.scheduled) {
                self.schedule.occupied.push((self.now, self.scheduled.clone()));
            }
            let next = self.next_instant().min(horizon);
            self.execute_for(next - self.now);
            self.now = next;
        }
    }

    fn job(&self, id: JobId) -> &Job {
        &self.jobs[id.task.index()][id.number as usize]
    }

    fn job_mut(&mut self, id: JobId) -> &mut Job {
        &mut self.jobs[id.task.index()][id.number as usize]
    }

    fn everyone(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().flatten()
    }

    fn is_ready(&self, job: &Job) -> bool {
        let before = self.jobs[job.id.task.index()][..job.id.number as usize].last();
        job.state == State::Able
            && job.release <= self.now
            && before.is_none_or(|other| other.state == State::Complete)
    }

    /// Smaller goes first. Under fair lateness in parts of a nanosecond, one for each processor of the cluster.
    fn urgency(&self, job: &Job) -> (u64, JobId) {
        let task = &self.system.tasks[job.id.task.index()];
        let point = match self.system.order {
            Order::Edf => job.absolute_deadline,
            Order::Rm => task.period.as_ns(),
            Order::Dm => task.relative_deadline.as_ns(),
            Order::Fp => task.fixed_priority.into(),
            Order::Fifo => job.arrival,
            Order::Fl => {
                let m = self.system.platform.clusters[task.cluster.index()].cpus.len() as u64;
                let earlier = task.wcet.as_ns() * (m - 1);
                m * job.arrival + (m * task.relative_deadline.as_ns()).saturating_sub(earlier)
            }
        };
        (point, job.id)
    }

    fn go_on_everywhere(&mut self) {
        for cpu in 0..self.scheduled.len() {
            self.go_on(cpu);
        }
    }

    /// The job on `cpu` does all that takes no time.
    fn go_on(&mut self, cpu: usize) {
        let Some(id) = self.scheduled[cpu] else { return };
        let now = self.now;
        let job = self.job_mut(id);
        while let Some(step) = job.steps.first().copied() {
            match step {
                Step::Execute(work) if !work.is_zero() => return,
                Step::Execute(_) | Step::Serve(_) => {}
                Step::NpEnter => job.sections += 1,
                Step::NpExit => job.sections -= 1,
                Step::Suspend(length) => {
                    job.steps.remove(0);
                    job.state = State::SuspendedUntil(now + length.as_ns());
                    self.scheduled[cpu] = None;
                    return;
                }
                Step::Request(..) | Step::Release(..) => unreachable!("nothing is shared here"),
            }
            job.steps.remove(0);
        }
        job.state = State::Complete;
        let late = job.absolute_deadline < now;
        self.scheduled[cpu] = None;
        self.schedule.completions.push((id, now));
        if late {
            self.schedule.misses.push(id);
        }
    }

    fn wake_up(&mut self) {
        let now = self.now;
        for job in self.jobs.iter_mut().flatten() {
            if job.state == State::SuspendedUntil(now) {
                job.state = State::Able;
            }
        }
    }

    fn decide_until_nothing_changes(&mut self) {
        loop {
            for cluster in 0..self.system.platform.clusters.len() {
                self.link(cluster);
            }
            let Some(cpu) = (0..self.linked.len()).find(|&cpu| self.can_change(cpu)) else { return };
            self.scheduled[cpu] = self.linked[cpu];
            if let Some(job) = self.scheduled[cpu] {
                self.last_cpu[job.task.index()] = Some(cpu);
            }
            self.go_on(cpu);
        }
    }

    /// Whether `cpu` executes another job than the linked one and may change that now.
    fn can_change(&self, cpu: usize) -> bool {
        let yields = self.scheduled[cpu].is_none_or(|job| self.job(job).sections == 0);
        let elsewhere = self.linked[cpu].is_some() && self.scheduled.contains(&self.linked[cpu]);
        self.linked[cpu] != self.scheduled[cpu] && yields && !elsewhere
    }

    /// Who should run where in `cluster`.
    fn link(&mut self, cluster: usize) {
        let cpus: Vec<usize> =
            self.system.platform.clusters[cluster].cpus.iter().map(|cpu| cpu.index()).collect();
        let is_here = |job: &&Job| self.system.tasks[job.id.task.index()].cluster.index() == cluster;
        let mut ready: Vec<&Job> = self.everyone().filter(is_here).filter(|job| self.is_ready(job)).collect();
        ready.sort_by_key(|job| self.urgency(job));
        let was_linked = |job: &&Job| cpus.iter().any(|&cpu| self.linked[cpu] == Some(job.id));
        if !self.system.preemptive {
            // Stable: the linked ones come first, then the others by urgency.
            ready.sort_by_key(|job| !was_linked(job));
        }
        let chosen: Vec<JobId> = ready.iter().take(cpus.len()).map(|job| job.id).collect();
        let new: Vec<JobId> =
            ready.iter().take(cpus.len()).filter(|job| !was_linked(job)).map(|job| job.id).collect();
        for &cpu in &cpus {
            self.linked[cpu] = self.linked[cpu].filter(|job| chosen.contains(job));
        }
        self.place(&cpus, new);
    }

    /// Links `new`, by urgency, to processors without link.
    fn place(&mut self, cpus: &[usize], new: Vec<JobId>) {
        let mut elsewhere = Vec::new();
        for job in new {
            match self.last_cpu[job.task.index()] {
                Some(cpu) if self.linked[cpu].is_none() => self.linked[cpu] = Some(job),
                _ => elsewhere.push(job),
            }
        }
        for job in elsewhere {
            let free = *cpus.iter().find(|&&cpu| self.linked[cpu].is_none()).expect("as many as chosen");
            match self.scheduled.iter().position(|scheduled| *scheduled == Some(job)) {
                Some(cpu) => {
                    self.linked[free] = self.linked[cpu];
                    self.linked[cpu] = Some(job);
                }
                None => self.linked[free] = Some(job),
            }
        }
    }

    fn next_instant(&self) -> u64 {
        let of_job = |job: &Job| match job.state {
            State::Able if job.release > self.now => job.release,
            State::SuspendedUntil(at) => at,
            State::Able | State::Complete => u64::MAX,
        };
        let executes = |id: &JobId| match self.job(*id).steps.first() {
            Some(Step::Execute(work)) => self.now + work.as_ns(),
            _ => unreachable!("who is scheduled executes"),
        };
        let ends = self.scheduled.iter().flatten().map(executes);
        self.everyone().map(of_job).chain(ends).min().unwrap_or(u64::MAX)
    }

    fn execute_for(&mut self, elapsed: u64) {
        for cpu in 0..self.scheduled.len() {
            let Some(id) = self.scheduled[cpu] else { continue };
            if let Some(Step::Execute(work)) = self.job_mut(id).steps.first_mut() {
                *work = schedlab_model::Work::from_ns(work.as_ns() - elapsed);
            }
        }
    }

    /// At the end: who is not complete and ought to be has missed.
    fn settle(&mut self) {
        let late = |job: &&Job| job.state != State::Complete && job.absolute_deadline <= self.now;
        let misses: Vec<JobId> = self.everyone().filter(late).map(|job| job.id).collect();
        self.schedule.misses.extend(misses);
        self.schedule.misses.sort_unstable();
        self.schedule.completions.sort_unstable();
    }
}
