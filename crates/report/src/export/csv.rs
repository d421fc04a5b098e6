//! One row per record, for spreadsheets and data frames.

use super::out::Out;
use crate::lines;
use schedlab_model::{ClusterId, CpuId, Instant, JobId, ResourceId, TaskId};
use schedlab_trace::{Record, Sink, SuspendReason};
use std::io::{self, Write};

/// Writes records as comma-separated values; what a record does not have is empty.
#[derive(Debug)]
pub struct RecordCsv<W: io::Write> {
    out: Out<W>,
}

/// The columns. `detail` is the reason of a suspension, the kind of an overhead, a number of lost records.
const COLUMNS: &str =
    "time_ns,kind,task,job,cpu,cluster,resource,units,priority_point,absolute_deadline_ns,cost_ns,detail\n";

/// A record, column by column.
#[derive(Default)]
struct Row {
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
        let mut out = Out::new(stream);
        out.bytes.extend_from_slice(COLUMNS.as_bytes());
        RecordCsv { out }
    }

    /// Writes what is left and gives the stream back, or its first error.
    pub fn finish(self) -> io::Result<W> {
        self.out.finish()
    }
}

fn row(record: &Record) -> Row {
    let of = |job: JobId| Row { job: Some(job), ..Row::default() };
    match *record {
        Record::Arrival { job, absolute_deadline, cost } => {
            Row { absolute_deadline: Some(absolute_deadline.as_ns()), cost: Some(cost.as_ns()), ..of(job) }
        }
        Record::Ready { job, priority, cluster } => {
            Row { priority_point: Some(priority.point()), cluster: Some(cluster), ..of(job) }
        }
        Record::Link { cpu, job } => Row { cpu: Some(cpu), job, ..Row::default() },
        Record::Dispatch { cpu, job } | Record::Preempt { cpu, job } => Row { cpu: Some(cpu), ..of(job) },
        Record::Suspend { job, reason } => match reason {
            SuspendReason::Itself => Row { detail: "itself".into(), ..of(job) },
            SuspendReason::Gate => Row { detail: "gate".into(), ..of(job) },
            SuspendReason::Resource(resource) => {
                Row { resource: Some(resource), detail: "resource".into(), ..of(job) }
            }
        },
        Record::Priority { job, priority } => Row { priority_point: Some(priority.point()), ..of(job) },
        Record::Resume { job }
        | Record::NpEnter { job }
        | Record::NpExit { job }
        | Record::Budget { job }
        | Record::Abort { job }
        | Record::Complete { job }
        | Record::Miss { job } => of(job),
        Record::Request { job, resource, units }
        | Record::Acquire { job, resource, units }
        | Record::Release { job, resource, units } => {
            Row { resource: Some(resource), units: Some(units), ..of(job) }
        }
        Record::Spin { job, resource }
        | Record::Delay { job, resource }
        | Record::Attempt { job, resource }
        | Record::Retry { job, resource }
        | Record::Commit { job, resource } => Row { resource: Some(resource), ..of(job) },
        Record::Subtask { cpu, job, release, deadline } => {
            let detail = format!("window {} to {}", release.as_ns(), deadline.as_ns());
            Row { cpu: Some(cpu), detail, ..of(job) }
        }
        Record::Waste { cpu, until } => {
            Row { cpu: Some(cpu), detail: format!("until {}", until.as_ns()), ..Row::default() }
        }
        Record::Quantum { cpu } => Row { cpu: Some(cpu), ..Row::default() },
        Record::Move { job, cluster } => Row { cluster: Some(cluster), ..of(job) },
        Record::OverheadBegin { cpu, kind, job } => {
            Row { cpu: Some(cpu), job, detail: kind.name().into(), ..Row::default() }
        }
        Record::OverheadEnd { cpu, kind } => {
            Row { cpu: Some(cpu), detail: kind.name().into(), ..Row::default() }
        }
        Record::Join { task } | Record::Leave { task } => Row { task: Some(task), ..Row::default() },
        Record::Lost { count } => Row { detail: count.to_string(), ..Row::default() },
        Record::End => Row::default(),
    }
}

/// A number, or nothing.
pub(super) fn cell<N: ToString>(number: Option<N>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

impl<W: io::Write> Sink for RecordCsv<W> {
    fn record(&mut self, at: Instant, record: Record) {
        let row = row(&record);
        let task = row.task.or(row.job.map(|job| job.task));
        let cells = [
            at.as_ns().to_string(),
            lines::kind(&record).into(),
            cell(task.map(|task| task.0)),
            cell(row.job.map(|job| job.number)),
            cell(row.cpu.map(|cpu| cpu.0)),
            cell(row.cluster.map(|cluster| cluster.0)),
            cell(row.resource.map(|resource| resource.0)),
            cell(row.units),
            cell(row.priority_point),
            cell(row.absolute_deadline),
            cell(row.cost),
            row.detail,
        ];
        // Writing into memory does not fail.
        let _ = writeln!(self.out.bytes, "{}", cells.join(","));
        self.out.flush_pieces();
    }
}
