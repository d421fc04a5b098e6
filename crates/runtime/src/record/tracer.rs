//! Records of what threads did, light enough to leave on: a ring for each thread, no lock and no system call.
//!
//! A thread writes how it passed its gate, or its signal handler does, with the processor's own time. Another thread
//! reads while the run goes on; a ring that is full loses the new record and counts it.

use crate::machine::time_stamps::TimeStamps;
use schedlab_model::{CpuId, JobId, TaskId};
use schedlab_objects::Ring;

/// A thread's passage of its gate, or its stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// The thread began to execute on this processor after it had waited.
    Passed(CpuId),
    /// The thread executed and was stopped.
    Stopped,
}

impl Passage {
    fn word(self) -> u64 {
        match self {
            Passage::Passed(cpu) => u64::from(cpu.0) + 1,
            Passage::Stopped => 0,
        }
    }

    fn of(word: u64) -> Self {
        match word.checked_sub(1) {
            Some(cpu) => Passage::Passed(CpuId(cpu as u16)),
            None => Passage::Stopped,
        }
    }
}

/// The rings of all threads' records.
#[derive(Debug)]
pub(crate) struct Tracer {
    stamps: TimeStamps,
    /// By task: the ring of its thread.
    rings: Vec<Ring<3>>,
}

/// A record as it is written: the time stamp, the passage, the job.
type Raw = [u64; 3];

impl Tracer {
    /// Rings for this many tasks, each with room for `capacity` records.
    pub(crate) fn new(tasks: usize, capacity: usize) -> Self {
        Tracer { stamps: TimeStamps::start(), rings: (0..tasks).map(|_| Ring::new(capacity)).collect() }
    }

    /// Records a passage of `job`'s thread, which is the caller. Its signal handler does not interrupt this: it leaves
    /// a thread in the runtime's code alone.
    #[inline]
    pub(crate) fn record(&self, job: JobId, passage: Passage) {
        let job_word = u64::from(job.task.0) << 32 | u64::from(job.number);
        self.rings[job.task.index()].write([self.stamps.now(), passage.word(), job_word]);
    }

    /// Moves what was written to `raw`.
    pub(crate) fn drain(&self, raw: &mut Vec<Raw>) {
        for ring in &self.rings {
            ring.read(|record| raw.push(record));
        }
    }

    /// All records, the last ones and those that were read before, by the time of the monotonic clock; and the number
    /// of lost ones.
    pub(crate) fn finish(&self, mut raw: Vec<Raw>) -> (Vec<(u64, JobId, Passage)>, u64) {
        self.drain(&mut raw);
        let later = self.stamps.anchor();
        let record = |[at, passage, job]: Raw| {
            let job = JobId::new(TaskId((job >> 32) as u32), job as u32);
            (self.stamps.to_ns(at, later), job, Passage::of(passage))
        };
        let mut all: Vec<_> = raw.into_iter().map(record).collect();
        all.sort_by_key(|(at, job, _)| (*at, *job));
        (all, self.rings.iter().map(Ring::lost).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::sys;

    #[test]
    fn what_is_written_is_read_by_time_and_what_is_lost_is_counted() {
        let tracer = Tracer::new(4, 4);
        let job = |number| JobId::new(TaskId(3), number);
        let mut raw = Vec::new();
        tracer.record(job(1), Passage::Passed(CpuId(1)));
        tracer.record(job(1), Passage::Passed(CpuId(0)));
        tracer.drain(&mut raw);
        (2..22).for_each(|number| tracer.record(job(number), Passage::Stopped));
        let (all, lost) = tracer.finish(raw);
        assert_eq!((all.len() as u64 + lost, lost), (22, 16));
        let recorded: Vec<_> = all.iter().map(|(_, job, passage)| (job.number, *passage)).collect();
        let passed = |cpu| (1, Passage::Passed(CpuId(cpu)));
        assert_eq!(recorded[..3], [passed(1), passed(0), (2, Passage::Stopped)]);
        assert!(all.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    /// The least of several attempts, each a thousand records.
    #[test]
    #[ignore = "a measurement, which `make bench` prints"]
    fn what_a_record_costs() {
        let tracer = Tracer::new(2, 1 << 12);
        let job = JobId::new(TaskId(1), 2);
        let mut raw = Vec::with_capacity(1 << 13);
        let attempt = |_| {
            let before = sys::monotonic_ns();
            for _ in 0..1_000 {
                tracer.record(job, Passage::Passed(CpuId(0)));
            }
            let took = sys::monotonic_ns() - before;
            tracer.drain(&mut raw);
            raw.clear();
            took
        };
        let least = (0..200).map(attempt).min().expect("there are 200");
        println!("one record of the tracer: {}.{:03} ns", least / 1_000, least % 1_000);
    }
}
