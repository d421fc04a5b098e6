//! Time that was taken from one job of a real run, and the reason why it missed its deadline.

use crate::jobs::misses::by_name;
use crate::jobs::simulated::{Cause, Simulated};
use crate::jobs::taken::{Taken, TakenTime};
use crate::jobs::{group_of, Jobs, Ran};
use crate::results::LostResult;
use crate::trace::real_run::RealRun;
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::{Duration, JobId};
use std::fmt;

/// Account of one job of a real run, besides its schedule.
#[derive(Debug)]
pub struct JobAccount {
    ran: Ran,
    /// Time that was taken since the job's processors were last idle.
    taken: Taken,
    /// Reason why the job missed its deadline; `None` if it met it.
    missed: Option<Cause>,
}

impl JobAccount {
    /// Accounts for `job`; `None` if the kernel was not asked, or the run has no such job.
    pub fn of(prepared: &Prepared, run: &RealRun, job: JobId) -> Result<Option<Self>, PrepareError> {
        // Where the kernel decides, no decision says which time was taken from the job.
        if run.switches.is_none() || run.backend.is_kernel() {
            return Ok(None);
        }
        let jobs = Jobs::of(prepared, run)?;
        let Some(ran) = jobs.iter().find_map(|(id, ran)| (*id == job).then_some(*ran)) else {
            return Ok(None);
        };
        let taken =
            TakenTime::of(prepared, run, &jobs).within(group_of(prepared, job), ran.busy_since, ran.until);
        let missed = if ran.missed {
            Some(Simulated::of(prepared, run, &jobs)?.cause(job, ran.tardiness(), &taken))
        } else {
            None
        };
        Ok(Some(JobAccount { ran, taken, missed }))
    }

    /// The account as plain values, for programs.
    pub fn result(&self) -> LostResult {
        LostResult {
            busy_since_ns: self.ran.busy_since.as_ns(),
            lost_ns: self.taken.values().sum(),
            lost_to_ns: by_name(&self.taken),
            missed_by: self.missed.as_ref().map(Cause::to_string),
        }
    }
}

/// Prints a line on the lost time, one for each thread that took it, and one on the miss if there was one.
impl fmt::Display for JobAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lost = Duration::from_ns(self.taken.values().sum());
        writeln!(f, "lost since its processors were last idle, at {}: {lost}", self.ran.busy_since)?;
        let rows: Vec<_> =
            self.taken.iter().map(|(taker, ns)| (Duration::from_ns(*ns).to_string(), taker)).collect();
        let width = rows.iter().map(|(length, _)| length.len()).max().unwrap_or(0);
        for (length, taker) in rows {
            writeln!(f, "  {length:>width$}  {taker}")?;
        }
        match &self.missed {
            Some(cause) => writeln!(f, "it missed its deadline by {cause}"),
            None => Ok(()),
        }
    }
}
