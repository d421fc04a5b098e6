//! One row per job.

use super::csv::Table;
use crate::context::Context;
use crate::deadline::deadline;
use schedlab_model::{CpuId, Instant, JobId, Work};
use schedlab_trace::{about, Record, Sink};
use std::collections::VecDeque;
use std::io;

/// Times and counts of one job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobRow {
    /// Id of the job.
    pub job: JobId,
    /// Arrival of the job.
    pub arrival: Instant,
    /// Absolute deadline of the job.
    pub absolute_deadline: Instant,
    /// Cost of the job; zero if unknown.
    pub cost: Work,
    /// Time at which the job began to execute, if it did.
    pub start: Option<Instant>,
    /// Completion of the job, if it is complete.
    pub completion: Option<Instant>,
    /// True if the job is recorded to have missed its deadline, whether it is complete or not.
    pub missed: bool,
    /// True if the job was given up.
    pub aborted: bool,
    /// Number of times that the job left its processor although it was ready to go on.
    pub preemptions: u64,
    /// Number of times that the job went on on another processor.
    pub migrations: u64,
    last_cpu: Option<CpuId>,
}

impl JobRow {
    /// Completion less arrival.
    pub fn response_time(&self) -> Option<u64> {
        Some(self.completion?.saturating_since(self.arrival).as_ns())
    }

    /// The absolute deadline, if the job has one: a server's job has none.
    pub fn deadline(&self) -> Option<Instant> {
        deadline(self.absolute_deadline)
    }

    /// Completion less absolute deadline.
    pub fn lateness(&self) -> Option<i128> {
        Some(i128::from(self.completion?.as_ns()) - i128::from(self.deadline()?.as_ns()))
    }
}

/// Collects a row for each job, in the order in which jobs end.
#[derive(Clone, Debug, Default)]
pub struct JobRows {
    live: Vec<VecDeque<JobRow>>,
    /// Jobs that ended in the instant `now`: a miss is recorded after the completion or abort that settles it.
    settling: Vec<JobRow>,
    now: Instant,
    ended: Vec<JobRow>,
}

impl JobRows {
    /// Returns the rows of jobs that have ended, then those of the others, by task.
    pub fn finish(mut self) -> Vec<JobRow> {
        self.ended.append(&mut self.settling);
        self.ended.extend(self.live.into_iter().flatten());
        self.ended
    }

    /// Takes the rows of jobs that have ended.
    pub(crate) fn take_ended(&mut self) -> impl Iterator<Item = JobRow> + '_ {
        self.ended.drain(..)
    }

    fn job(&mut self, id: JobId) -> Option<&mut JobRow> {
        self.live.get_mut(id.task.index())?.iter_mut().find(|row| row.job == id)
    }

    fn miss(&mut self, id: JobId) {
        if let Some(row) = self.settling.iter_mut().find(|row| row.job == id) {
            row.missed = true;
        } else if let Some(row) = self.job(id) {
            row.missed = true;
        }
    }

    fn end(&mut self, id: JobId, how: impl FnOnce(&mut JobRow)) {
        let Some(jobs) = self.live.get_mut(id.task.index()) else { return };
        let Some(index) = jobs.iter().position(|row| row.job == id) else { return };
        if let Some(mut row) = jobs.remove(index) {
            how(&mut row);
            self.settling.push(row);
        }
    }

    fn arrive(&mut self, job: JobId, arrival: Instant, absolute_deadline: Instant, cost: Work) {
        if job.task.index() >= self.live.len() {
            self.live.resize_with(job.task.index() + 1, VecDeque::new);
        }
        self.live[job.task.index()].push_back(JobRow {
            job,
            arrival,
            absolute_deadline,
            cost,
            ..JobRow::default()
        });
    }
}

impl Sink for JobRows {
    fn record(&mut self, at: Instant, record: Record) {
        if at != self.now {
            self.ended.append(&mut self.settling);
            self.now = at;
        }
        match record {
            Record::Arrival { job, absolute_deadline, cost } => self.arrive(job, at, absolute_deadline, cost),
            Record::Dispatch { cpu, job } => {
                if let Some(row) = self.job(job) {
                    row.start = row.start.or(Some(at));
                    row.migrations += u64::from(row.last_cpu.is_some_and(|last| last != cpu));
                    row.last_cpu = Some(cpu);
                }
            }
            Record::Preempt { job, .. } => {
                if let Some(row) = self.job(job) {
                    row.preemptions += 1;
                }
            }
            Record::Miss { job } => self.miss(job),
            Record::Complete { job } => self.end(job, |row| row.completion = Some(at)),
            Record::Abort { job } => self.end(job, |row| row.aborted = true),
            about![Ready, GiveUp, Link, Suspend, Resume, Move, urgencies, requests, attempts, machine] => {}
        }
    }
}

/// The columns of the table of jobs.
const COLUMNS: &str =
    "task,name,job,arrival_ns,absolute_deadline_ns,cost_ns,start_ns,completion_ns,response_time_ns,\
     lateness_ns,missed,aborted,preemptions,migrations";

/// Writes one line of comma-separated values per job, in the order in which jobs end.
#[derive(Debug)]
pub struct JobCsv<W: io::Write> {
    rows: JobRows,
    names: Context,
    table: Table<W>,
}

impl<W: io::Write> JobCsv<W> {
    /// A table with its head.
    pub fn new(stream: W, context: &Context) -> Self {
        JobCsv { rows: JobRows::default(), names: context.clone(), table: Table::new(stream, COLUMNS) }
    }

    /// Writes the remaining rows, with those of jobs that have not ended, and returns the stream, or its first error.
    pub fn finish(mut self) -> io::Result<W> {
        for row in core::mem::take(&mut self.rows).finish() {
            write(&mut self.table, &self.names, row);
        }
        self.table.finish()
    }
}

fn write<W: io::Write>(table: &mut Table<W>, names: &Context, row: JobRow) {
    table.row((
        row.job.task.0,
        names.task_name(row.job.task),
        row.job.number,
        row.arrival.as_ns(),
        row.deadline().map(Instant::as_ns),
        Some(row.cost.as_ns()).filter(|cost| *cost > 0),
        row.start.map(Instant::as_ns),
        row.completion.map(Instant::as_ns),
        row.response_time(),
        row.lateness(),
        u8::from(row.missed),
        u8::from(row.aborted),
        row.preemptions,
        row.migrations,
    ));
}

impl<W: io::Write> Sink for JobCsv<W> {
    fn record(&mut self, at: Instant, record: Record) {
        self.rows.record(at, record);
        for row in self.rows.take_ended() {
            write(&mut self.table, &self.names, row);
        }
    }
}
