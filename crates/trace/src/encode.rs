//! Records to bytes.
//!
//! A record is `kind: u8, length: u8, payload`, where the payload begins with the nanoseconds since the
//! record before. All numbers are varints, so a typical record takes five to eight bytes.

use crate::frame::{Frame, MOST};
use crate::record::Record;
use crate::sink::Sink;
use crate::varint;
use alloc::vec::Vec;
use schedlab_model::{Band, ClusterId, CpuId, Instant, JobId, Priority, Work};

/// Room for a record of words: those of at most three words of eight bytes that count, and a whole word after them.
const ROOM: usize = 40;

/// A record of a few words of at most eight bytes each, of which there are three at most.
struct Words<'a> {
    bytes: &'a mut [u8; ROOM],
    length: usize,
}

impl Words<'_> {
    /// The next bytes, so many.
    #[inline(always)]
    fn put(&mut self, word: u64, length: usize) {
        let at = self.length % 32;
        self.bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        self.length = self.length.wrapping_add(length);
    }

    #[inline(always)]
    fn number(&mut self, value: u64) {
        let (word, length) = varint::in_a_word(value);
        self.put(word, length);
    }
}

/// The bytes of a record whose time since the record before takes `GAP` bytes, and how many.
#[inline(always)]
fn word<const GAP: usize, const N: usize>(kind: u8, gap: u32, small: [u32; N], number: u32) -> (u64, usize) {
    let (mut word, number_length) = varint::two_bytes(number);
    for number in small.into_iter().rev() {
        word = word << 8 | u64::from(number);
    }
    let length = GAP + N + number_length;
    (word << (8 * GAP + 16) | u64::from(gap) << 16 | (length as u64) << 8 | u64::from(kind), length + 2)
}

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

    /// The bytes of a record of `small` numbers and a job's number in one word, and how many they are. None if they do
    /// not fit, or if the buffer has to grow first, which is done apart. The record may go on after them: its length is
    /// that of these bytes.
    #[inline(always)]
    fn word<const N: usize>(
        &mut self,
        at: Instant,
        kind: u8,
        small: [u32; N],
        number: u32,
    ) -> Option<(u64, usize)> {
        let gap = (at - self.last).as_ns();
        let most = small.iter().fold(0, |all, number| all | number);
        if u64::from(most >> 7 | number >> 14) | gap >> (7 * (4 - N)) != 0 {
            return None;
        }
        if self.bytes.capacity().wrapping_sub(self.bytes.len()) < ROOM {
            return None;
        }
        self.last = at;
        let gap = gap as u32;
        Some(match gap {
            0..0x80 => word::<1, N>(kind, gap, small, number),
            0x80..0x4000 => word::<2, N>(kind, varint::spread(gap) | 0x80, small, number),
            _ => word::<3, N>(kind, varint::spread(gap) | 0x8080, small, number),
        })
    }

    /// Appends a record that begins with this word, of which so many bytes count, and goes on as `rest` writes it.
    #[inline(always)]
    fn write_words(&mut self, (word, length): (u64, usize), rest: impl FnOnce(&mut Words<'_>)) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(&[0; ROOM]);
        let bytes = self.bytes.last_chunk_mut().expect("it was appended");
        let mut words = Words { bytes, length: 0 };
        words.put(word, length);
        rest(&mut words);
        let length = words.length;
        assert!((2..=ROOM).contains(&length), "no record of words is that long");
        words.bytes[1] = (length - 2) as u8;
        self.bytes.truncate(begin + length);
    }

    /// A record that fits into one word. False if it does not.
    #[inline(always)]
    fn write_word<const N: usize>(&mut self, at: Instant, kind: u8, small: [u32; N], number: u32) -> bool {
        let word = self.word(at, kind, small, number);
        if let Some(word) = word {
            self.put_word(word);
        }
        word.is_some()
    }

    /// Appends so many bytes of a word. A copy of a fixed length takes the fewest instructions.
    #[inline(always)]
    fn put_word(&mut self, (word, length): (u64, usize)) {
        let end = self.bytes.len() + length;
        self.bytes.extend_from_slice(&word.to_le_bytes());
        self.bytes.truncate(end);
    }

    #[cold]
    #[inline(never)]
    fn any(&mut self, at: Instant, record: &Record) {
        self.bytes.reserve(2 * MOST);
        self.write(at, record);
    }

    // The same for what every job does, compiled for each kind. A record is only made where its numbers are long.

    fn arrival(&mut self, at: Instant, job: JobId, absolute_deadline: Instant, cost: Work) {
        let record = || Record::Arrival { job, absolute_deadline, cost };
        let numbers = [absolute_deadline.as_ns(), cost.as_ns()];
        let fit = numbers.into_iter().all(varint::is_in_a_word);
        match fit.then(|| self.word(at, record().kind(), [job.task.0], job.number)).flatten() {
            Some(word) => self.write_words(word, |words| {
                numbers.into_iter().for_each(|number| words.number(number));
            }),
            None => self.any(at, &record()),
        }
    }

    fn ready(&mut self, at: Instant, job: JobId, priority: Priority, cluster: ClusterId) {
        let record = || Record::Ready { job, priority, cluster };
        let is_plain = priority.band() == Band::Base && priority.tie() == job;
        let fit = is_plain && varint::is_in_a_word(priority.point()) && cluster.0 < 1 << 7;
        match fit.then(|| self.word(at, record().kind(), [job.task.0], job.number)).flatten() {
            Some(word) => self.write_words(word, |words| {
                words.put(Band::Base as u64, 1);
                words.number(priority.point());
                let (number, number_length) = varint::two_bytes(job.number);
                words.put(number << 8 | u64::from(job.task.0), 1 + number_length);
                words.put(cluster.0.into(), 1);
            }),
            None => self.any(at, &record()),
        }
    }

    fn link(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        let record = || Record::Link { cpu, job: Some(job) };
        if !self.write_word(at, record().kind(), [cpu.0.into(), 1, job.task.0], job.number) {
            self.any(at, &record());
        }
    }

    /// Which of the records about a processor and a job it is, is known where it is written.
    #[inline(always)]
    fn cpu_and_job(&mut self, at: Instant, record: impl Fn() -> Record, cpu: CpuId, job: JobId) {
        if !self.write_word(at, record().kind(), [cpu.0.into(), job.task.0], job.number) {
            self.any(at, &record());
        }
    }

    fn dispatch(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.cpu_and_job(at, || Record::Dispatch { cpu, job }, cpu, job);
    }

    /// A job is linked, and dispatched at once. The second record has the numbers of the first, and begins when it does.
    fn link_and_dispatch(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        let (link, dispatch) = (|| Record::Link { cpu, job: Some(job) }, || Record::Dispatch { cpu, job });
        let numbers = [cpu.0.into(), job.task.0];
        match self.word(at, link().kind(), [numbers[0], 1, numbers[1]], job.number) {
            Some(first) => {
                self.put_word(first);
                self.put_word(word::<1, 2>(dispatch().kind(), 0, numbers, job.number));
            }
            None => [link(), dispatch()].iter().for_each(|record| self.any(at, record)),
        }
    }

    fn preempt(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.cpu_and_job(at, || Record::Preempt { cpu, job }, cpu, job);
    }

    fn complete(&mut self, at: Instant, job: JobId) {
        let record = || Record::Complete { job };
        if !self.write_word(at, record().kind(), [job.task.0], job.number) {
            self.any(at, &record());
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
            | Record::GiveUp { .. }
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
        | Record::GiveUp { job }
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
            [cpu.0.into(), until.as_ns()].into_iter().for_each(|number| out.number(number));
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

    /// Words are only written where there is room.
    fn roomy() -> Encoder {
        Encoder { bytes: Vec::with_capacity(4 * MOST), last: Instant::ZERO }
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
                let long = u64::from(large) << (large % 30);
                let (absolute_deadline, cost) = (Instant::from_ns(long), Work::from_ns(small.into()));
                let (priority, cluster) = (Priority::new(long, job), ClusterId(number as u16));
                for record in [
                    Record::Link { cpu, job: Some(job) },
                    Record::Dispatch { cpu, job },
                    Record::Preempt { cpu, job },
                    Record::Complete { job },
                    Record::Arrival { job, absolute_deadline, cost },
                    Record::Ready { job, priority, cluster },
                    Record::Ready { job, priority: Priority::new(long, JobId::default()), cluster },
                    Record::Ready { job, priority: Priority::in_band(Band::Boosted, long, job), cluster },
                ] {
                    let (mut encoder, mut frames) = (roomy(), Encoder::new());
                    encoder.record(at, record);
                    frames.any(at, &record);
                    assert_eq!(encoder.bytes, frames.bytes, "{record:?} at {at:?}");
                }
                let (link, dispatch) = (Record::Link { cpu, job: Some(job) }, Record::Dispatch { cpu, job });
                let (mut encoder, mut frames) = (roomy(), Encoder::new());
                encoder.record_both(at, link, dispatch);
                [link, dispatch].iter().for_each(|record| frames.any(at, record));
                assert_eq!(encoder.bytes, frames.bytes, "{link:?} and {dispatch:?} at {at:?}");
            }
        }
    }
}
