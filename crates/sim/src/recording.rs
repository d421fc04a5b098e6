//! What is written down of a run, and what is counted of it.

use crate::setup::Summary;
use schedlab_model::{CpuId, Instant, JobId};
use schedlab_trace::{Record, Sink};

/// No run lasts for 2^64 events, so counting is not checked.
#[inline(always)]
fn count(known: &mut u64, more: bool) {
    *known = known.wrapping_add(u64::from(more));
}

/// Where records go, and a summary of them.
pub(crate) struct Recording<S> {
    pub sink: S,
    pub summary: Summary,
}

impl<S: Sink> Recording<S> {
    /// Nothing has happened.
    pub(crate) fn new(sink: S) -> Self {
        Recording { sink, summary: Summary::default() }
    }

    /// Writes down what happened at that instant. Always inlined: mostly the kind of record is known where it is
    /// written.
    #[inline(always)]
    pub(crate) fn record(&mut self, at: Instant, record: Record) {
        count(&mut self.summary.jobs_arrived, matches!(record, Record::Arrival { .. }));
        count(&mut self.summary.jobs_completed, matches!(record, Record::Complete { .. }));
        count(&mut self.summary.jobs_missed, matches!(record, Record::Miss { .. }));
        self.sink.record(at, record);
    }

    /// Writes down that a job is linked to `cpu` and dispatched there at that instant.
    #[inline(always)]
    pub(crate) fn record_dispatch(&mut self, at: Instant, cpu: CpuId, job: JobId) {
        self.sink.record_both(at, Record::Link { cpu, job: Some(job) }, Record::Dispatch { cpu, job });
    }

    /// The run is stopped before its end: what happened until now.
    pub(crate) fn stop(&mut self) -> Summary {
        self.summary.stopped = true;
        self.summary
    }

    /// One more instant at which something happens: how many there were so far.
    #[inline(always)]
    pub(crate) fn begin_instant(&mut self) -> u64 {
        count(&mut self.summary.instants, true);
        self.summary.instants
    }
}
