//! Searches for jobs in a trace: for the worst one, and for the time in which a job was pending.
//!
//! Jobs are forgotten once they have ended.

use crate::export::{JobRow, JobRows};
use schedlab_model::{Instant, JobId, TaskId};
use schedlab_trace::{Record, Sink};
use std::cmp::Reverse;

/// Looks for the job that was latest or came closest to its deadline; ties by task and number.
#[derive(Clone, Debug)]
pub struct WorstJob {
    rows: JobRows,
    best: Worst,
}

#[derive(Clone, Copy, Debug)]
struct Worst {
    of: Option<TaskId>,
    horizon: Instant,
    found: Option<(i128, Reverse<JobId>)>,
}

impl WorstJob {
    /// A search among the jobs of one task or of all, in a schedule that ends at `horizon`.
    pub fn new(of: Option<TaskId>, horizon: Instant) -> Self {
        WorstJob { rows: JobRows::default(), best: Worst { of, horizon, found: None } }
    }

    /// Returns the job; `None` if none was complete or late.
    pub fn finish(mut self) -> Option<JobId> {
        self.rows.finish().iter().for_each(|row| self.best.look_at(row));
        self.best.found.map(|(_, Reverse(job))| job)
    }
}

impl Worst {
    fn look_at(&mut self, row: &JobRow) {
        if self.of.is_some_and(|task| task != row.job.task) {
            return;
        }
        // A job that is not complete is as late as the schedule lets one see; before its deadline it says nothing.
        if row.completion.is_none() && row.absolute_deadline >= self.horizon {
            return;
        }
        let end = row.completion.unwrap_or(self.horizon);
        let lateness = i128::from(end.as_ns()) - i128::from(row.absolute_deadline.as_ns());
        self.found = self.found.max(Some((lateness, Reverse(row.job))));
    }
}

impl Sink for WorstJob {
    fn record(&mut self, at: Instant, record: Record) {
        self.rows.record(at, record);
        self.rows.take_ended().for_each(|row| self.best.look_at(&row));
    }
}

/// Looks for the time from the arrival of a job to its completion, or else to its deadline. If it has no deadline, the
/// time ends at the last record.
#[derive(Clone, Debug)]
pub struct TimeOfJob {
    rows: JobRows,
    job: JobId,
    found: Option<JobRow>,
    now: Instant,
}

impl TimeOfJob {
    /// A search for the time of `job`.
    pub fn new(job: JobId) -> Self {
        TimeOfJob { rows: JobRows::default(), job, found: None, now: Instant::ZERO }
    }

    /// True once the job has ended, so that later records do not matter.
    pub fn is_done(&self) -> bool {
        self.found.is_some()
    }

    /// Returns the begin and end of the time; `None` if the job did not arrive.
    pub fn finish(self) -> Option<(Instant, Instant)> {
        let job = self.job;
        let found = self.found.or_else(|| self.rows.finish().into_iter().find(|row| row.job == job))?;
        Some((found.arrival, found.completion.or(found.deadline()).unwrap_or(self.now)))
    }
}

impl Sink for TimeOfJob {
    fn record(&mut self, at: Instant, record: Record) {
        self.rows.record(at, record);
        self.now = at;
        let ended = self.rows.take_ended().find(|row| row.job == self.job);
        self.found = self.found.or(ended);
    }
}
