//! The jobs of a real run, simulated without overheads: once with the costs that they drew, once with reconstructed
//! costs (see [`crate::jobs::reconstructed`]), of which lost time is a part. Both say what lost time made of the run.
//!
//! A utility-accrual scheduler in overload chooses other jobs when a cost differs by a moment, so that no simulation
//! says which. A job that its decisions had let execute for less than its cost by its deadline misses by the schedule
//! itself, any other by lost time, if there was any.

use crate::jobs::arrived::Arrived;
use crate::jobs::reconstructed::Reconstructed;
use crate::jobs::taken::{mostly, Taken, Taker};
use crate::jobs::Jobs;
use crate::trace::real_run::RealRun;
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::{Instant, JobId, JobSource};
use schedlab_sim::{simulate, Setup};
use schedlab_trace::{about, Record, Timeline};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Reason why a job missed its deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The job also misses in a simulation without overheads, or a utility-accrual scheduler chose others.
    Schedule,
    /// The job's tardiness is no more than the lost time, most of which was taken by this one.
    LostTime(Taker),
    /// The job's tardiness is more than the lost time: the same decisions, shifted by the losses, made it late. Most
    /// was taken by this one.
    ShiftedDecisions(Taker),
    /// None of the other reasons applies.
    Unexplained,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Schedule => f.write_str("the schedule itself"),
            Cause::LostTime(most) => write!(f, "lost time, mostly to {most}"),
            Cause::ShiftedDecisions(most) => write!(f, "decisions that lost time shifted, mostly to {most}"),
            Cause::Unexplained => f.write_str("nothing that the kernel saw: UNEXPLAINED"),
        }
    }
}

/// Simulations of a run's jobs without overheads.
#[derive(Default)]
pub(crate) struct Simulated {
    /// Outcomes with the costs that the jobs drew.
    pub drawn: Outcomes,
    /// Outcomes with the jobs' reconstructed costs.
    pub reconstructed: Outcomes,
    /// For jobs that missed in the run itself, under a utility-accrual scheduler: whether it chose others.
    passed_over: BTreeMap<JobId, bool>,
}

/// Outcomes of the jobs of one simulation.
#[derive(Default)]
pub(crate) struct Outcomes {
    /// Jobs that missed their deadlines.
    missed: BTreeSet<JobId>,
    /// Response of each job in ns; for a job that is not complete, its time until the end.
    responses: BTreeMap<JobId, u64>,
}

impl Simulated {
    /// Simulates the jobs of `run`, which are `jobs`.
    pub(crate) fn of(prepared: &Prepared, run: &RealRun, jobs: &Jobs) -> Result<Self, PrepareError> {
        let drawn = Outcomes::of(prepared, run.end(), Arrived::of(prepared, run)?)?;
        let reconstructed = Outcomes::of(prepared, run.end(), Reconstructed::of(prepared, run, jobs)?)?;
        Ok(Simulated { drawn, reconstructed, passed_over: jobs.passed_over(prepared, run) })
    }

    /// Returns the reason why `job` missed its deadline by `tardiness`, in ns; `taken` is the time that was taken since
    /// its processors were last idle.
    pub(crate) fn cause(&self, job: JobId, tardiness: u64, taken: &Taken) -> Cause {
        if self.drawn.missed.contains(&job) {
            return Cause::Schedule;
        }
        let lost: u64 = taken.values().sum();
        let is_passed_over = self.passed_over.get(&job).copied();
        let counts = self.reconstructed.missed.contains(&job) || is_passed_over == Some(false);
        match mostly(taken).filter(|_| counts).cloned() {
            None if is_passed_over == Some(true) => Cause::Schedule,
            None => Cause::Unexplained,
            Some(most) if tardiness <= lost => Cause::LostTime(most),
            Some(most) => Cause::ShiftedDecisions(most),
        }
    }
}

impl Outcomes {
    /// Returns the response of `job` in ns; 0 if it did not arrive.
    pub(crate) fn response(&self, job: JobId) -> u64 {
        self.responses.get(&job).copied().unwrap_or(0)
    }

    /// Simulates the jobs of `source` without overheads until `horizon`.
    fn of(prepared: &Prepared, horizon: Instant, source: impl JobSource) -> Result<Self, PrepareError> {
        let setup = Setup { horizon, ..prepared.real_setup() };
        let (policies, locks) = (prepared.policies()?, prepared.real_locks()?);
        let mut timeline = Timeline::default();
        simulate(setup, policies, locks, source, &mut timeline);
        let mut outcomes = Outcomes::default();
        let mut arrivals = BTreeMap::new();
        for (at, record) in &timeline.records {
            match record {
                Record::Arrival { job, .. } => _ = arrivals.insert(*job, *at),
                Record::Miss { job } => _ = outcomes.missed.insert(*job),
                Record::Complete { job } | Record::Abort { job } => {
                    let arrival = arrivals.remove(job).unwrap_or(*at);
                    outcomes.responses.insert(*job, at.saturating_since(arrival).as_ns());
                }
                about![Ready, GiveUp, places, urgencies, requests, attempts, machine] => {}
            }
        }
        let unfinished = |(job, arrival): (JobId, Instant)| (job, horizon.saturating_since(arrival).as_ns());
        outcomes.responses.extend(arrivals.into_iter().map(unfinished));
        Ok(outcomes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::TaskId;

    /// Losses elsewhere add up to any tardiness; they explain a miss only if the job is late because of them.
    #[test]
    fn what_was_lost_must_make_the_job_late() {
        let (job, taken) = (JobId::new(TaskId(0), 0), Taken::from([(Taker::Way, 700)]));
        let reconstructed = Outcomes { missed: BTreeSet::from([job]), ..Outcomes::default() };
        let late = Simulated { reconstructed, ..Simulated::default() };
        assert_eq!(Simulated::default().cause(job, 700, &taken), Cause::Unexplained);
        assert_eq!(late.cause(job, 700, &taken), Cause::LostTime(Taker::Way));
        assert_eq!(late.cause(job, 701, &taken), Cause::ShiftedDecisions(Taker::Way));
        let nothing_lost = late.cause(job, 701, &Taken::new());
        assert_eq!(nothing_lost, Cause::Unexplained, "nothing was lost that could have shifted a decision");
    }
}
