//! Records to bytes.
//!
//! A record is `kind: u8, length: u8, payload`, where the payload begins with the nanoseconds since the
//! record before. All numbers are varints, so a typical record takes five to eight bytes.

use crate::frame::{Frame, MOST};
use crate::record::Record;
use crate::sink::Sink;
use crate::varint;
use alloc::vec::Vec;
use schedlab_model::{ClusterId, CpuId, Instant, JobId, Priority, Work};

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

    #[inline(always)]
    fn write(&mut self, at: Instant, record: &Record) {
        let mut bytes = [0; MOST];
        bytes[0] = record.kind();
        let mut frame = Frame { bytes: &mut bytes, length: 2 };
        frame.number((at - self.last).as_ns());
        self.last = at;
        payload(&mut frame, record);
        let length = frame.length;
        assert!((2..=MOST).contains(&length), "no record is that long");
        bytes[1] = (length - 2) as u8;
        let end = self.bytes.len() + length;
        // Copies of a fixed length take the fewest instructions.
        match length {
            0..=16 => self.bytes.extend_from_slice(bytes.first_chunk::<16>().expect("it is longer")),
            17..=32 => self.bytes.extend_from_slice(bytes.first_chunk::<32>().expect("it is longer")),
            _ => self.bytes.extend_from_slice(&bytes),
        }
        self.bytes.truncate(end);
    }

    /// The same for a record of `small` numbers and a job's number, all of which fit into one word. False if they do not.
    #[inline(always)]
    fn write_word<const N: usize>(&mut self, at: Instant, kind: u8, small: [u32; N], number: u32) -> bool {
        let gap = (at - self.last).as_ns();
        let most = small.iter().fold(0, |all, number| all | number);
        if most >= 1 << 7 || number >= 1 << 14 || gap >= 1 << (7 * (4 - N)) {
            return false;
        }
        self.last = at;
        let gap = gap as u32;
        match gap {
            0..0x80 => self.append_word::<1, N>(kind, gap, small, number),
            0x80..0x4000 => self.append_word::<2, N>(kind, varint::spread(gap) | 0x80, small, number),
            _ => self.append_word::<3, N>(kind, varint::spread(gap) | 0x8080, small, number),
        }
        true
    }

    /// The time since the record before takes `GAP` bytes.
    #[inline(always)]
    fn append_word<const GAP: usize, const N: usize>(
        &mut self,
        kind: u8,
        gap: u32,
        small: [u32; N],
        number: u32,
    ) {
        let is_long = u32::from(number >= 1 << 7);
        let mut word = u64::from(number & 0x7f | is_long << 7 | (number & 0x3f80) << 1);
        for number in small.into_iter().rev() {
            word = word << 8 | u64::from(number);
        }
        word = word << (8 * GAP) | u64::from(gap);
        let least = GAP + N + 1;
        word = word << 8 | (u64::from(is_long) + least as u64);
        word = word << 8 | u64::from(kind);
        let end = self.bytes.len() + least + 2 + is_long as usize;
        self.bytes.extend_from_slice(&word.to_le_bytes());
        self.bytes.truncate(end);
    }

    #[inline(never)]
    fn any(&mut self, at: Instant, record: &Record) {
        self.write(at, record);
    }

    // The same for what every job does, compiled for each kind.

    fn arrival(&mut self, at: Instant, job: JobId, absolute_deadline: Instant, cost: Work) {
        self.write(at, &Record::Arrival { job, absolute_deadline, cost });
    }

    fn ready(&mut self, at: Instant, job: JobId, priority: Priority, cluster: ClusterId) {
        self.write(at, &Record::Ready { job, priority, cluster });
    }

    fn link(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        let record = Record::Link { cpu, job: Some(job) };
        if !self.write_word(at, record.kind(), [cpu.0.into(), 1, job.task.0], job.number) {
            self.any(at, &record);
        }
    }

    /// Which of the records about a processor and a job it is, is known where it is written.
    #[inline(always)]
    fn cpu_and_job(&mut self, at: Instant, record: &Record, cpu: CpuId, job: JobId) {
        if !self.write_word(at, record.kind(), [cpu.0.into(), job.task.0], job.number) {
            self.any(at, record);
        }
    }

    fn dispatch(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.cpu_and_job(at, &Record::Dispatch { cpu, job }, cpu, job);
    }

    fn preempt(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.cpu_and_job(at, &Record::Preempt { cpu, job }, cpu, job);
    }

    fn complete(&mut self, at: Instant, job: JobId) {
        let record = Record::Complete { job };
        if !self.write_word(at, record.kind(), [job.task.0], job.number) {
            self.any(at, &record);
        }
    }
}

impl Sink for Encoder {
    /// Always inlined: the code that writes a record knows its kind.
    #[inline(always)]
    fn record(&mut self, at: Instant, record: Record) {
        match record {
            Record::Arrival { job, absolute_deadline, cost } => {
                self.arrival(at, job, absolute_deadline, cost)
            }
            Record::Ready { job, priority, cluster } => self.ready(at, job, priority, cluster),
            Record::Link { cpu, job: Some(job) } => self.link(at, cpu, job),
            Record::Dispatch { cpu, job } => self.dispatch(at, cpu, job),
            Record::Preempt { cpu, job } => self.preempt(at, cpu, job),
            Record::Complete { job } => self.complete(at, job),
            Record::Link { job: None, .. }
            | Record::Resume { .. }
            | Record::NpEnter { .. }
            | Record::NpExit { .. }
            | Record::Budget { .. }
            | Record::Abort { .. }
            | Record::Miss { .. }
            | Record::Suspend { .. }
            | Record::Priority { .. }
            | Record::Request { .. }
            | Record::Spin { .. }
            | Record::Delay { .. }
            | Record::Attempt { .. }
            | Record::Retry { .. }
            | Record::Commit { .. }
            | Record::Acquire { .. }
            | Record::Release { .. }
            | Record::Quantum { .. }
            | Record::Subtask { .. }
            | Record::Waste { .. }
            | Record::Move { .. }
            | Record::OverheadBegin { .. }
            | Record::OverheadEnd { .. }
            | Record::Join { .. }
            | Record::Leave { .. }
            | Record::Lost { .. }
            | Record::Run(_)
            | Record::End => self.any(at, &record),
        }
    }
}

#[inline(always)]
fn payload(out: &mut Frame<'_>, record: &Record) {
    match *record {
        Record::Arrival { job, absolute_deadline, cost } => {
            out.job_and(job, [absolute_deadline.as_ns(), cost.as_ns()]);
        }
        Record::Ready { job, priority, cluster } => {
            out.job(job);
            out.priority(priority);
            out.number(cluster.0.into());
        }
        Record::Link { cpu, job } => {
            out.number(cpu.0.into());
            out.optional_job(job);
        }
        Record::Dispatch { cpu, job } | Record::Preempt { cpu, job } => {
            out.number(cpu.0.into());
            out.job(job);
        }
        Record::Suspend { job, reason } => {
            out.job(job);
            out.reason(reason);
        }
        Record::Priority { job, priority } => {
            out.job(job);
            out.priority(priority);
        }
        Record::Resume { job }
        | Record::NpEnter { job }
        | Record::NpExit { job }
        | Record::Budget { job }
        | Record::Abort { job }
        | Record::Complete { job }
        | Record::Miss { job } => out.job(job),
        Record::Spin { job, resource }
        | Record::Delay { job, resource }
        | Record::Attempt { job, resource }
        | Record::Retry { job, resource }
        | Record::Commit { job, resource } => {
            out.job(job);
            out.number(resource.0.into());
        }
        Record::Request { job, resource, units }
        | Record::Acquire { job, resource, units }
        | Record::Release { job, resource, units } => {
            out.job_and(job, [resource.0, units].map(u64::from));
        }
        Record::Quantum { cpu } => out.number(cpu.0.into()),
        Record::Subtask { cpu, job, release, deadline } => {
            out.number(cpu.0.into());
            out.job_and(job, [release.as_ns(), deadline.as_ns()]);
        }
        Record::Waste { cpu, until } => {
            out.number(cpu.0.into());
            out.number(until.as_ns());
        }
        Record::Move { job, cluster } => {
            out.job(job);
            out.number(cluster.0.into());
        }
        Record::OverheadBegin { cpu, kind, job } => {
            out.overhead(cpu, kind);
            out.optional_job(job);
        }
        Record::OverheadEnd { cpu, kind } => out.overhead(cpu, kind),
        Record::Join { task } | Record::Leave { task } => out.number(task.0.into()),
        Record::Lost { count } => out.number(count),
        Record::Run(run) => run.numbers(|number| out.number(number)),
        Record::End => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::TaskId;

    /// Numbers of every length: the frame has room, and holds what the loop over bytes writes.
    #[test]
    fn numbers_of_every_length_fit() {
        for bits in 0..62 {
            let (large, small) = (1 << bits, 1u32 << (bits % 32));
            let job = JobId::new(TaskId(small), small);
            let (priority, at) = (Priority::new(large, job), Instant::from_ns(u64::MAX - 1));
            let record = Record::Ready { job, priority, cluster: ClusterId(u16::MAX) };
            let mut encoder = Encoder::new();
            encoder.record(at, record);
            let mut expected = Vec::new();
            varint::write(&mut expected, at.as_ns());
            for number in [small, small, 1] {
                varint::write(&mut expected, number.into());
            }
            for number in [large, small.into(), small.into(), u16::MAX.into()] {
                varint::write(&mut expected, number);
            }
            assert_eq!(encoder.bytes[..2], [2, expected.len() as u8]);
            assert_eq!(encoder.bytes[2..], expected);
        }
    }

    /// Records that fit into one word are those that the frame writes, whatever their numbers are.
    #[test]
    fn words_are_frames() {
        let numbers = (0..30).flat_map(|bits| [1u32 << bits, (1 << bits) - 1]);
        for (large, small) in numbers.flat_map(|number| [(number, 0), (number, 100), (number, number)]) {
            for (gap, cpu, task, number) in
                [(large, 3, 5, small), (small, 3, 5, large), (small, large, 5, 0), (small, 7, large, 9)]
            {
                let (cpu, job) = (CpuId(cpu as u16), JobId::new(TaskId(task), number));
                let at = Instant::from_ns(gap.into());
                for record in [
                    Record::Link { cpu, job: Some(job) },
                    Record::Dispatch { cpu, job },
                    Record::Preempt { cpu, job },
                    Record::Complete { job },
                ] {
                    let (mut encoder, mut frames) = (Encoder::new(), Encoder::new());
                    encoder.record(at, record);
                    frames.any(at, &record);
                    assert_eq!(encoder.bytes, frames.bytes, "{record:?} at {at:?}");
                }
            }
        }
    }
}
