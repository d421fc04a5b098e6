//! Reconstructed costs: the time for which each job of a real run was scheduled and did not wait for a resource, as far
//! as the kernel accounts for it. A simulation without overheads, with these costs, shows what would have happened. The
//! kernel accounts for time in which it ran the job's thread, or says which other thread was there, or that none was.
//!
//! A job that finds its processor taken for a moment ends later. That moment may change which job is begun next, and
//! where jobs are not preempted, or where more urgent ones arrive just then, others wait for far longer than the
//! moment. The simulation of the same policy with these costs has such a miss too; the one with the costs has not.
//!
//! Where threads wake up by themselves, one that was late was released late, and so is its job in the simulation.
//!
//! A job that was not complete at the end of the run has the rest of its program to do: as long as its thread went on
//! after the end, or what is missing to its cost if that is more. So has one that was given up, without its handler.

use crate::jobs::arrived::Arrived;
use crate::jobs::covered::Covered;
use crate::jobs::possible::can_be;
use crate::jobs::services::{Service, Services};
use crate::jobs::{Jobs, Ran};
use crate::trace::real_run::RealRun;
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::{Duration, Instant, JobId, JobSource, NextJob, ResourceId, Step, TaskId, Work};
use schedlab_trace::{about, Record, SuspendReason};
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// State of a job, as far as its records were read.
struct Life<'a> {
    /// The time that the kernel accounts for.
    accounted: &'a Covered,
    /// Time after which events no longer belong to the job.
    until: Instant,
    steps: Vec<Step>,
    /// Execution time since the last other step.
    executed: Duration,
    /// True if the job is scheduled.
    is_scheduled: bool,
    /// True if the job waits on its processor.
    spins: bool,
    /// Time up to which the job's execution is accounted for.
    at: Instant,
    suspended: Option<Instant>,
    /// Number of requests that are not given back yet.
    requests: u32,
    /// Places of the steps that begin non-preemptive sections within others. A section that also ends there is the
    /// job's own; the protocol's end with the outer one.
    inner: Vec<usize>,
    has_begun: bool,
    is_done: bool,
}

impl<'a> Life<'a> {
    fn new(accounted: &'a Covered, until: Instant) -> Self {
        Life {
            accounted,
            until,
            steps: Vec::new(),
            executed: Duration::ZERO,
            is_scheduled: false,
            spins: false,
            at: Instant::ZERO,
            suspended: None,
            requests: 0,
            inner: Vec::new(),
            has_begun: false,
            is_done: false,
        }
    }

    fn account(&mut self, now: Instant) {
        let now = now.min(self.until);
        if self.is_scheduled && !self.spins {
            self.executed += self.accounted.within(self.at, now);
        }
        self.at = now;
    }

    fn step(&mut self, step: Step) {
        let executed = std::mem::take(&mut self.executed);
        if executed > Duration::ZERO {
            self.steps.push(Step::Execute(Work::from_ns(executed.as_ns())));
        }
        self.steps.push(step);
    }

    fn happen(&mut self, now: Instant, record: &Record) {
        self.account(now);
        match *record {
            Record::Dispatch { .. } => {
                self.is_scheduled = true;
                self.has_begun = true;
            }
            Record::Preempt { .. } | Record::Abort { .. } => self.is_scheduled = false,
            Record::Suspend { reason, .. } => {
                self.is_scheduled = false;
                self.suspended = (reason == SuspendReason::Itself).then_some(now);
            }
            Record::Resume { .. } => {
                if let Some(since) = self.suspended.take() {
                    self.step(Step::Suspend(now - since));
                }
            }
            Record::Spin { .. } | Record::Delay { .. } => self.spins = true,
            Record::Acquire { .. } => self.spins = false,
            Record::Request { resource, units, .. } => {
                self.requests += 1;
                self.step(Step::Request(resource, units));
            }
            Record::Release { resource, units, .. } => {
                self.requests = self.requests.saturating_sub(1);
                self.step(Step::Release(resource, units));
            }
            // Attempts that failed are execution: the object said so, and the simulation's attempts succeed.
            Record::Commit { resource, .. } => {
                self.requests = self.requests.saturating_sub(1);
                self.step(Step::Release(resource, 1));
            }
            Record::NpEnter { .. } => {
                self.step(Step::NpEnter);
                if self.requests > 0 {
                    self.inner.push(self.steps.len() - 1);
                }
            }
            Record::NpExit { .. } => match self.inner.pop() {
                Some(begin) if self.requests == 0 => self.was_not_its_own(begin),
                _ => self.step(Step::NpExit),
            },
            Record::Complete { .. } => (self.is_scheduled, self.is_done) = (false, true),
            about![Arrival, Ready, GiveUp, Miss, Link, Move, Priority, Budget, Attempt, Retry, machine] => {}
        }
    }

    /// Takes for how long the job of a server has executed since it was asked last: for one section, or for none.
    fn take_service(&mut self, now: Instant) -> Duration {
        self.account(now);
        std::mem::take(&mut self.executed)
    }

    /// Adds the section for which the job has asked last, and which a server has executed for this long.
    fn was_served(&mut self, resource: ResourceId, units: u32, length: Duration) {
        self.requests = self.requests.saturating_sub(1);
        self.steps.push(Step::Execute(Work::from_ns(length.as_ns())));
        self.steps.push(Step::Release(resource, units));
    }

    /// Removes the non-preemptive section that begins at this step, because it is the protocol's: the simulation has
    /// its own.
    fn was_not_its_own(&mut self, begin: usize) {
        self.steps[begin] = Step::Execute(Work::ZERO);
    }

    /// Returns the steps that the job did until `end`; if it was not completed, it has `rest` to do.
    fn past(mut self, end: Instant, rest: Duration) -> Past {
        self.account(end);
        while let Some(begin) = self.inner.pop() {
            self.was_not_its_own(begin);
        }
        self.steps.push(Step::Execute(Work::from_ns(self.executed.as_ns())));
        Past { steps: self.steps, rest: (!self.is_done).then_some(rest) }
    }
}

/// Steps that a job did.
struct Past {
    steps: Vec<Step>,
    /// Time that the job had still to execute, if it was not completed.
    rest: Option<Duration>,
}

impl Past {
    /// Returns all steps of the job, whose program in the scenario is `drawn`: its remaining steps take as long as the
    /// rest.
    fn program(self, drawn: &[Step]) -> Vec<Step> {
        let Past { mut steps, rest } = self;
        let Some(rest) = rest else { return steps };
        let mut rest = Work::from_ns(rest.as_ns());
        let mut left = left_of(drawn, &steps).to_vec();
        for step in left.iter_mut().rev() {
            if let Step::Execute(work) = step {
                *work = rest.min(*work);
                rest -= *work;
            }
        }
        steps.push(Step::Execute(rest));
        steps.extend(left);
        steps
    }
}

/// Returns the steps of `drawn` that come after the steps that are `done`. Sections that no decision met have no
/// record, and are skipped.
fn left_of<'a>(drawn: &'a [Step], done: &[Step]) -> &'a [Step] {
    let is_like = |drawn: &Step, done: &Step| match (drawn, done) {
        (Step::Suspend(_), Step::Suspend(_)) => true,
        (Step::Execute(_), _) => false,
        _ => drawn == done,
    };
    done.iter().fold(drawn, |left, done| {
        let place = left.iter().position(|drawn| is_like(drawn, done));
        place.map_or(left, |place| &left[place + 1..])
    })
}

fn executed(steps: &[Step]) -> Work {
    let length = |step: &Step| if let Step::Execute(work) = step { work.as_ns() } else { 0 };
    Work::from_ns(steps.iter().map(length).sum())
}

/// The jobs of a run, as a simulation may repeat them.
pub(crate) struct Reconstructed {
    /// Source of the run's jobs, with the costs that they drew.
    drawn: Arrived,
    pasts: BTreeMap<JobId, Past>,
    /// When the jobs were ready that were released late.
    late: BTreeMap<JobId, Instant>,
    /// By task: number of its next job.
    next: Vec<u32>,
    /// By resource: number of units.
    units: Vec<u32>,
}

/// By task: the time that the kernel accounts for.
pub(crate) fn accounted(run: &RealRun) -> Vec<Covered> {
    let mut by_task = run.executed();
    for lost in run.lost() {
        by_task[lost.task.index()].push((lost.from, lost.to));
    }
    by_task.into_iter().map(Covered::of).collect()
}

impl Reconstructed {
    /// Reconstructs the jobs of `run`, which are `jobs`.
    pub(crate) fn of(prepared: &Prepared, run: &RealRun, jobs: &Jobs) -> Result<Self, PrepareError> {
        let accounted = accounted(run);
        let life = |(job, ran): (&JobId, &Ran)| (*job, Life::new(&accounted[job.task.index()], ran.until));
        let mut lives: BTreeMap<JobId, Life<'_>> = jobs.iter().map(life).collect();
        let mut services = Services::of(prepared);
        for (at, record) in &run.decisions {
            let service = services.read(record);
            let life = record.job().and_then(|job| lives.get_mut(&job));
            let Some(life) = life.filter(|life| *at <= life.until) else { continue };
            let Some(service) = service else {
                life.happen(*at, record);
                continue;
            };
            let length = life.take_service(*at);
            if let Service::Ends(client, resource, units) = service {
                if let Some(client) = client.and_then(|client| lives.get_mut(&client)) {
                    client.was_served(resource, units, length);
                }
            }
        }
        let executed = jobs.executed(run);
        let past = |(id, life): (JobId, Life<'_>)| {
            let went_on = life.has_begun && !jobs.get(id).is_given_up;
            let afterwards = if went_on { run.afterwards[id.task.index()].as_ns() } else { 0 };
            let missing = jobs.get(id).cost.saturating_sub(executed[&id].ns);
            (id, life.past(run.end(), Duration::from_ns(afterwards.max(missing).max(1))))
        };
        let pasts = lives.into_iter().map(past).collect();
        let drawn = Arrived::of(prepared, run)?;
        let units = prepared.resources.iter().map(|resource| resource.units).collect();
        let late = jobs.late_releases(run).into_iter().map(|late| (late.job, late.ready)).collect();
        Ok(Reconstructed { drawn, pasts, late, next: vec![0; prepared.tasks.len()], units })
    }
}

impl JobSource for Reconstructed {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let next = self.drawn.next_job(task, program)?;
        let number = &mut self.next[task.index()];
        let job = JobId::new(task, *number);
        let past = self.pasts.remove(&job)?;
        let release = self.late.get(&job).copied().unwrap_or(next.release);
        *number += 1;
        let reconstructed = past.program(program);
        if can_be(&reconstructed, program, &self.units) {
            *program = reconstructed;
        }
        Some(NextJob { release, cost: executed(program), ..next })
    }
}
