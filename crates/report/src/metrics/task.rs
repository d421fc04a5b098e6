//! Metrics of the jobs of one task.

use super::histogram::Histogram;

/// Counts and distributions over the jobs of a task, or of all tasks.
///
/// Times are those of completed jobs alone, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskMetrics {
    /// Jobs that arrived.
    pub arrived: u64,
    /// Jobs that received all their cost.
    pub completed: u64,
    /// Jobs that were given up.
    pub aborted: u64,
    /// Jobs that are recorded to have missed their deadline, complete or not.
    pub missed: u64,
    /// Jobs that were neither complete nor given up when the trace ended.
    pub unfinished: u64,
    /// Lateness of the latest unfinished job at the end of the trace; zero if none was late.
    pub unfinished_lateness: u64,
    /// Accrued utility of completions, in millionths of a unit; only where utilities are measured.
    pub accrued: u128,
    /// Utility that the same jobs, and those given up, would have had at their arrivals.
    pub attainable: u128,
    /// Times that a job left its processor although it was ready to go on.
    pub preemptions: u64,
    /// Times that a job began to occupy another processor than the one on which it executed last.
    pub migrations: u64,
    /// Times that a job began on another processor than its task's job before executed last.
    pub task_migrations: u64,
    /// Times that a job suspended itself, waited for a resource without processor, or was held back by a locking
    /// protocol.
    pub suspensions: u64,
    /// Attempts on lock-free objects that failed.
    pub retries: u64,
    /// Completion less arrival.
    pub response_time: Histogram,
    /// Completion less absolute deadline.
    pub lateness: Lateness,
}

/// Completion less absolute deadline: the number of jobs that were not late, and the distribution of the tardiness of
/// the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// Number of jobs that were not late.
    early: u64,
    /// Tardiness of the others: never zero.
    positive: Histogram,
}

impl Lateness {
    #[inline(always)]
    pub(super) fn add(&mut self, completion: u64, absolute_deadline: u64) {
        match completion.checked_sub(absolute_deadline) {
            None | Some(0) => self.early = self.early.wrapping_add(1),
            Some(late) => self.add_late(late),
        }
    }

    #[cold]
    fn add_late(&mut self, late: u64) {
        self.positive.add(late);
    }

    /// Returns the distribution of the tardiness of late jobs.
    pub fn positive(&self) -> &Histogram {
        &self.positive
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.early + self.positive.count()
    }

    /// The largest tardiness: zero if no job was late.
    pub fn max_tardiness(&self) -> Option<u64> {
        (self.count() > 0).then(|| self.positive.max().unwrap_or(0))
    }

    /// The sum of all tardinesses.
    pub fn tardiness_sum(&self) -> u128 {
        self.positive.sum()
    }

    /// The mean tardiness, for people; [`Self::tardiness_sum`] and [`Self::count`] give it exactly.
    pub fn mean_tardiness(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.tardiness_sum() as f64 / self.count() as f64)
    }

    fn merge(&mut self, other: &Lateness) {
        self.early += other.early;
        self.positive.merge(&other.positive);
    }
}

impl TaskMetrics {
    /// Forgets all values, and keeps the memory.
    pub(super) fn renew(&mut self) {
        let (mut response_time, mut late) =
            (core::mem::take(&mut self.response_time), core::mem::take(&mut self.lateness.positive));
        response_time.renew();
        late.renew();
        let lateness = Lateness { positive: late, ..Lateness::default() };
        *self = TaskMetrics { response_time, lateness, ..TaskMetrics::default() };
    }

    /// Returns the largest tardiness, with that of jobs which are late and unfinished.
    pub fn max_tardiness(&self) -> u64 {
        self.lateness.max_tardiness().unwrap_or(0).max(self.unfinished_lateness)
    }

    /// Returns the accrued utility in units, for people; [`Self::accrued`] is exact.
    pub(crate) fn accrued_utility(&self) -> f64 {
        self.accrued as f64 / 1e6
    }

    /// The accrued utility ratio (AUR); `None` where no job could accrue anything.
    pub fn accrued_utility_ratio(&self) -> Option<f64> {
        (self.attainable > 0).then(|| self.accrued as f64 / self.attainable as f64)
    }

    /// The deadline-satisfaction ratio (DSR): jobs in time over those that were in time or missed; `None` without any.
    pub fn deadline_satisfaction_ratio(&self) -> Option<f64> {
        let in_time = self.lateness.count() - self.lateness.positive().count();
        let all = in_time + self.missed;
        (all > 0).then(|| in_time as f64 / all as f64)
    }

    /// Adds the metrics of `other`.
    pub(crate) fn merge(&mut self, other: &TaskMetrics) {
        self.arrived += other.arrived;
        self.completed += other.completed;
        self.aborted += other.aborted;
        self.accrued += other.accrued;
        self.attainable += other.attainable;
        self.missed += other.missed;
        self.unfinished += other.unfinished;
        self.unfinished_lateness = self.unfinished_lateness.max(other.unfinished_lateness);
        self.preemptions += other.preemptions;
        self.migrations += other.migrations;
        self.task_migrations += other.task_migrations;
        self.suspensions += other.suspensions;
        self.retries += other.retries;
        self.response_time.merge(&other.response_time);
        self.lateness.merge(&other.lateness);
    }
}
