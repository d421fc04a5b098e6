//! Encodes records of small numbers, a word at once.

use super::Encoder;
use crate::record::Record;
use crate::varint;
use schedlab_model::{Band, ClusterId, CpuId, Instant, JobId, Priority, Work};

/// Room for a record of words: at most three words of eight bytes that count, and a whole word after them.
const ROOM: usize = 40;

/// A record of a few words of at most eight bytes each, of which there are three at most.
struct Words<'a> {
    bytes: &'a mut [u8; ROOM],
    length: usize,
}

impl Words<'_> {
    /// Appends the first `length` bytes of `word`.
    #[inline(always)]
    fn put(&mut self, word: u64, length: usize) {
        let index = self.length % 32;
        self.bytes[index..index + 8].copy_from_slice(&word.to_le_bytes());
        self.length = self.length.wrapping_add(length);
    }

    #[inline(always)]
    fn number(&mut self, value: u64) {
        let (word, length) = varint::in_a_word(value);
        self.put(word, length);
    }
}

/// Returns the bytes of a job of a task below 2^14, and their number: seven at most.
#[inline(always)]
fn job_in_a_word(job: JobId) -> (u64, usize) {
    let (task, length) = varint::two_bytes_evenly(job.task.0);
    let (number, more) = match job.number < 1 << 14 {
        true => varint::two_bytes_evenly(job.number),
        false => varint::in_a_word(job.number.into()),
    };
    (number << (8 * length) | task, length + more)
}

/// Returns the bytes of a record whose time since the record before takes `GAP` bytes, and their number.
#[inline(always)]
fn word<const GAP: usize, const N: usize>(kind: u8, gap: u32, small: [u32; N], number: u32) -> (u64, usize) {
    let (mut word, number_length) = varint::two_bytes(number);
    for number in small.into_iter().rev() {
        word = word << 8 | u64::from(number);
    }
    let length = GAP + N + number_length;
    (word << (8 * GAP + 16) | u64::from(gap) << 16 | (length as u64) << 8 | u64::from(kind), length + 2)
}

impl Encoder {
    /// Returns the bytes of a record of `small` numbers and a job's number in one word, and their number. `None` if
    /// they do not fit, or if the buffer has to grow first, which is done elsewhere. The record may go on after them:
    /// its length is that of these bytes.
    #[inline(always)]
    fn word<const N: usize>(
        &mut self,
        at: Instant,
        kind: u8,
        small: [u32; N],
        number: u32,
    ) -> Option<(u64, usize)> {
        if self.has_long_tasks {
            return None;
        }
        let gap = (at - self.last).as_ns();
        let most = small.iter().fold(0, |all, number| all | number);
        if u64::from(most >> 7 | number >> 14) | gap >> (7 * (4 - N)) != 0 || !self.has_room() {
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

    #[inline(always)]
    fn has_room(&self) -> bool {
        self.bytes.capacity().wrapping_sub(self.bytes.len()) >= ROOM
    }

    /// Returns the bytes of a record up to its job, and their number, where the job takes `more` bytes. `None` if they
    /// do not fit, or if the buffer has to grow first.
    #[inline(always)]
    fn head<const N: usize>(
        &mut self,
        at: Instant,
        kind: u8,
        small: [u32; N],
        more: usize,
    ) -> Option<(u64, usize)> {
        let gap = (at - self.last).as_ns();
        let most = small.iter().fold(0, |all, number| all | number);
        if u64::from(most >> 7) | gap >> 21 != 0 || !self.has_room() {
            return None;
        }
        self.last = at;
        // Mostly it is nothing; else its length is not easy to predict.
        let (gap, length) = if gap == 0 { (0, 1) } else { varint::in_a_word(gap) };
        let small = small.into_iter().rev().fold(0, |all, number| all << 8 | u64::from(number));
        let after = ((length + N + more) as u64) << 8;
        Some((small << (8 * length + 16) | gap << 16 | after | u64::from(kind), length + N + 2))
    }

    /// Appends a record that begins with the first `length` bytes of `word`, and goes on as `rest` writes it.
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

    /// Appends a record that fits into one word. Returns false if it does not.
    #[inline(always)]
    fn write_word<const N: usize>(&mut self, at: Instant, kind: u8, small: [u32; N], number: u32) -> bool {
        let word = self.word(at, kind, small, number);
        if let Some(word) = word {
            self.put_word(word);
        }
        word.is_some()
    }

    /// Appends the first `length` bytes of `word`. A copy of a fixed length takes the fewest instructions.
    #[inline(always)]
    fn put_word(&mut self, (word, length): (u64, usize)) {
        let end = self.bytes.len() + length;
        self.bytes.extend_from_slice(&word.to_le_bytes());
        self.bytes.truncate(end);
    }

    /// Appends a record of which only the job's numbers may be long, as with hundreds of tasks or many jobs.
    #[inline(always)]
    fn long<const N: usize>(
        &mut self,
        at: Instant,
        record: impl Fn() -> Record,
        small: [u32; N],
        job: JobId,
    ) {
        let (word, more) = job_in_a_word(job);
        match self.long_head(at, record().kind(), small, job, more) {
            Some((head, length)) => {
                let (end, bits) = (self.bytes.len() + length + more, 8 * length as u32);
                // The head is two bytes at least, and seven at most.
                let words = [head | word << (bits % 64), word >> ((64 - bits) % 64)];
                self.bytes.extend_from_slice(words.map(u64::to_le_bytes).as_flattened());
                self.bytes.truncate(end);
            }
            None => self.any(at, &record()),
        }
    }

    /// Appends a record of which only the job's numbers may be long, and which goes on after its job, as `rest` writes
    /// it, given the job's bytes.
    #[inline(always)]
    fn long_words(
        &mut self,
        at: Instant,
        record: impl Fn() -> Record,
        job: JobId,
        rest: impl FnOnce(&mut Words<'_>, (u64, usize)),
    ) {
        let (word, more) = job_in_a_word(job);
        match self.long_head(at, record().kind(), [], job, 0) {
            Some(head) => self.write_words(head, |words| {
                words.put(word, more);
                rest(words, (word, more));
            }),
            None => self.any(at, &record()),
        }
    }

    /// Returns the bytes of a record up to the job, if they fit into a word; the job takes `more` bytes of another
    /// word.
    #[inline(always)]
    fn long_head<const N: usize>(
        &mut self,
        at: Instant,
        kind: u8,
        small: [u32; N],
        job: JobId,
        more: usize,
    ) -> Option<(u64, usize)> {
        if job.task.0 >> 14 != 0 {
            return None;
        }
        self.has_long_tasks |= job.task.0 >> 7 != 0;
        self.head(at, kind, small, more)
    }

    // The same for what every job does, compiled for each kind. A record is only made where its numbers are long. What
    // is rarer is a function of its own, so that the rest saves no registers.

    pub(super) fn arrival(&mut self, at: Instant, job: JobId, absolute_deadline: Instant, cost: Work) {
        let kind = Record::Arrival { job, absolute_deadline, cost }.kind();
        let numbers = [absolute_deadline.as_ns(), cost.as_ns()];
        let fit = numbers.into_iter().all(varint::is_in_a_word);
        match fit.then(|| self.word(at, kind, [job.task.0], job.number)).flatten() {
            Some(word) => self.write_words(word, |words| {
                numbers.into_iter().for_each(|number| words.number(number));
            }),
            None => self.long_arrival(at, job, absolute_deadline, cost),
        }
    }

    #[inline(never)]
    fn long_arrival(&mut self, at: Instant, job: JobId, absolute_deadline: Instant, cost: Work) {
        let record = || Record::Arrival { job, absolute_deadline, cost };
        let numbers = [absolute_deadline.as_ns(), cost.as_ns()];
        match numbers.into_iter().all(varint::is_in_a_word) {
            true => self.long_words(at, record, job, |words, _| {
                numbers.into_iter().for_each(|number| words.number(number));
            }),
            false => self.any(at, &record()),
        }
    }

    pub(super) fn ready(&mut self, at: Instant, job: JobId, priority: Priority, cluster: ClusterId) {
        let kind = Record::Ready { job, priority, cluster }.kind();
        match is_plain(job, priority, cluster)
            .then(|| self.word(at, kind, [job.task.0], job.number))
            .flatten()
        {
            Some(word) => self.write_words(word, |words| {
                words.put(Band::Base as u64, 1);
                words.number(priority.point());
                let (number, number_length) = varint::two_bytes(job.number);
                words.put(number << 8 | u64::from(job.task.0), 1 + number_length);
                words.put(cluster.0.into(), 1);
            }),
            None => self.long_ready(at, job, priority, cluster),
        }
    }

    #[inline(never)]
    fn long_ready(&mut self, at: Instant, job: JobId, priority: Priority, cluster: ClusterId) {
        let record = || Record::Ready { job, priority, cluster };
        match is_plain(job, priority, cluster) {
            true => self.long_words(at, record, job, |words, (job, length)| {
                words.put(Band::Base as u64, 1);
                words.number(priority.point());
                words.put(job, length);
                words.put(cluster.0.into(), 1);
            }),
            false => self.any(at, &record()),
        }
    }

    pub(super) fn link(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        let kind = Record::Link { cpu, job: Some(job) }.kind();
        if !self.write_word(at, kind, [cpu.0.into(), 1, job.task.0], job.number) {
            self.long_link(at, cpu, job);
        }
    }

    #[inline(never)]
    fn long_link(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.long(at, || Record::Link { cpu, job: Some(job) }, [cpu.0.into(), 1], job);
    }

    /// Appends a record about a processor and a job. The caller knows the kind at compile time.
    #[inline(always)]
    fn cpu_and_job(&mut self, at: Instant, record: impl Fn() -> Record, cpu: CpuId, job: JobId) {
        if !self.write_word(at, record().kind(), [cpu.0.into(), job.task.0], job.number) {
            self.long_cpu_and_job(at, record, cpu, job);
        }
    }

    #[inline(never)]
    fn long_cpu_and_job(&mut self, at: Instant, record: impl Fn() -> Record, cpu: CpuId, job: JobId) {
        self.long(at, record, [cpu.0.into()], job);
    }

    pub(super) fn dispatch(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.cpu_and_job(at, || Record::Dispatch { cpu, job }, cpu, job);
    }

    /// Appends records that a job is linked, and dispatched at once. The second record has the numbers of the first,
    /// and the same time.
    pub(super) fn link_and_dispatch(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        let kinds = [Record::Link { cpu, job: Some(job) }.kind(), Record::Dispatch { cpu, job }.kind()];
        let numbers = [cpu.0.into(), job.task.0];
        match self.word(at, kinds[0], [numbers[0], 1, numbers[1]], job.number) {
            Some(first) => {
                self.put_word(first);
                self.put_word(word::<1, 2>(kinds[1], 0, numbers, job.number));
            }
            None => self.long_link_and_dispatch(at, cpu, job),
        }
    }

    #[inline(never)]
    fn long_link_and_dispatch(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.long(at, || Record::Link { cpu, job: Some(job) }, [cpu.0.into(), 1], job);
        self.long(at, || Record::Dispatch { cpu, job }, [cpu.0.into()], job);
    }

    pub(super) fn preempt(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.cpu_and_job(at, || Record::Preempt { cpu, job }, cpu, job);
    }

    pub(super) fn complete(&mut self, at: Instant, job: JobId) {
        if !self.write_word(at, Record::Complete { job }.kind(), [job.task.0], job.number) {
            self.long_complete(at, job);
        }
    }

    #[inline(never)]
    fn long_complete(&mut self, at: Instant, job: JobId) {
        self.long(at, || Record::Complete { job }, [], job);
    }
}

/// True if the job has the priority that its policy gave it, and its numbers but the job's are short.
#[inline(always)]
fn is_plain(job: JobId, priority: Priority, cluster: ClusterId) -> bool {
    let is_plain = priority.band() == Band::Base && priority.tie() == job;
    is_plain && varint::is_in_a_word(priority.point()) && cluster.0 < 1 << 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::MOST;
    use crate::sink::Sink;
    use alloc::vec::Vec;
    use schedlab_model::TaskId;

    /// An encoder with enough room, because words are only written where there is room.
    fn roomy(has_long_tasks: bool) -> Encoder {
        Encoder { bytes: Vec::with_capacity(4 * MOST), has_long_tasks, ..Encoder::new() }
    }

    /// Records that fit into one word have the same bytes as any record, whatever their numbers are.
    #[test]
    fn words_are_what_any_record_gets() {
        let numbers = (0..30).flat_map(|bits| [1u32 << bits, (1 << bits) - 1]);
        let pairs = numbers.flat_map(|number| [(number, 0), (number, 100), (number, number)]);
        for ((large, small), has_long_tasks) in pairs.flat_map(|pair| [(pair, false), (pair, true)]) {
            for (gap, cpu, task, number) in [
                (large, 3, 5, small),
                (small, 3, 5, large),
                (small, large, 5, 0),
                (small, 7, large, 9),
                (large, 3, 200, large),
                (0, 3, large, large),
            ] {
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
                    let (mut encoder, mut plain) = (roomy(has_long_tasks), Encoder::new());
                    encoder.record(at, record);
                    plain.any(at, &record);
                    assert_eq!(encoder.bytes, plain.bytes, "{record:?} at {at:?}");
                }
                let (link, dispatch) = (Record::Link { cpu, job: Some(job) }, Record::Dispatch { cpu, job });
                let (mut encoder, mut plain) = (roomy(has_long_tasks), Encoder::new());
                encoder.record_both(at, link, dispatch);
                [link, dispatch].iter().for_each(|record| plain.any(at, record));
                assert_eq!(encoder.bytes, plain.bytes, "{link:?} and {dispatch:?} at {at:?}");
            }
        }
    }
}
