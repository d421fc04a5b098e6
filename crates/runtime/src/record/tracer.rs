//! Records of what threads did, light enough to leave on: a ring for each thread, no lock and no system call.
//!
//! A thread writes what it did, or its signal handler does, with the processor's own time. Somebody else reads while the run
//! goes on; a ring that is full loses the new record and counts it.

use crate::machine::sys;
use crate::machine::ticks::Ticks;
use schedlab_model::{CpuId, JobId, TaskId};
use schedlab_objects::Ring;

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It began to execute its job's code, after it had waited.
    Passed,
    /// It executed its job's code and was stopped.
    Stopped,
    /// It took a resource that was free, and told nobody.
    Took,
    /// It gave such a resource back.
    Gave,
}

impl Act {
    const ALL: [Act; 4] = [Act::Passed, Act::Stopped, Act::Took, Act::Gave];
}

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    /// When, by the monotonic clock.
    pub at: u64,
    /// Which of the machine's processors wrote it.
    pub processor: usize,
    /// What the thread did.
    pub act: Act,
    /// For which job.
    pub job: JobId,
    /// The processor that its gate named.
    pub cpu: CpuId,
}

/// Writes and keeps records.
#[derive(Debug)]
pub struct Tracer {
    ticks: Ticks,
    /// By task: its thread's.
    rings: Vec<Ring<3>>,
}

/// Records as they are written: ticks, then what and where, then the job.
type Raw = [u64; 3];

impl Tracer {
    /// Rings for so many tasks, each with room for so many records.
    pub fn new(tasks: usize, capacity: usize) -> Self {
        Tracer { ticks: Ticks::start(), rings: (0..tasks).map(|_| Ring::new(capacity)).collect() }
    }

    /// True if times are the processor's own counter's.
    pub fn counts_ticks(&self) -> bool {
        self.ticks.are_counted()
    }

    /// Writes that `job`'s thread, the caller, does this. Its signal handler does not interrupt it: it leaves a thread in our code alone.
    #[inline]
    pub fn record(&self, act: Act, job: JobId, cpu: CpuId) {
        let (at, processor) = self.ticks.now();
        let what = act as u64 | u64::from(cpu.0) << 8 | u64::from(processor) << 32;
        self.rings[job.task.index()].write([at, what, u64::from(job.task.0) << 32 | u64::from(job.number)]);
    }

    /// Reads what was written into `raw`.
    pub(crate) fn drain(&self, raw: &mut Vec<Raw>) {
        for ring in &self.rings {
            ring.read(|record| raw.push(record));
        }
    }

    /// The last records and all that were read before, by time; and how many were lost.
    pub(crate) fn finish(&self, mut raw: Vec<Raw>) -> (Vec<Traced>, u64) {
        self.drain(&mut raw);
        let later = self.ticks.anchor();
        let traced = |[at, what, job]: Raw| Traced {
            at: self.ticks.to_ns(at, later),
            processor: (what >> 32) as usize,
            act: Act::ALL[(what & 0xff) as usize],
            job: JobId::new(TaskId((job >> 32) as u32), job as u32),
            cpu: CpuId((what >> 8) as u16),
        };
        let mut all: Vec<Traced> = raw.into_iter().map(traced).collect();
        all.sort_by_key(|record| (record.at, record.job));
        (all, self.rings.iter().map(Ring::lost).sum())
    }
}

/// How long one record takes, in nanoseconds for a thousand of them: the least of several attempts.
pub fn cost_of_a_thousand_records() -> u64 {
    let tracer = Tracer::new(2, 1 << 12);
    let job = JobId::new(TaskId(1), 2);
    let mut raw = Vec::with_capacity(1 << 13);
    let attempt = |_| {
        let before = sys::monotonic_ns();
        for _ in 0..1_000 {
            tracer.record(Act::Passed, job, CpuId(0));
        }
        let took = sys::monotonic_ns() - before;
        tracer.drain(&mut raw);
        raw.clear();
        took
    };
    (0..200).map(attempt).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_by_time_and_what_is_lost_is_counted() {
        let processors = sys::allowed_processors().unwrap();
        let tracer = Tracer::new(4, 4);
        let job = |number| JobId::new(TaskId(3), number);
        let mut raw = Vec::new();
        tracer.record(Act::Passed, job(1), CpuId(1));
        tracer.record(Act::Took, job(1), CpuId(1));
        tracer.drain(&mut raw);
        (2..22).for_each(|number| tracer.record(Act::Stopped, job(number), CpuId(0)));
        let (all, lost) = tracer.finish(raw);
        assert_eq!(all.len() as u64 + lost, 22);
        assert_eq!(lost, 16);
        assert_eq!((all[0].act, all[0].job, all[0].cpu), (Act::Passed, job(1), CpuId(1)));
        assert_eq!((all[1].act, all[2].act, all[2].job), (Act::Took, Act::Stopped, job(2)));
        assert!(all.windows(2).all(|pair| pair[0].at <= pair[1].at));
        assert!(all.iter().all(|record| processors.contains(&record.processor)));
    }
}
