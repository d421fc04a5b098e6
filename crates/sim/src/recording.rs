//! Records of a run, and the counters of its summary.

use crate::setup::Summary;
use schedlab_model::{CpuId, Instant, JobId};
use schedlab_trace::{Record, Sink};

/// Adds one to a counter if `more`. No run has 2^64 events, so overflow is not checked.
#[inline(always)]
fn count(known: &mut u64, more: bool) {
    *known = known.wrapping_add(u64::from(more));
}

/// The sink of the records, and a summary of them.
pub(crate) struct Recording<S> {
    pub sink: S,
    pub summary: Summary,
}

impl<S: Sink> Recording<S> {
    /// Makes a recording in which nothing has happened.
    pub(crate) fn new(sink: S) -> Self {
        Recording { sink, summary: Summary::default() }
    }

    /// Writes and counts a record. Always inlined, because the kind of record is most often known at compile time.
    #[inline(always)]
    pub(crate) fn record(&mut self, at: Instant, record: Record) {
        count(&mut self.summary.jobs_arrived, matches!(record, Record::Arrival { .. }));
        count(&mut self.summary.jobs_completed, matches!(record, Record::Complete { .. }));
        count(&mut self.summary.jobs_missed, matches!(record, Record::Miss { .. }));
        self.sink.record(at, record);
    }

    /// Writes that a job is linked to `cpu` and dispatched there at that instant.
    #[inline(always)]
    pub(crate) fn record_dispatch(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.sink.record_both(at, Record::Link { cpu, job: Some(job) }, Record::Dispatch { cpu, job });
    }

    /// Marks the run as stopped before its end, and returns its summary.
    pub(crate) fn stop(&mut self) -> Summary {
        self.summary.stopped = true;
        self.summary
    }

    /// Counts one more instant at which something happens; returns the number so far.
    #[inline(always)]
    pub(crate) fn begin_instant(&mut self) -> u64 {
        count(&mut self.summary.instants, true);
        self.summary.instants
    }
}
