//! The records of when a task's thread begins to execute a job, and when it is stopped.

use crate::record::tracer::{Passage, Tracer};
use schedlab_model::{CpuId, JobId, TaskId};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

/// No processor: the thread's last record says that it was stopped.
const NOWHERE: u32 = u32::MAX;

/// The passages of one thread, and the last of them. Only the thread itself uses this.
#[derive(Debug)]
pub(super) struct Passages {
    task: TaskId,
    /// The processor where the thread executes as of its last record, or [`NOWHERE`].
    recorded: AtomicU32,
    tracer: Arc<Tracer>,
}

impl Passages {
    /// The passages of the thread of `task`, which has none yet.
    pub(super) fn new(task: TaskId, tracer: Arc<Tracer>) -> Self {
        Passages { task, recorded: AtomicU32::new(NOWHERE), tracer }
    }

    /// Records that the thread is about to execute job `number` on `cpu`.
    pub(super) fn passed(&self, cpu: CpuId, number: u32) {
        self.recorded.store(cpu.0.into(), Relaxed);
        self.tracer.record(JobId::new(self.task, number), Passage::Passed(cpu));
    }

    /// Records that the thread finds that job `number` may not execute.
    pub(super) fn stopped(&self, number: u32) {
        self.recorded.store(NOWHERE, Relaxed);
        self.tracer.record(JobId::new(self.task, number), Passage::Stopped);
    }

    /// True if the thread's last record says that it executes on `cpu`.
    pub(super) fn is_recorded_on(&self, cpu: CpuId) -> bool {
        self.recorded.load(Relaxed) == u32::from(cpu.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_record_says_where_the_thread_executes() {
        let tracer = Arc::new(Tracer::new(1, 16));
        let passages = Passages::new(TaskId(0), Arc::clone(&tracer));
        let [here, there] = [0, 1].map(CpuId);
        assert!(!passages.is_recorded_on(here));
        passages.passed(here, 3);
        assert!(passages.is_recorded_on(here) && !passages.is_recorded_on(there));
        passages.passed(there, 3);
        assert!(passages.is_recorded_on(there));
        passages.stopped(3);
        assert!(!passages.is_recorded_on(there));
        let recorded: Vec<Passage> =
            tracer.finish(Vec::new()).0.iter().map(|(.., passage)| *passage).collect();
        assert_eq!(recorded, [Passage::Passed(here), Passage::Passed(there), Passage::Stopped]);
    }
}
