//! What would have been without overheads if each job had needed what it took in a real run: the time for which it was scheduled, as
//! far as the kernel accounts for it.
//!
//! A job that finds its processor taken for a moment ends later. That moment may change which job is begun next, and where
//! jobs are not preempted, or where more urgent ones arrive just then, others wait for far longer than the moment. Such a miss is found
//! here: the simulation of the same policy with these costs has it too, and the one with the costs themselves has not.

use crate::jobs::{Jobs, Ran};
use schedlab_lab::Prepared;
use schedlab_model::{Duration, Instant, JobId, JobSource, NextJob, Step, TaskId, Work};
use schedlab_runtime::Outcome;
use schedlab_trace::{Record, SuspendReason};
use std::collections::BTreeMap;

/// A job as it was recorded, so far.
#[derive(Default)]
struct Life {
    steps: Vec<Step>,
    /// It has executed for so long since its last other step.
    executed: Duration,
    /// It is scheduled.
    is_scheduled: bool,
    /// It waits on its processor.
    spins: bool,
    /// Until then its time is accounted for.
    at: Instant,
    suspended: Option<Instant>,
    /// So many requests are not given back.
    requests: u32,
    /// Non-preemptive sections that a protocol began.
    np_of_protocol: u32,
    is_done: bool,
}

impl Life {
    fn account(&mut self, now: Instant) {
        if self.is_scheduled && !self.spins {
            self.executed += now - self.at;
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
            Record::Dispatch { .. } => self.is_scheduled = true,
            Record::Preempt { .. } => self.is_scheduled = false,
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
            Record::NpEnter { .. } if self.requests > 0 => self.np_of_protocol += 1,
            Record::NpEnter { .. } => self.step(Step::NpEnter),
            Record::NpExit { .. } if self.np_of_protocol > 0 && self.requests == 0 => {
                self.np_of_protocol -= 1;
            }
            Record::NpExit { .. } => self.step(Step::NpExit),
            Record::Complete { .. } | Record::Abort { .. } => {
                self.is_scheduled = false;
                self.is_done = true;
            }
            _ => {}
        }
    }

    /// Its steps, of which it executes `most` at most; one that was not completed has `rest` to do.
    fn program(mut self, end: Instant, most: Duration, rest: Duration) -> Vec<Step> {
        self.account(end);
        if !self.is_done {
            self.executed += rest;
        }
        let total: Duration = executed(&self.steps) + self.executed;
        self.steps.push(Step::Execute(Work::from_ns(self.executed.as_ns())));
        let mut excess = total.as_ns().saturating_sub(most.as_ns());
        for step in self.steps.iter_mut().rev() {
            if let Step::Execute(work) = step {
                let less = excess.min(work.as_ns());
                *work -= Work::from_ns(less);
                excess -= less;
            }
        }
        self.steps
    }
}

fn executed(steps: &[Step]) -> Duration {
    let length = |step: &Step| if let Step::Execute(work) = step { work.as_ns() } else { 0 };
    Duration::from_ns(steps.iter().map(length).sum())
}

/// The jobs of a run, as a simulation may have them again.
pub struct Lived {
    /// What the run drew its jobs from.
    drawn: Box<dyn JobSource + Send>,
    programs: BTreeMap<JobId, Vec<Step>>,
    /// By task: its next job.
    next: Vec<u32>,
}

impl Lived {
    /// The jobs of `outcome`, which are `jobs`.
    pub fn of(prepared: &Prepared, outcome: &Outcome, jobs: &Jobs) -> Result<Self, String> {
        let mut lives: BTreeMap<JobId, Life> = BTreeMap::new();
        for (at, record) in &outcome.decisions {
            if let Some(job) = record.job() {
                lives.entry(job).or_default().happen(*at, record);
            }
        }
        let taken = jobs.taken(outcome);
        let end = outcome.end();
        let program = |(id, job): (&JobId, &Ran)| {
            let cost = Duration::from_ns(job.cost);
            let taken = Duration::from_ns(taken.get(id).copied().unwrap_or(0));
            let unfinished = if job.complete { Duration::ZERO } else { cost };
            let life = lives.remove(id).unwrap_or_default();
            (*id, life.program(end, cost + taken + unfinished, cost))
        };
        let programs = jobs.iter().map(program).collect();
        let drawn = prepared.source().map_err(|error| error.to_string())?;
        Ok(Lived { drawn, programs, next: vec![0; prepared.tasks.len()] })
    }
}

impl JobSource for Lived {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let next = self.drawn.next_job(task, program)?;
        let number = &mut self.next[task.index()];
        let lived = self.programs.remove(&JobId::new(task, *number))?;
        *number += 1;
        let cost = Work::from_ns(executed(&lived).as_ns());
        *program = lived;
        Some(NextJob { cost, ..next })
    }
}
