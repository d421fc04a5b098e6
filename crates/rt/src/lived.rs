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

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{CpuId, ResourceId};
    use schedlab_scenario::Scenario;

    const JOB: JobId = JobId { task: TaskId(0), number: 0 };
    const R: ResourceId = ResourceId(0);

    fn life(records: &[(u64, Record)]) -> Life {
        let mut life = Life::default();
        records.iter().for_each(|(at, record)| life.happen(Instant::from_ns(*at), record));
        life
    }

    fn execute(ns: u64) -> Step {
        Step::Execute(Work::from_ns(ns))
    }

    fn program(records: &[(u64, Record)], end: u64, most: u64, rest: u64) -> Vec<Step> {
        life(records).program(Instant::from_ns(end), Duration::from_ns(most), Duration::from_ns(rest))
    }

    const DISPATCH: Record = Record::Dispatch { cpu: CpuId(0), job: JOB };
    const PREEMPT: Record = Record::Preempt { cpu: CpuId(0), job: JOB };
    const REQUEST: Record = Record::Request { job: JOB, resource: R, units: 1 };
    const ACQUIRE: Record = Record::Acquire { job: JOB, resource: R, units: 1 };
    const RELEASE: Record = Record::Release { job: JOB, resource: R, units: 1 };
    const RESUME: Record = Record::Resume { job: JOB };
    const COMPLETE: Record = Record::Complete { job: JOB };

    fn suspend(reason: SuspendReason) -> Record {
        Record::Suspend { job: JOB, reason }
    }

    /// A job that is preempted, spins, enters sections by a protocol and by itself, and suspends itself.
    #[test]
    fn a_job_needs_what_it_executed_between_its_steps() {
        let records = [
            (10, DISPATCH),
            (20, PREEMPT),
            (30, DISPATCH),
            (35, REQUEST),
            (35, Record::NpEnter { job: JOB }),
            (35, Record::Spin { job: JOB, resource: R }),
            (45, ACQUIRE),
            (50, RELEASE),
            (50, Record::NpExit { job: JOB }),
            (55, Record::NpEnter { job: JOB }),
            (60, Record::NpExit { job: JOB }),
            (62, suspend(SuspendReason::Itself)),
            (70, RESUME),
            (71, DISPATCH),
            (75, COMPLETE),
        ];
        let steps = |lengths: [u64; 6]| {
            let [first, held, between, protected, after, last] = lengths.map(execute);
            let (request, release) = (Step::Request(R, 1), Step::Release(R, 1));
            let pause = Step::Suspend(Duration::from_ns(8));
            [
                first,
                request,
                held,
                release,
                between,
                Step::NpEnter,
                protected,
                Step::NpExit,
                after,
                pause,
                last,
            ]
        };
        assert_eq!(program(&records, 100, 1_000, 7), steps([15, 5, 5, 5, 2, 4]));
        assert_eq!(program(&records, 100, 36, 7), steps([15, 5, 5, 5, 2, 4]));
        assert_eq!(
            program(&records, 100, 31, 7),
            steps([15, 5, 5, 5, 1, 0]),
            "what is too much is cut from the end"
        );
    }

    /// Waiting for a grant or for a ceiling is not a step: the simulation has its own.
    #[test]
    fn a_job_that_waits_for_others_does_not_suspend_itself() {
        for reason in [SuspendReason::Resource(R), SuspendReason::Gate] {
            let records = [(0, DISPATCH), (5, suspend(reason)), (9, RESUME), (10, DISPATCH), (12, COMPLETE)];
            assert_eq!(program(&records, 20, 100, 7), [execute(7)], "{reason:?}");
        }
        let delayed =
            [(0, DISPATCH), (5, Record::Delay { job: JOB, resource: R }), (9, ACQUIRE), (12, COMPLETE)];
        assert_eq!(program(&delayed, 20, 100, 7), [execute(8)]);
    }

    /// A job that was not completed goes on until the end, and has the rest to do.
    #[test]
    fn an_unfinished_job_has_more_to_do() {
        let records = [(10, DISPATCH), (20, PREEMPT), (30, DISPATCH)];
        assert_eq!(program(&records, 34, 100, 7), [execute(21)]);
        assert_eq!(program(&records[..2], 34, 100, 7), [execute(17)]);
        let given_up = [(10, DISPATCH), (20, Record::Abort { job: JOB })];
        assert_eq!(program(&given_up, 34, 100, 7), [execute(10)]);
        assert_eq!(program(&[], 34, 100, 7), [execute(7)], "it never began");
    }

    /// What it executed and its whole cost once more are not cut to its cost.
    #[test]
    fn what_an_unfinished_job_has_to_do_is_not_too_much() {
        let text = "schedlab = 1\nscheduler = \"P-EDF\"\n[platform]\nprocessors = 1\n\
                    [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n";
        let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
        let at = |us: u64| Instant::from_ns(us * 1_000);
        let outcome = Outcome {
            decisions: vec![
                (at(0), Record::Arrival { job: JOB, absolute_deadline: at(10_000), cost: Work::ZERO }),
                (at(0), DISPATCH),
                (at(900), Record::End),
            ],
            processors: vec![0],
            threads: vec![7],
            witness: Some((Vec::new(), 0)),
            ..Outcome::default()
        };
        let jobs = Jobs::of(&prepared, &outcome).unwrap();
        let lived = Lived::of(&prepared, &outcome, &jobs).unwrap();
        let taken = jobs.taken(&outcome).get(&JOB).copied().unwrap_or(0);
        assert_eq!((taken, &lived.programs[&JOB]), (0, &vec![execute(1_900_000)]));
    }
}
