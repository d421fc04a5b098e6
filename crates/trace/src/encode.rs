//! Encodes records as bytes.
//!
//! A record is `kind: u8, length: u8, payload`, where the payload begins with the nanoseconds since the
//! record before. All numbers are varints, so a typical record takes five to eight bytes.

mod words;

use crate::record::Record;
use crate::sink::Sink;
use crate::varint;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// Most bytes of a record: besides its kind, its length and a tag, it has at most five numbers of ten bytes.
const MOST: usize = 64;

/// Appends records to a growing buffer, which its owner may empty at any time.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    /// The bytes so far.
    pub bytes: Vec<u8>,
    last: Instant,
    /// True if a task's number ever took two bytes: from then on, records have room for such numbers. A branch for each
    /// task would be hard to predict.
    has_long_tasks: bool,
}

impl Encoder {
    /// An encoder whose first record is relative to time zero.
    pub fn new() -> Self {
        Self::default()
    }

    #[cold]
    #[inline(never)]
    fn any(&mut self, at: Instant, record: &Record) {
        self.bytes.reserve(2 * MOST);
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(&[record.kind(), 0]);
        varint::write(&mut self.bytes, (at - self.last).as_ns());
        self.last = at;
        record.write(&mut self.bytes);
        self.bytes[begin + 1] = (self.bytes.len() - begin - 2) as u8;
    }
}

impl Sink for Encoder {
    /// Writes a record. Always inlined, because the code that writes a record knows its kind.
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
            // What is rarer is written by what writes any record.
            _ => self.any(at, &record),
        }
    }

    #[inline(always)]
    fn record_both(&mut self, at: Instant, first: Record, second: Record) {
        match (first, second) {
            (Record::Link { cpu, job: Some(job) }, Record::Dispatch { cpu: on, job: dispatched })
                if cpu == on && job == dispatched =>
            {
                self.link_and_dispatch(at, cpu, job);
            }
            _ => {
                self.record(at, first);
                self.record(at, second);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{ClusterId, JobId, Priority, TaskId};

    /// Numbers of every length have the same bytes together as one by one.
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
}
