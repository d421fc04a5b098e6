//! One row per record, for spreadsheets and data frames.

use crate::lines;
use schedlab_model::{ClusterId, CpuId, Instant, JobId, ResourceId, TaskId};
use schedlab_trace::{Record, RunRecord, Sink, SuspendReason, Thread};
use serde::Serialize;
use std::io;

/// Rows of comma-separated values under a head; keeps its first error.
#[derive(Debug)]
pub(super) struct Table<W: io::Write> {
    rows: ::csv::Writer<W>,
    failed: Option<::csv::Error>,
}

impl<W: io::Write> Table<W> {
    pub(super) fn new(stream: W, columns: &str) -> Self {
        let mut rows = ::csv::WriterBuilder::new().has_headers(false).from_writer(stream);
        let failed = rows.write_record(columns.split(',')).err();
        Table { rows, failed }
    }

    pub(super) fn row(&mut self, cells: impl Serialize) {
        if self.failed.is_none() {
            self.failed = self.rows.serialize(cells).err();
        }
    }

    /// Gives the stream back, or its first error.
    pub(super) fn finish(self) -> io::Result<W> {
        match self.failed {
            Some(error) => Err(error.into()),
            None => self.rows.into_inner().map_err(::csv::IntoInnerError::into_error),
        }
    }
}

/// Writes records as comma-separated values; what a record does not have is empty.
#[derive(Debug)]
pub struct RecordCsv<W: io::Write> {
    table: Table<W>,
}

/// The columns. `detail` is the reason of a suspension, the kind of an overhead, a number of lost records.
const COLUMNS: &str =
    "time_ns,kind,task,job,cpu,cluster,resource,units,priority_point,absolute_deadline_ns,cost_ns,detail";

/// A record, column by column.
#[derive(Default)]
struct RecordRow {
    task: Option<TaskId>,
    job: Option<JobId>,
    cpu: Option<CpuId>,
    cluster: Option<ClusterId>,
    resource: Option<ResourceId>,
    units: Option<u32>,
    priority_point: Option<u64>,
    absolute_deadline: Option<u64>,
    cost: Option<u64>,
    detail: String,
}

impl<W: io::Write> RecordCsv<W> {
    /// A table with its head.
    pub fn new(stream: W) -> Self {
        RecordCsv { table: Table::new(stream, COLUMNS) }
    }

    /// Writes what is left and gives the stream back, or its first error.
    pub fn finish(self) -> io::Result<W> {
        self.table.finish()
    }
}

fn row(record: &Record) -> RecordRow {
    let of = |job: JobId| RecordRow { job: Some(job), ..RecordRow::default() };
    match *record {
        Record::Arrival { job, absolute_deadline, cost } => RecordRow {
            absolute_deadline: Some(absolute_deadline.as_ns()),
            cost: Some(cost.as_ns()),
            ..of(job)
        },
        Record::Ready { job, priority, cluster } => {
            RecordRow { priority_point: Some(priority.point()), cluster: Some(cluster), ..of(job) }
        }
        Record::Link { cpu, job } => RecordRow { cpu: Some(cpu), job, ..RecordRow::default() },
        Record::Dispatch { cpu, job } | Record::Preempt { cpu, job } => {
            RecordRow { cpu: Some(cpu), ..of(job) }
        }
        Record::Suspend { job, reason } => match reason {
            SuspendReason::Itself => RecordRow { detail: "itself".into(), ..of(job) },
            SuspendReason::HeldBack => RecordRow { detail: "gate".into(), ..of(job) },
            SuspendReason::Resource(resource) => {
                RecordRow { resource: Some(resource), detail: "resource".into(), ..of(job) }
            }
        },
        Record::Priority { job, priority } => RecordRow { priority_point: Some(priority.point()), ..of(job) },
        Record::Resume { job }
        | Record::NpEnter { job }
        | Record::NpExit { job }
        | Record::Budget { job }
        | Record::GiveUp { job }
        | Record::Abort { job }
        | Record::Complete { job }
        | Record::Miss { job } => of(job),
        Record::Request { job, resource, units }
        | Record::Acquire { job, resource, units }
        | Record::Release { job, resource, units } => {
            RecordRow { resource: Some(resource), units: Some(units), ..of(job) }
        }
        Record::Spin { job, resource }
        | Record::Delay { job, resource }
        | Record::Attempt { job, resource }
        | Record::Retry { job, resource }
        | Record::Commit { job, resource } => RecordRow { resource: Some(resource), ..of(job) },
        Record::Subtask { cpu, job, release, deadline } => {
            let detail = format!("window {} to {}", release.as_ns(), deadline.as_ns());
            RecordRow { cpu: Some(cpu), detail, ..of(job) }
        }
        Record::Waste { cpu, until } => {
            RecordRow { cpu: Some(cpu), detail: format!("until {}", until.as_ns()), ..RecordRow::default() }
        }
        Record::Quantum { cpu } => RecordRow { cpu: Some(cpu), ..RecordRow::default() },
        Record::Move { job, cluster } => RecordRow { cluster: Some(cluster), ..of(job) },
        Record::OverheadBegin { cpu, kind, job } => {
            RecordRow { cpu: Some(cpu), job, detail: kind.name().into(), ..RecordRow::default() }
        }
        Record::OverheadEnd { cpu, kind } => {
            RecordRow { cpu: Some(cpu), detail: kind.name().into(), ..RecordRow::default() }
        }
        Record::Join { task } | Record::Leave { task } => {
            RecordRow { task: Some(task), ..RecordRow::default() }
        }
        Record::Lost { count } => RecordRow { detail: count.to_string(), ..RecordRow::default() },
        Record::Run(record) => of_run(&record),
        Record::End => RecordRow::default(),
    }
}

/// What only real runs record.
fn of_run(record: &RunRecord) -> RecordRow {
    let detail = match *record {
        RunRecord::Dispatch { job, .. } | RunRecord::Preempt { job, .. } => {
            return RecordRow { cpu: record.cpu(), job: Some(job), ..RecordRow::default() };
        }
        RunRecord::SwitchIn { thread, .. } | RunRecord::SwitchOut { thread, .. } => match thread {
            Thread::Task(_) => String::new(),
            Thread::Other(number) => format!("thread {number}"),
        },
        RunRecord::Switches { missing } => missing.to_string(),
        RunRecord::Stolen { since, length, .. } => format!("{} since {}", length.as_ns(), since.as_ns()),
        RunRecord::Standstill { since } => format!("since {}", since.as_ns()),
        RunRecord::Afterwards { length, .. } => length.as_ns().to_string(),
    };
    RecordRow { cpu: record.cpu(), task: record.task(), detail, ..RecordRow::default() }
}

impl<W: io::Write> Sink for RecordCsv<W> {
    fn record(&mut self, at: Instant, record: Record) {
        let row = row(&record);
        let task = row.task.or(row.job.map(|job| job.task));
        self.table.row((
            at.as_ns(),
            lines::kind(&record),
            task.map(|task| task.0),
            row.job.map(|job| job.number),
            row.cpu.map(|cpu| cpu.0),
            row.cluster.map(|cluster| cluster.0),
            row.resource.map(|resource| resource.0),
            row.units,
            row.priority_point,
            row.absolute_deadline,
            row.cost,
            row.detail,
        ));
    }
}
