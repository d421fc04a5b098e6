//! Records to bytes.
//!
//! A record is `kind: u8, length: u8, payload`, where the payload begins with the nanoseconds since the
//! record before. All numbers are [varints](crate::varint), so a typical record takes five to eight bytes.

use crate::record::{Record, SuspendReason};
use crate::sink::Sink;
use crate::varint;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Instant, JobId, OverheadKind, Priority};

/// Appends records to a growing buffer, which its owner may empty at any time.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    /// The bytes so far.
    pub bytes: Vec<u8>,
    last: Instant,
}

impl Encoder {
    /// An encoder whose first record is relative to time zero.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Sink for Encoder {
    #[inline]
    fn record(&mut self, at: Instant, record: Record) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[kind(&record), 0]);
        varint::write(&mut self.bytes, (at - self.last).as_ns());
        self.last = at;
        payload(&mut self.bytes, &record);
        let length = self.bytes.len() - start - 2;
        assert!(length <= usize::from(u8::MAX), "no record is that long");
        self.bytes[start + 1] = length as u8;
    }
}

/// The number of each kind of record. Never reused, never renumbered.
#[inline]
fn kind(record: &Record) -> u8 {
    match record {
        Record::Arrival { .. } => 1,
        Record::Ready { .. } => 2,
        Record::Link { .. } => 3,
        Record::Dispatch { .. } => 4,
        Record::Preempt { .. } => 5,
        Record::Suspend { .. } => 6,
        Record::Resume { .. } => 7,
        Record::Priority { .. } => 8,
        Record::NpEnter { .. } => 9,
        Record::NpExit { .. } => 10,
        Record::Request { .. } => 11,
        Record::Spin { .. } => 12,
        Record::Acquire { .. } => 13,
        Record::Release { .. } => 14,
        Record::Quantum { .. } => 15,
        Record::Budget { .. } => 16,
        Record::Move { .. } => 17,
        Record::OverheadBegin { .. } => 18,
        Record::OverheadEnd { .. } => 19,
        Record::Abort { .. } => 20,
        Record::Complete { .. } => 21,
        Record::Miss { .. } => 22,
        Record::Join { .. } => 23,
        Record::Leave { .. } => 24,
        Record::Lost { .. } => 25,
        Record::End => 26,
        Record::Delay { .. } => 27,
        Record::Attempt { .. } => 28,
        Record::Retry { .. } => 29,
        Record::Commit { .. } => 30,
        Record::Subtask { .. } => 31,
        Record::Waste { .. } => 32,
        Record::Run(run) => run.kind(),
    }
}

#[inline]
fn payload(out: &mut Vec<u8>, record: &Record) {
    match *record {
        Record::Arrival { job, absolute_deadline, cost } => {
            write_numbers(out, job, [absolute_deadline.as_ns(), cost.as_ns()]);
        }
        Record::Ready { job, priority, cluster } => {
            write_job(out, job);
            write_priority(out, priority);
            varint::write(out, cluster.0.into());
        }
        Record::Link { cpu, job } => {
            varint::write(out, cpu.0.into());
            write_optional_job(out, job);
        }
        Record::Dispatch { cpu, job } | Record::Preempt { cpu, job } => {
            varint::write(out, cpu.0.into());
            write_job(out, job);
        }
        Record::Suspend { job, reason } => {
            write_job(out, job);
            write_reason(out, reason);
        }
        Record::Priority { job, priority } => {
            write_job(out, job);
            write_priority(out, priority);
        }
        Record::Resume { job }
        | Record::NpEnter { job }
        | Record::NpExit { job }
        | Record::Budget { job }
        | Record::Abort { job }
        | Record::Complete { job }
        | Record::Miss { job } => write_job(out, job),
        Record::Spin { job, resource }
        | Record::Delay { job, resource }
        | Record::Attempt { job, resource }
        | Record::Retry { job, resource }
        | Record::Commit { job, resource } => {
            write_job(out, job);
            varint::write(out, resource.0.into());
        }
        Record::Request { job, resource, units }
        | Record::Acquire { job, resource, units }
        | Record::Release { job, resource, units } => {
            write_numbers(out, job, [resource.0, units].map(u64::from))
        }
        Record::Quantum { cpu } => varint::write(out, cpu.0.into()),
        Record::Subtask { cpu, job, release, deadline } => {
            varint::write(out, cpu.0.into());
            write_numbers(out, job, [release.as_ns(), deadline.as_ns()]);
        }
        Record::Waste { cpu, until } => {
            varint::write(out, cpu.0.into());
            varint::write(out, until.as_ns());
        }
        Record::Move { job, cluster } => {
            write_job(out, job);
            varint::write(out, cluster.0.into());
        }
        Record::OverheadBegin { cpu, kind, job } => {
            write_overhead(out, cpu, kind);
            write_optional_job(out, job);
        }
        Record::OverheadEnd { cpu, kind } => write_overhead(out, cpu, kind),
        Record::Join { task } | Record::Leave { task } => varint::write(out, task.0.into()),
        Record::Lost { count } => varint::write(out, count),
        Record::Run(run) => run.write(out),
        Record::End => {}
    }
}

#[inline]
fn write_job(out: &mut Vec<u8>, job: JobId) {
    varint::write(out, job.task.0.into());
    varint::write(out, job.number.into());
}

#[inline]
fn write_numbers(out: &mut Vec<u8>, job: JobId, numbers: [u64; 2]) {
    write_job(out, job);
    numbers.into_iter().for_each(|number| varint::write(out, number));
}

fn write_overhead(out: &mut Vec<u8>, cpu: CpuId, kind: OverheadKind) {
    varint::write(out, cpu.0.into());
    out.push(kind as u8);
}

fn write_optional_job(out: &mut Vec<u8>, job: Option<JobId>) {
    out.push(job.is_some().into());
    if let Some(job) = job {
        write_job(out, job);
    }
}

fn write_priority(out: &mut Vec<u8>, priority: Priority) {
    out.push(priority.band() as u8);
    varint::write(out, priority.point());
    write_job(out, priority.tie());
}

fn write_reason(out: &mut Vec<u8>, reason: SuspendReason) {
    match reason {
        SuspendReason::Itself => out.push(0),
        SuspendReason::Resource(resource) => {
            out.push(1);
            varint::write(out, resource.0.into());
        }
        SuspendReason::Gate => out.push(2),
    }
}
